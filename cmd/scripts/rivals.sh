#!/usr/bin/env bash
# Installs the rivals' wheels (names as in PyPI) into a Python environment of the project's, at the versions the figures were made with.
set -euo pipefail
command -v python3 >/dev/null || { echo "python3 is missing"; exit 1; }
venv=build/bench-grammar/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
wheels=()
for r in "$@"; do
  case $r in
    llguidance) wheels+=(llguidance==1.9.1) ;;
    xgrammar) wheels+=(xgrammar==0.2.8) ;; # brings PyTorch along
    *) echo "no rival $r; there are llguidance and xgrammar"; exit 1 ;;
  esac
done
"$venv/bin/pip" install -q numpy tokenizers "${wheels[@]}"
