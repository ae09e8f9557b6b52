// `git status` in its stable form, as values. It takes no lock and writes nothing.
import { runGit } from "./run-git.ts";

export interface TrackedChange {
  readonly path: string;
  /** The index differs from HEAD. */
  readonly staged: boolean;
  /** The work tree differs from the index. */
  readonly unstaged: boolean;
  /** Not there in the work tree, or only behind a symlink that took its folder's place. */
  readonly deleted: boolean;
  readonly unmerged: boolean;
  /** No commit holds it: it is new, and staged. */
  readonly added: boolean;
}

export interface Status {
  /** Null before the first commit. */
  readonly head: string | null;
  /** Null on a detached HEAD. */
  readonly branch: string | null;
  readonly upstream: string | null;
  /** Null where the upstream is configured but its branch is not there. */
  readonly aheadBehind: { readonly ahead: number; readonly behind: number } | null;
  readonly stashes: number;
  readonly tracked: readonly TrackedChange[];
  readonly untracked: readonly string[];
  /** Folders that hold a repository of their own; git would record them as a bare link. */
  readonly embedded: readonly string[];
}

export async function readStatus(
  root: string,
  untracked: "with-untracked" | "tracked-only",
): Promise<Status> {
  const { stdout } = await runGit(root, [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--show-stash",
    "--no-renames",
    // The commit a submodule stands on counts; what is inside it is another repository's matter.
    "--ignore-submodules=dirty",
    untracked === "with-untracked" ? "--untracked-files=all" : "--untracked-files=no",
  ]);
  return parseStatus(stdout);
}

function parseStatus(text: string): Status {
  const records = text.split("\0");
  const header = new Map<string, string>();
  const tracked: TrackedChange[] = [];
  const others: string[] = [];
  for (const record of records) {
    const kind = record[0];
    if (kind === "#") {
      const [, name = "", value = ""] = /^# (\S+) (.*)$/s.exec(record) ?? [];
      header.set(name, value);
    } else if (kind === "1" || kind === "u") {
      tracked.push(trackedChange(record));
    } else if (kind === "?") {
      others.push(record.slice(2));
    }
  }
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(header.get("branch.ab") ?? "") ?? [];
  const oid = header.get("branch.oid") ?? "(initial)";
  const branch = header.get("branch.head") ?? "(detached)";
  return {
    head: oid === "(initial)" ? null : oid,
    branch: branch === "(detached)" ? null : branch,
    upstream: header.get("branch.upstream") ?? null,
    aheadBehind: ahead === undefined ? null : { ahead: Number(ahead), behind: Number(behind) },
    stashes: Number(header.get("stash") ?? 0),
    tracked,
    untracked: others.filter((path) => !path.endsWith("/")),
    embedded: others.filter((path) => path.endsWith("/")),
  };
}

/** `1 XY sub mH mI mW hH hI path` and `u XY sub m1 m2 m3 mW h1 h2 h3 path`; a path may hold spaces. */
function trackedChange(record: string): TrackedChange {
  const fields = record.split(" ");
  const unmerged = fields[0] === "u";
  const [x, y] = fields[1] ?? "..";
  return {
    path: fields.slice(unmerged ? 10 : 8).join(" "),
    staged: unmerged || x !== ".",
    unstaged: unmerged || y !== ".",
    deleted: !unmerged && y === "D",
    unmerged,
    added: !unmerged && (x === "A" || y === "A"),
  };
}
