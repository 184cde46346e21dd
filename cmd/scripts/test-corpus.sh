#!/usr/bin/env bash
# Walks every schema of ../shared, thousands made up, every family in every kind of turn, and whatever else make test takes samples of: more than an hour
# on two cores. MINUTES caps it, and leaves out the packages of which one or two tests take samples. Then each test of the schemas has its share of the time, in which it takes them in an order that SEED decides; and the tests of
# turns, in such an order, are ended when their time is over. Without SEED it is the time of day; either way it is told.
set -euo pipefail
minutes=${MINUTES:-}
export TENON_MASKBENCH=all TENON_ALL=1 TENON_LONG=1
schemas=(./grammar ./grammar/schema)
turns=(./tools ./server/chat)
walks='MaskBench|Oracle|random|Unique_|ManyTools|RealVocabulary|Budget|neverTooLow|countedLoops' # the tests of schemas that take samples

if [ -z "$minutes" ]; then
  go test -run "$walks" -timeout 3h "${schemas[@]}"
  exec go test -timeout 1h $(grep -rlE 'TENON_(ALL|LONG)' --include='*_test.go' . | xargs -n1 dirname | sort -u)
fi

export TENON_CORPUS_SEED=${SEED:-$(date +%s)}
echo "again: make test-corpus MINUTES=$minutes SEED=$TENON_CORPUS_SEED"
work=$PWD/build/corpus
mkdir -p "$work"

# capped PACKAGE: runs its tests until half of the minutes are over. The end of the time is no failure; a test that failed before it is.
capped() {
  local binary=$work/${1//[.\/]/_} log=$work/${1//[.\/]/_}.log code=0
  (cd "$1" && timeout -k 5 $((minutes * 30)) "$binary" -test.v -test.shuffle "$TENON_CORPUS_SEED" -test.timeout 1h) >"$log" 2>&1 || code=$?
  if grep -qE '^ *--- FAIL|^panic:|^fatal error:' "$log" || { [ $code -ne 0 ] && [ $code -ne 124 ]; }; then
    grep -E -A 20 '^ *--- FAIL|^panic:|^fatal error:|_test.go:' "$log" | head -200
    echo "FAIL $1 (all of it is in $log)"
    return 1
  fi
  echo "ok $1: $(grep -cE '^--- PASS' "$log") tests to their end, $(grep -cE '^ +--- PASS' "$log") parts of tests"
}

tests=$(go test -list "$walks" "${schemas[@]}" | grep -c ^Test)
export TENON_CORPUS_SECONDS=$((minutes * 30 / tests))
go test -run "$walks" -v -timeout 1h "${schemas[@]}" | grep -E '^(ok|FAIL|panic)|--- FAIL|_test.go|corpus.go'

for p in "${turns[@]}"; do
  go test -c -o "$work/${p//[.\/]/_}" "$p"
done
pids=()
for p in "${turns[@]}"; do
  capped "$p" &
  pids+=($!)
done
for pid in "${pids[@]}"; do
  wait "$pid"
done
