#!/usr/bin/env bash
# What `make clients` does: brings the real model where it is wanted, and runs the table of cmd/clients.
# ONLY (names with commas between; it leaves out the loops of the real model) and MODELS (scripted, gemma) steer it; GGUF names another model file.
# REMOTE names a server that has it loaded, such as a llama-server's http://127.0.0.1:8080: tenon then stands in front of it.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly models=${MODELS:-scripted,gemma}
gguf=${GGUF:-}
if [[ $models == *gemma* && -z $gguf ]]; then
  gguf=$(cmd/scripts/gemma.sh)
fi
[[ -z $gguf ]] || gguf=$(realpath "$gguf")
exec go test ./cmd/clients -run '^(TestClients|TestLoops)$' -v -count=1 -timeout 0 -clients.tenon "$PWD/bin/tenon" \
  -clients.models "$models" -clients.only "${ONLY:-}" -clients.gguf "$gguf" -clients.remote "${REMOTE:-}"
