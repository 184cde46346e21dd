#!/usr/bin/env bash
# Runs the Dockerfile's own lines, without Docker, in bare Debian roots: each stage is a folder made by debootstrap, each
# RUN happens in it by chroot. Then the image's promises are tried: no public address without a key, non-root, a read-only
# root file system, `tenon health`, SIGTERM drains. For machines without a container engine, and for checking the file.
#
#   sudo MODEL=FILE.gguf cmd/scripts/image-root.sh [TARGET]
#
# TARGET is a stage of the Dockerfile, cpu by default. MODEL is put into the volume. The roots are kept in ROOTS; KEEP=1
# begins each stage after the lines that an earlier run did, up to the first that copies the project or another stage.
#
# A stage from debian:* is Debian of that release; one from golang:* has this machine's Go on top. Other bases are refused.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=${1:-cpu}
model=${MODEL:?a .gguf file to serve (make model brings one)}
roots=$(mkdir -p "${ROOTS:-.cache/image}" && cd "${ROOTS:-.cache/image}" && pwd)
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
declare -A base lines
stages=()

say() { echo "image: $*" >&2; }
die() { say "$*"; exit 1; }

[ "$(id -u)" = 0 ] || die "needs root, for chroot"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

# read_dockerfile sorts the joined lines of the Dockerfile by stage.
read_dockerfile() {
  local line stage="" word
  declare -A arg
  while IFS= read -r line; do
    word=${line%% *}
    case $word in
    ARG) [ -n "$stage" ] && lines[$stage]+=$line$'\n' || arg[$(cut -d' ' -f2 <<<"${line%%=*}")]=${line#*=} ;;
    FROM)
      stage=$(awk '{print $4}' <<<"$line")
      stages+=("$stage")
      base[$stage]=$(awk '{print $2}' <<<"$line")
      for word in "${!arg[@]}"; do base[$stage]=${base[$stage]//\$\{$word\}/${arg[$word]}}; done ;;
    *) lines[$stage]+=$line$'\n' ;;
    esac
  done < <(grep -v '^ *#' Dockerfile | sed -e ':a' -e '/\\$/{N;s/\\\n */ /;ba' -e '}' | grep .)
}

# needed lists the stages that a target copies from, and the target, in the order of the file.
needed() {
  local stage
  for stage in "${stages[@]}"; do
    if [ "$stage" = "$1" ] || grep -q -- "--from=$stage " <<<"${lines[$1]}"; then echo "$stage"; fi
  done
}

# bare makes the root of a stage's base.
bare() { # ROOT, BASE
  local suite
  suite=$(grep -oE '(bookworm|trixie)' <<<"$2") || die "no bare root for $2"
  say "a bare Debian $suite for $2"
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$1" "${DEBIAN_MIRROR:-}" >"$1.log" 2>&1 || die "debootstrap failed: $1.log"
  case $2 in
  golang:*) cp -a "$(go env GOROOT)" "$1/usr/local/go" ;;
  debian:*) ;;
  *) die "no bare root for $2" ;;
  esac
}

# inside runs a command in a root with its own mounts, which end with it.
inside() { # ROOT WORKDIR COMMAND
  unshare --mount --propagation private bash -euc '
    root=$1; cd /
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    [ ! -d /etc/ssl/certs ] || { mkdir -p "$root/etc/ssl/certs"; mount --bind /etc/ssl/certs "$root/etc/ssl/certs"; }
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    exec chroot "$root" /usr/bin/env HOME=/root PATH="/usr/local/go/bin:$4" /bin/sh -ec "cd $2; $3"' - "$1" "$2" "$3" "$path"
}

copy() { # STAGE WORKDIR ARGUMENTS
  local from=. to files
  if [[ $3 == --from=* ]]; then
    from=$roots/$(sed 's/--from=\([^ ]*\) .*/\1/' <<<"$3")
    set -- "$1" "$2" "${3#* }"
  fi
  read -ra files <<<"$3"
  to=${files[-1]}
  unset 'files[-1]'
  [[ $to == /* ]] || to=$2/$to
  if [ "$from" = . ] && [ "${files[*]}" = . ]; then
    git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$roots/$1$to"
    return
  fi
  [ ${#files[@]} -eq 1 ] && [[ $to != */ && ! -d $roots/$1$to ]] || mkdir -p "$roots/$1$to"
  mkdir -p "$roots/$1$(dirname "$to")"
  for f in "${files[@]}"; do
    if [ -d "$from/${f#/}" ]; then cp -a "$from/${f#/}/." "$roots/$1$to"; else cp -a "$from/${f#/}" "$roots/$1$to"; fi
  done
}

build() { # STAGE
  local root=$roots/$1 workdir=/ word rest keeping=yes kept=()
  if [ "${KEEP:-}" = 1 ] && [ -f "$root.kept" ]; then
    mapfile -t kept <"$root.kept"
  else
    rm -rf "$root"
    bare "$root" "${base[$1]}"
  fi
  : >"$root.kept"
  while read -r word rest; do
    [ -n "$word" ] || continue
    [ "$word" != WORKDIR ] || workdir=$rest
    if [ "${kept[0]:-}" = "$word $rest" ]; then
      kept=("${kept[@]:1}")
    else
      kept=()
      say "$1: $word $rest"
      step "$1" "$workdir" "$word" "$rest"
    fi
    [[ "$word $rest" != "COPY . ." && $rest != --from=* ]] || keeping=no
    [ $keeping = no ] || echo "$word $rest" >>"$root.kept"
  done <<<"${lines[$1]}"
}

step() { # STAGE WORKDIR INSTRUCTION ARGUMENTS
  local root=$roots/$1
  case $3 in
  RUN) inside "$root" "$2" "$4" >>"$root.log" 2>&1 || { tail -20 "$root.log" >&2; die "$1 failed"; } ;;
  COPY) copy "$1" "$2" "$4" ;;
  WORKDIR) mkdir -p "$root$4" ;;
  ARG) export "${4?}" ;;
  *) ;; # what a container engine does when it starts the image
  esac
}

# started sets run to what starts the image as Docker would: its user and environment, nothing writable but the volume and
# /tmp. Each program in it becomes the next, so that a signal reaches tenon.
started() { # NAME=VALUE… -- COMMAND…
  local root=$roots/$target user env
  user=$(awk '$1 == "USER" {print $2}' <<<"${lines[$target]}")
  read -ra env <<<"$(sed -n 's/^ENV //p' <<<"${lines[$target]}")"
  while [ "$1" != -- ]; do env+=("$1"); shift; done
  shift
  mkdir -p "$roots/volume" && chown "${user%%:*}" "$roots/volume"
  run=(unshare --mount --propagation private bash -euc '
    root=$1 volume=$2 user=$3 path=$4; shift 4
    mount --bind "$root" "$root"
    mount --bind "$volume" "$root/models"
    mount -t tmpfs tmpfs "$root/tmp"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -o remount,ro,bind "$root"
    exec chroot --userspec="$user" "$root" /usr/bin/env -i PATH="$path" "$@"' -
    "$root" "$roots/volume" "$user" "$path" "${env[@]}" "$@")
}

# healthy asks as the image's HEALTHCHECK does.
healthy() { started TENON_PORT="$port" -- tenon health && "${run[@]}"; }

# try holds the image against its promises.
try() {
  local port=${PORT:-12340} out pid status=0 run
  started TENON_PORT="$port" -- tenon serve
  out=$("${run[@]}" 2>&1) && die "started on a public address without a key"
  for word in TENON_API_KEY --api-key-file --insecure; do
    grep -q -- "$word" <<<"$out" || die "the refusal does not name $word: $out"
  done
  say "without a key: $(tail -1 <<<"$out")"
  cp "$model" "$roots/volume/"
  started TENON_PORT="$port" TENON_API_KEY=rehearsal -- tenon serve "/models/$(basename "$model")"
  "${run[@]}" >"$roots/serve.log" 2>&1 &
  pid=$!
  trap 'kill '"$pid"' 2>/dev/null || true' EXIT
  for _ in $(seq 60); do
    ! healthy >/dev/null 2>&1 || break
    kill -0 $pid 2>/dev/null || { cat "$roots/serve.log" >&2; die "the server ended"; }
    sleep 1
  done
  out=$(curl -sS -m 120 "http://127.0.0.1:$port/v1/chat/completions" -H 'Authorization: Bearer rehearsal' -H 'Content-Type: application/json' -d '{
    "model": "'"$(basename "$model" .gguf)"'", "messages": [{"role": "user", "content": "The weather in Oslo?"}], "tool_choice": "required",
    "parallel_tool_calls": false, "max_tokens": 100,
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "required": ["city"],
    "additionalProperties": false, "properties": {"city": {"type": "string", "maxLength": 20}}}}}]}')
  grep -q '"finish_reason":"tool_calls"' <<<"$out" || die "no call: $out"
  say "a call: $(grep -o '"arguments":"[^}]*}"' <<<"$out")"
  say "as uid $(ps -o uid= -p $pid | tr -d ' '), root read-only: $(healthy)"
  kill -TERM $pid
  wait $pid || status=$?
  say "SIGTERM: exit status $status; last line: $(tail -1 "$roots/serve.log")"
  [ $status -eq 0 ]
}

read_dockerfile
for stage in $(needed "$target"); do build "$stage"; done
try
say "target $target: built and tried"
