// Single files of the person's checkout, looked at without following links: which blob each would be.
import { readFileSync, readlinkSync } from "node:fs";
import { ofFile } from "../../core/words/system-error.ts";
import type { EntryChange, TreeEntry } from "../../git/diff-trees.ts";
import { entriesIn } from "../../git/index-file.ts";
import { objectId } from "../../git/object-id.ts";
import { readIfPossible } from "../base/durable-file.ts";
import { answersTo } from "../base/own-git.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import { factsOf, isReallyInside, onDisk, type RawPath } from "../base/raw-path.ts";

/** The entry that each file on disk would have; those that are not there are not in the map. */
export async function entriesOnDisk(
  person: PersonRepository,
  changes: readonly EntryChange[],
  idLength: number,
  mayConvert: boolean,
): Promise<Map<RawPath, TreeEntry>> {
  const found = new Map<RawPath, TreeEntry>();
  for (const { path } of changes) {
    const entry = entryOf(person.checkout, path, idLength);
    if (entry !== null) found.set(path, entry);
  }
  if (!mayConvert) return found;
  const files = [...found.keys()].filter(
    (path) => found.get(path)?.mode !== "120000" && !path.includes("\n"),
  );
  if (files.length === 0) return found;
  const ids = await answersTo(person.git, files.length, ["hash-object", "--stdin-paths"], {
    input: Buffer.from(files.map((path) => `${path}\n`).join(""), "latin1"),
  });
  files.forEach((path, at) => {
    found.set(path, { mode: found.get(path)?.mode ?? "", oid: ids[at] ?? "" });
  });
  return found;
}

function entryOf(checkout: string, path: RawPath, idLength: number): TreeEntry | null {
  if (!isReallyInside(checkout, path)) return null;
  const place = onDisk(checkout, path);
  const facts = factsOf(place);
  if (facts === null) return null;
  if (facts.isSymbolicLink()) {
    return { mode: "120000", oid: objectId("blob", readlinkSync(place, "buffer"), idLength) };
  }
  if (!facts.isFile()) return null;
  const mode = (facts.mode & 0o100n) === 0n ? "100644" : "100755";
  return {
    mode,
    oid: objectId(
      "blob",
      ofFile(String(place), () => readFileSync(place)),
      idLength,
    ),
  };
}

/** The person's index entries of these paths; flagged ones have a mode that equals no other. */
export async function entriesInIndex(
  person: PersonRepository,
  paths: ReadonlySet<RawPath>,
): Promise<Map<RawPath, TreeEntry>> {
  const found = new Map<RawPath, TreeEntry>();
  if (paths.size === 0) return found;
  const known = entriesOnFile(person, paths);
  if (known !== null) return known;
  // All of them are listed: a name that is no UTF-8 cannot be asked for.
  const { bytes } = await person.git.run(["ls-files", "-s", "-v", "-z"]);
  for (const record of bytes.toString("latin1").split("\0")) {
    const tab = record.indexOf("\t");
    const path = record.slice(tab + 1);
    if (tab === -1 || !paths.has(path)) continue;
    const [tag = "", mode = "", oid = "", stage = ""] = record.slice(0, tab).split(" ");
    const isPlain = tag === "H" && stage === "0";
    found.set(path, { mode: isPlain ? mode : `flagged ${tag} ${mode}`, oid });
  }
  return found;
}

/** Read from the file itself; null where only git can. */
function entriesOnFile(
  { folder, idLength }: PersonRepository,
  paths: ReadonlySet<RawPath>,
): Map<RawPath, TreeEntry> | null {
  const index = readIfPossible(folder.index);
  const entries = index && entriesIn(index, idLength(), paths);
  if (entries === null) return null;
  const found = new Map<RawPath, TreeEntry>();
  for (const [path, { mode, oid, stage, isSkipped: skipped, isAssumedUnchanged }] of entries) {
    const isPlain = stage === 0 && !skipped && !isAssumedUnchanged;
    const tag = stage > 0 ? "M" : skipped ? "S" : "h";
    found.set(path, { mode: isPlain ? mode : `flagged ${tag} ${mode}`, oid });
  }
  return found;
}

/** Unmerged, or git was told not to look at its file. */
export function isFlagged({ mode }: TreeEntry): boolean {
  return mode.startsWith("flagged");
}

export function isUnmerged({ mode }: TreeEntry): boolean {
  return mode.startsWith("flagged M");
}

/** Left out of the checkout, as in a sparse one. */
export function isSkipped({ mode }: TreeEntry): boolean {
  return mode.startsWith("flagged S");
}
