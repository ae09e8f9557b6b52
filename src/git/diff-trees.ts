// The difference of two trees, entry by entry, as git stores it.

export interface TreeEntry {
  /** Octal, as git writes it: 100644, 100755, 120000 (symlink), 160000 (submodule); 000000 absent. */
  readonly mode: string;
  readonly oid: string;
}

export function isSameEntry(one: TreeEntry, other: TreeEntry): boolean {
  return one.mode === other.mode && one.oid === other.oid;
}

export interface EntryChange {
  readonly path: string;
  /** A added, D deleted, M modified, T another type, R moved, U in conflict. */
  readonly status: string;
  /** Where a moved file was. */
  readonly from?: string;
  readonly before: TreeEntry;
  readonly after: TreeEntry;
}

export const ABSENT = "000000";
export const SUBMODULE = "160000";

const EMPTY_TREES: Record<number, string> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** The tree without files, in the object format of an id of the same repository. */
export function emptyTreeLike(oid: string): string {
  return EMPTY_TREES[oid.length] ?? "";
}

/** What `diff-tree -r -z --raw` prints. */
export function parseRawDiff(text: string): EntryChange[] {
  const fields = text.split("\0");
  const changes: EntryChange[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const [oldMode = "", newMode = "", oldOid = "", newOid = "", status = ""] = (fields[at++] ?? "")
      .slice(1)
      .split(" ");
    const from = status.startsWith("R") ? fields[at++] : undefined;
    changes.push({
      path: fields[at++] ?? "",
      status: status[0] ?? "",
      ...(from === undefined ? {} : { from }),
      before: { mode: oldMode, oid: oldOid },
      after: { mode: newMode, oid: newOid },
    });
  }
  return changes;
}
