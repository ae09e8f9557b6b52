#!/bin/sh
# Stands in for git on the PATH: counts the commands of its parent and kills it with SIGKILL right
# before number KILL_BEFORE or right after number KILL_AFTER. Where KILL_ONLY is set, parents whose
# command line does not hold these words, as an agent's or a hook's, are neither counted nor killed.
case "$(tr '\0' ' ' <"/proc/$PPID/cmdline" 2>/dev/null)" in
*"$KILL_ONLY"*) ;;
*) exec "$REAL_GIT" "$@" ;;
esac
# Two commands may run at once: a number belongs to whoever creates its file.
set -C
n=1
until echo "$*" 2>/dev/null >"$KILL_COUNT/$n"; do n=$((n + 1)); done
if [ "$n" -eq "${KILL_BEFORE:-0}" ]; then
  kill -9 "$PPID"
  exit 1
fi
"$REAL_GIT" "$@"
code=$?
if [ "$n" -eq "${KILL_AFTER:-0}" ]; then kill -9 "$PPID"; fi
exit "$code"
