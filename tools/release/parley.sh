#!/bin/sh
# Runs Parley on the Node beside this script: `parley` starts the server, `parley --help` lists the commands.
set -eu

# The script may be reached through symbolic links.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
root=$(cd "$(dirname "$self")/.." && pwd -P)

case $(uname -s)-$(uname -m) in
  Linux-@MACHINE@) ;;
  *)
    echo "parley: this release is for Linux on @MACHINE@, and this is $(uname -s) on $(uname -m). Get the one for it." >&2
    exit 1
    ;;
esac
if [ ! -e @LOADER@ ]; then
  echo "parley: this release needs the GNU C library, which systems such as Alpine lack. Use a container, or npm." >&2
  exit 1
fi

# Messages name the command as it was typed.
if [ -z "${PARLEY_COMMAND:-}" ]; then
  case $0 in
    "$(command -v parley || true)") PARLEY_COMMAND=parley ;;
    *[!A-Za-z0-9/._-]*) PARLEY_COMMAND="'$0'" ;;
    *) PARLEY_COMMAND=$0 ;;
  esac
fi
# Two heaps of the C library rather than one per thread.
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
export PARLEY_COMMAND MALLOC_ARENA_MAX

exec "$root/bin/node" @FLAGS@ "$root/dist/parley.js" "$@"
