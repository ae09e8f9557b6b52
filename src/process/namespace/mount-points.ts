// The places at which something is mounted that may be written, of what the kernel tells of this process's mounts: those
// that have to be made read-only one by one. Pure.
import { isWithin } from "../../core/files.ts";

interface Mounted {
  readonly id: string;
  readonly parent: string;
  readonly at: string;
  readonly isWritable: boolean;
  readonly type: string;
}

/** A look at one of these would mount something; what it mounts has a line of its own. */
const TRIGGERS = new Set(["autofs"]);

/** Of the text of /proc/self/mountinfo; the ones above come before the ones below them. */
export function mountPoints(mountinfo: string): string[] {
  const all = mountinfo.split("\n").flatMap(mountedBy);
  const byId = new Map(all.map((each) => [each.id, each]));
  const childrenOf = new Map<string, Mounted[]>();
  for (const each of all) {
    childrenOf.set(each.parent, [...(childrenOf.get(each.parent) ?? []), each]);
  }
  const isCovered = (mount: Mounted): boolean => {
    const above = byId.get(mount.parent);
    const beside = childrenOf.get(mount.parent) ?? [];
    // What is mounted over its parent, or over a folder on the way to it, hides it.
    const isHidden = beside.some(
      (each) =>
        each !== mount &&
        (isWithin(mount.at, each.at) || (above !== undefined && each.at === above.at)),
    );
    return isHidden || (above !== undefined && above !== mount && isCovered(above));
  };
  const isTop = ({ id, at }: Mounted): boolean =>
    !(childrenOf.get(id) ?? []).some((each) => each.id !== id && each.at === at);
  const points = all
    .filter((each) => each.isWritable && !TRIGGERS.has(each.type))
    .filter((each) => isTop(each) && !isCovered(each))
    .map(({ at }) => at);
  return [...new Set(points)].toSorted((one, other) => one.length - other.length);
}

function mountedBy(line: string): Mounted[] {
  const [before = "", after = ""] = line.split(" - ");
  const [id, parent, , , at, options] = before.split(" ");
  if (id === undefined || parent === undefined || at === undefined || options === undefined) {
    return [];
  }
  const isWritable = options.split(",").includes("rw");
  return [{ id, parent, at: unescaped(at), isWritable, type: after.split(" ")[0] ?? "" }];
}

/** A blank, a tab, a line end, a backslash and a hash are told as three octal digits. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}
