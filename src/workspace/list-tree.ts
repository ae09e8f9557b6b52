// What lies in the workspace, in git's words: what the index holds, what differs from it, what else is
// there and not ignored.
import type { TreeEntry } from "../git/diff-trees.ts";
import { failure } from "../git/run-git.ts";
import { type Git, warningsOf } from "./own-git.ts";
import { type RawPath, splitRecords } from "./raw-path.ts";

export interface Listing {
  readonly tracked: ReadonlyMap<RawPath, TreeEntry>;
  /** In the index, and other or gone on disk. Empty unless asked for. */
  readonly changed: readonly RawPath[];
  /** Neither in the index nor ignored; a repository of its own ends in `/`. */
  readonly others: readonly RawPath[];
  /** Folders that could not be looked into. */
  readonly unreadable: readonly RawPath[];
}

export async function listTree(
  git: Git,
  aside: readonly RawPath[],
  look: "with-changes" | "plain",
): Promise<Listing> {
  const changes = look === "with-changes" ? ["-m", "-d"] : [];
  // On the command line they weigh more than any ignore file, which a session could have written.
  const excluded = aside.map((path) => `--exclude=${pattern(path)}`);
  const args = ["ls-files", "-z", "-s", "-t", "-c", ...changes, "-o"];
  const { bytes, stderr } = await git.run([...args, ...excluded, "--exclude-standard"]);
  const tracked = new Map<RawPath, TreeEntry>();
  const changed = new Set<RawPath>();
  const others: RawPath[] = [];
  for (const record of splitRecords(bytes)) {
    if (record.startsWith("? ")) others.push(record.slice(2));
    else readEntry(record, tracked, changed);
  }
  return { tracked, changed: [...changed], others, unreadable: unreadableFolders(git, stderr) };
}

function readEntry(record: string, tracked: Map<RawPath, TreeEntry>, changed: Set<RawPath>): void {
  const tab = record.indexOf("\t");
  const [tag = "", mode = "", oid = ""] = record.slice(0, tab).split(" ");
  const path = record.slice(tab + 1);
  tracked.set(path, { mode, oid });
  if (tag === "C" || tag === "R") changed.add(path);
}

/** Anything else that git warns about is a failure. */
function unreadableFolders(git: Git, stderr: string): RawPath[] {
  return warningsOf(Buffer.from(stderr, "utf8").toString("latin1")).map((line) => {
    const folder = /^warning: could not open directory '(.*)\/': Permission denied$/.exec(
      line,
    )?.[1];
    if (folder !== undefined) return folder;
    throw failure(git.gitDir, ["ls-files"], "it left something out", stderr);
  });
}

/** An ignore pattern for exactly this path. */
function pattern(path: RawPath): string {
  const text = Buffer.from(path, "latin1").toString("utf8").replace(/\/$/, "");
  return `/${text.replace(/[\\*?[\]!#]/g, String.raw`\$&`).replace(/ $/, String.raw`\ `)}`;
}
