#!/bin/sh
# Stands in for git on the PATH: counts the commands of its parent and kills it with SIGKILL right
# before number KILL_BEFORE or right after number KILL_AFTER. A folder is made per command: two
# commands that run at once never get the same number.
n=1
while ! mkdir "$KILL_COUNT/$n" 2>/dev/null; do n=$((n + 1)); done
if [ "$n" -eq "${KILL_BEFORE:-0}" ]; then
  kill -9 "$PPID"
  exit 1
fi
"$REAL_GIT" "$@"
code=$?
if [ "$n" -eq "${KILL_AFTER:-0}" ]; then kill -9 "$PPID"; fi
exit "$code"
