#!/bin/sh
# Stands in for git on the PATH: counts the commands of its parent and kills it with SIGKILL right
# before number KILL_BEFORE or right after number KILL_AFTER.
echo x >>"$KILL_COUNT"
n=$(wc -l <"$KILL_COUNT")
if [ "$n" -eq "${KILL_BEFORE:-0}" ]; then
  kill -9 "$PPID"
  exit 1
fi
"$REAL_GIT" "$@"
code=$?
if [ "$n" -eq "${KILL_AFTER:-0}" ]; then kill -9 "$PPID"; fi
exit "$code"
