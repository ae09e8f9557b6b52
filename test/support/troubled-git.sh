#!/bin/sh
# Stands in for git on the PATH: of the commands of a parent whose command line holds TROUBLE_OF and whose
# own words hold TROUBLE_WORDS, number TROUBLE_AT meets TROUBLE; all others are git.
#   empty               it prints nothing and says that all went well
#   fails               it says that the disk could not be read
#   trace               its calls of the system are written beside the count
#   kill:CALL:N         it is killed at the Nth such call, and its parent with it
#   error:CALL:N:NAME   that call fails with this error
case "$(tr '\0' ' ' <"/proc/$PPID/cmdline" 2>/dev/null)" in
*"$TROUBLE_OF"*) ;;
*) exec "$REAL_GIT" "$@" ;;
esac
case " $* " in
*"$TROUBLE_WORDS"*) ;;
*) exec "$REAL_GIT" "$@" ;;
esac
# Two commands may run at once: a number belongs to whoever creates its file.
set -C
n=1
until echo "$*" 2>/dev/null >"$TROUBLE_COUNT/$n"; do n=$((n + 1)); done
if [ "$TROUBLE" = trace ]; then
  exec strace -qq -o "$TROUBLE_COUNT/$n.calls" "$REAL_GIT" "$@"
fi
if [ "$n" -ne "${TROUBLE_AT:-0}" ]; then exec "$REAL_GIT" "$@"; fi
IFS=: read -r kind call number error <<END
$TROUBLE
END
case "$kind" in
empty) cat >/dev/null; exit 0 ;;
fails)
  cat >/dev/null
  echo "fatal: unable to read the index: Input/output error" >&2
  exit 128
  ;;
kill)
  strace -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$number" "$REAL_GIT" "$@"
  kill -9 "$PPID"
  exit 1
  ;;
error) exec strace -qq -o /dev/null -e trace="$call" -e inject="$call:error=$error:when=$number" "$REAL_GIT" "$@" ;;
esac
