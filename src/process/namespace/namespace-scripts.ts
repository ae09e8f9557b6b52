// The shell texts that finish a namespace from inside. They are fixed: every path and program comes as
// an argument, and programs by absolute path, because the child's PATH is not ours.

/**
 * Shows a view with util-linux alone: `mount umount mkdir folder [steps] -- program …`.
 * The whole old root is held at /sys, which no project is in, so that sources can still be reached when
 * something covers them; it is let go of before anything else starts. The working folder is entered
 * last: the one from before may be covered and would still lead behind the mount.
 */
export const LAY_VIEW = `set -e
mount=$1 umount=$2 mkdir=$3 folder=$4; shift 4
cd /
"$mount" --rbind / /sys
while [ "$1" != -- ]; do
  case $1 in
    hide) "$mount" -t tmpfs -o mode=0755 stint "$2"; shift 2 ;;
    make-folder) "$mkdir" -p -- "$2"; shift 2 ;;
    make-file) "$mkdir" -p -- "\${2%/*}"; : >"$2"; shift 2 ;;
    read-write) "$mount" --rbind -- "/sys$2" "$3"; shift 3 ;;
    read-only) "$mount" --bind -- "/sys$2" "$3"
      # In two steps, the second with the options that are there: a user namespace may not drop any.
      "$mount" --options-source=mtab -o remount,bind,ro -- "$3"; shift 3 ;;
    *) exit 125 ;;
  esac
done
shift
"$umount" -l /sys
cd -- "$folder"
exec "$@"`;

/**
 * For root: `unshare nsenter mount program …` goes on in a user namespace of its own that has the same users.
 * The kernel lets nobody in it undo a mount from outside of it, while root's power over files and
 * the making of namespaces (an agent's own sandbox) stay. Only somebody outside may say which
 * users it has, so it is made by a process that stops, and entered once that is said.
 * With a program to mount by it gets a /proc first, which a sandbox inside may have a part of its own of.
 */
export const LOCK_VIEW = `set -e
unshare=$1 nsenter=$2 mount=$3; shift 3
[ -z "$mount" ] || "$mount" -t proc proc /proc
"$unshare" --user /bin/sh -c 'kill -STOP $$' &
holder=$!
while [ /proc/$holder/ns/user -ef /proc/self/ns/user ]; do :; done
same() { while read -r first _ count; do echo "$first $first $count"; done <"$1"; }
users=$(same /proc/self/uid_map) groups=$(same /proc/self/gid_map)
echo "$users" >/proc/$holder/uid_map
echo "$groups" >/proc/$holder/gid_map
exec 9</proc/$holder/ns/user
kill -KILL $holder
wait $holder 2>/dev/null || :
exec "$nsenter" --user=/proc/self/fd/9 --preserve-credentials "$unshare" --mount -- \\
  /bin/sh -c 'exec 9<&-; exec "$@"' sh "$@"`;
