// What lies in the workspace, in git's words: what the index holds, what differs from it, what else is
// there and not ignored.
import type { TreeEntry } from "../../git/diff-trees.ts";
import { join } from "node:path";
import { failure } from "../../git/run-git.ts";
import { readIfThere } from "../disk/durable-file.ts";
import { type Git, warningsOf } from "../repository/own-git.ts";
import { isBelow, type RawPath, splitRecords } from "../disk/raw-path.ts";

export interface Listing {
  readonly tracked: ReadonlyMap<RawPath, TreeEntry>;
  /** In the index, and other or gone on disk. Empty unless asked for. */
  readonly changed: readonly RawPath[];
  /** Neither in the index nor ignored nor aside; a repository of its own ends in `/`. */
  readonly others: readonly RawPath[];
  /** The paths aside that git would see. */
  readonly asideInSight: readonly RawPath[];
  /** Files and folders that could not be looked into. */
  readonly unreadable: readonly RawPath[];
}

export async function listTree(
  git: Git,
  aside: readonly RawPath[],
  look: "with-changes" | "plain",
): Promise<Listing> {
  const changes = look === "with-changes" ? ["-m", "-d"] : [];
  const args = ["ls-files", "-z", "-s", "-t", "-c", ...changes, "-o", "--exclude-standard"];
  const { bytes, stderr } = await git.run(args);
  const tracked = new Map<RawPath, TreeEntry>();
  const changed = new Set<RawPath>();
  const seen: RawPath[] = [];
  for (const record of splitRecords(bytes)) {
    if (record.startsWith("? ")) seen.push(record.slice(2));
    else readEntry(record, tracked, changed);
  }
  if (tracked.size === 0 && countInIndex(git) > 0) {
    throw failure(git.gitDir, args, "it said nothing of an index that has entries", stderr);
  }
  const others = seen.filter((path) => !isBelow(path, aside));
  // Git complains about being told to leave out what it would not look at.
  const all = [...tracked.keys(), ...seen];
  const asideInSight = aside.filter((path) => all.some((each) => isBelow(each, [path])));
  return {
    tracked,
    changed: [...changed],
    others,
    asideInSight,
    unreadable: unreadablePaths(git, stderr),
  };
}

/** As the header of the file says, without asking git. */
function countInIndex({ gitDir }: Git): number {
  const bytes = readIfThere(join(gitDir, "index"));
  return bytes === null || bytes.length < COUNT_AT + 4 ? 0 : bytes.readUInt32BE(COUNT_AT);
}

const COUNT_AT = 8;

const MODE_AT = 2;
const MODE_LENGTH = 6;

/** As "H 100644 <id> 0<tab>path". There may be fifty thousand of them. */
function readEntry(record: string, tracked: Map<RawPath, TreeEntry>, changed: Set<RawPath>): void {
  const tag = record[0];
  const mode = record.slice(MODE_AT, MODE_AT + MODE_LENGTH);
  const oidAt = MODE_AT + MODE_LENGTH + 1;
  const oid = record.slice(oidAt, record.indexOf(" ", oidAt));
  const path = record.slice(record.indexOf("\t", oidAt) + 1);
  tracked.set(path, { mode, oid });
  if (tag === "C" || tag === "R") changed.add(path);
}

/** How git names a folder, a file in a closed folder, and a file that it could not open. */
const DENIED = [
  /^warning: could not open directory '(.*)\/': Permission denied$/,
  /^error: cannot lstat '(.*)\/[^/]*': Permission denied$/,
  /^error: open\("(.*)"\): Permission denied$/,
];

/** Anything else that git warns about is a failure. */
function unreadablePaths(git: Git, stderr: string): RawPath[] {
  const lines = warningsOf(Buffer.from(stderr, "utf8").toString("latin1"));
  const found = lines.map((line) => {
    const path = DENIED.map((pattern) => pattern.exec(line)?.[1]).find(
      (each) => each !== undefined,
    );
    if (path !== undefined) return path;
    throw failure(git.gitDir, ["ls-files"], "it left something out", stderr);
  });
  return [...new Set(found)];
}
