#!/usr/bin/env bash
# Names what is missing on this machine for a build, and how to get it. Arguments: what is needed, of go, cxx, pip.
set -u

missing=0

lack() { # WHAT, DEBIAN, MACOS, OTHERWISE
  missing=1
  {
    echo "missing: $1"
    case $(uname -s) in
    Linux) if command -v apt-get >/dev/null; then echo "  get it: apt-get install $2"; else echo "  get it: $4"; fi ;;
    Darwin) echo "  get it: $3" ;;
    *) echo "  tenon runs on Linux and macOS; $(uname -s) is not supported yet" ;;
    esac
  } >&2
}

old() { # the go command is older than go.mod asks for and may not fetch a newer one
  ! go version >/dev/null 2>&1 || { cd "$(dirname "$0")/../.." && ! go list -m >/dev/null 2>&1; }
}

for need in "$@"; do
  case $need in
  go)
    if ! command -v go >/dev/null; then
      lack "Go $(sed -n 's/^go //p' "$(dirname "$0")/../../go.mod") or newer" "golang-go (if new enough; else https://go.dev/dl)" "brew install go" "https://go.dev/dl"
    elif old; then
      lack "a newer Go: go.mod asks for $(sed -n 's/^go //p' "$(dirname "$0")/../../go.mod"), this is $(go env GOVERSION)" "golang-go from backports, or https://go.dev/dl" "brew upgrade go" "https://go.dev/dl"
    fi ;;
  cxx)
    # Those that go runs. Without a C compiler it would leave the engine out and say nothing.
    cc=$(go env CC 2>/dev/null || echo cc) cxx=$(go env CXX 2>/dev/null || echo c++)
    if ! command -v "${cc%% *}" >/dev/null || ! command -v "${cxx%% *}" >/dev/null; then
      lack "a C and a C++ compiler ($cc and $cxx; CC= and CXX= name others)" "g++" "xcode-select --install" "your distribution's g++ or clang"
    elif [ "$(go env CGO_ENABLED 2>/dev/null)" = 0 ]; then
      missing=1
      echo "missing: cgo, without which there is no engine: CGO_ENABLED is 0; unset it (go env -u CGO_ENABLED, if it was set with -w)" >&2
    fi ;;
  pip)
    python3 -m pip --version >/dev/null 2>&1 || lack "python3 with pip" "python3-pip" "xcode-select --install" "https://pip.pypa.io/en/stable/installation" ;;
  esac
done
exit $missing
