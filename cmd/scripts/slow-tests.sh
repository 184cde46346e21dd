#!/usr/bin/env bash
# Lists the tests of the packages named that take longer than BORDER= seconds (0.3), for make
# test-fast to leave out. The first test of a package that needs something makes it for all, so that
# another one may be slow where that one is left out: what is left is tried again.
set -euo pipefail
cd "$(dirname "$0")/../.."
list=cmd/scripts/slow-tests.txt
border=${BORDER:-0.3}
: >"$list"
for _ in 1 2 3; do
  slow=$(go test -vet=off -short -p 1 -count=1 -json -skip "^($(paste -sd'|' "$list"))\$" "$@" |
    sed -nE 's/.*"Action":"(pass|fail)".*"Test":"([^"/]+)","Elapsed":([0-9.]+).*/\3 \2/p' |
    awk -v border="$border" '$1 >= border { print $2 }' || true)
  [ -n "$slow" ] || break
  printf '%s\n' "$slow" | LC_ALL=C sort -u -o "$list" - "$list"
  echo "$(wc -l <"$list") tests of $border seconds or more"
done
