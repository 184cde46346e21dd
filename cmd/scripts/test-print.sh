#!/usr/bin/env bash
# Prints a sample of ../shared's schemas, grammars of our own, and those of whole turns of every family of tools, in the dialects of llama.cpp
# and XGrammar, and has the engines themselves judge texts. llguidance reads what is printed for XGrammar: a vLLM may hand it that. LIBLLAMA is the prefix of a libllama (make libllama fills the default
# one), RIVALS leaves engines out. With MODEL, the llama-server LLAMA_SERVER generates under printed grammars, too.
# TENON_MASKBENCH=all takes every schema.
set -euo pipefail
rivals=${RIVALS:-llama xgrammar llguidance}
prefix=${LIBLLAMA:-$PWD/build/libllama}
vocab=${VOCAB:-$PWD/../shared/data/vocab/ggml-vocab-llama-bpe.gguf}
work=$PWD/build/rivals
venv=$PWD/build/bench-grammar/venv
mkdir -p "$work"

if [[ " $rivals " == *" llama "* ]]; then
  [ -e "$prefix/include/llama.h" ] || { echo "test-print needs a libllama: run make libllama, name its prefix in LIBLLAMA, or leave it out with RIVALS=xgrammar"; exit 1; }
  [ -e "$vocab" ] || { echo "test-print needs $vocab: the project's shared folder lies beside it"; exit 1; }
  "${CC:-cc}" -O2 -o "$work/llama" cmd/scripts/rival-llama.c -I"$prefix/include" -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" -lllama -lggml-base -lm
  export TENON_RIVAL_GBNF="$work/llama $vocab"
fi
if [[ " $rivals " == *" xgrammar "* ]]; then
  cmd/scripts/rivals.sh xgrammar
  export TENON_RIVAL_XGRAMMAR="$venv/bin/python $PWD/cmd/scripts/rival-python.py xgrammar"
fi
if [[ " $rivals " == *" llguidance "* ]]; then
  cmd/scripts/rivals.sh llguidance
  export TENON_RIVAL_LLGUIDANCE="$venv/bin/python $PWD/cmd/scripts/rival-python.py llguidance"
fi
if [ -n "${MODEL:-}" ]; then
  [ -x "${LLAMA_SERVER:-}" ] || { echo "test-print with MODEL needs a llama-server: run make llama-server, or name one in LLAMA_SERVER"; exit 1; }
  port=${PORT:-18089}
  "$LLAMA_SERVER" -m "$MODEL" --port "$port" -c 4096 -np 1 >"$work/server.log" 2>&1 &
  server=$!
  trap 'kill $server' EXIT
  for _ in $(seq 120); do
    curl -sf "http://127.0.0.1:$port/health" >/dev/null && break
    sleep 1
  done
  export TENON_RIVAL_SERVER="http://127.0.0.1:$port"
fi
go test ./grammar ./tools -run 'TestPrint_(rivals|llamaServer)|TestPlan_rivals' -v -count=1 -timeout 60m
