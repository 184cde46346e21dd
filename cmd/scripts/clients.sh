#!/usr/bin/env bash
# What `make clients` does: brings the real model where it is wanted, and runs the table of cmd/clients.
# ONLY (names with commas between) and MODELS (scripted, gemma) steer it; GGUF names another model file.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly models=${MODELS:-scripted,gemma}
gguf=${GGUF:-}
if [[ $models == *gemma* && -z $gguf ]]; then
  gguf=$(cmd/scripts/gemma.sh)
fi
go build -o build/bin/clients ./cmd/clients
exec build/bin/clients -models "$models" -only "${ONLY:-}" -gguf "$gguf"
