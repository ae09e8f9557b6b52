// The notes that evidence travels in, all of them by two processes of git: whoever wants many asks once.
import type { GitOptions, GitOutput } from "./run-git.ts";

/** Each is on the commit that it is about. */
export const NOTES_REF = "refs/notes/stint";

export type AskGit = (args: readonly string[], options?: GitOptions) => Promise<GitOutput>;

/** By the commit that they are on; none where there is no such ref. */
export async function allNotes(
  ask: AskGit,
  isWanted: (commit: string) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> {
  const listed = await ask(["ls-tree", "-r", "-z", NOTES_REF], { accept: "any" });
  if (listed.code !== 0) return new Map();
  const blobs = listed.stdout.split("\0").flatMap((record) => {
    const [, oid = "", path = ""] = /^100644 blob ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
    // Notes are filed by the digits of the commit, in folders of any depth.
    const commit = path.replaceAll("/", "");
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) && isWanted(commit)
      ? [{ commit, oid }]
      : [];
  });
  if (blobs.length === 0) return new Map();
  const input = blobs.map(({ oid }) => `${oid}\n`).join("");
  const { bytes } = await ask(["cat-file", "--batch"], { input });
  const contents = contentsOf(bytes);
  const notes = new Map<string, string>();
  blobs.forEach(({ commit }, index) => {
    const text = contents[index] ?? null;
    // Two that are filed in different depths are one note, as git reads them.
    if (text !== null) notes.set(commit, `${notes.get(commit) ?? ""}${text}`);
  });
  return notes;
}

/** The answer of `cat-file --batch`, in the order in which it was asked; null for what is not there. */
function contentsOf(bytes: Buffer): (string | null)[] {
  const contents: (string | null)[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0x0a, at);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(bytes.toString("latin1", at, end))?.[1];
    const start = end + 1;
    contents.push(size === undefined ? null : bytes.toString("utf8", start, start + Number(size)));
    at = size === undefined ? start : start + Number(size) + 1;
  }
  return contents;
}
