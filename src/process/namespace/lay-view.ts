// The shell text that lays a view from inside. It is fixed: every path and program comes as an
// argument, and programs by absolute path, because the child's PATH is not ours.

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
