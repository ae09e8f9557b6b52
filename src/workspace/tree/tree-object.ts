// A tree as git stores it: its entries, and the same tree with one of them another.

export interface StoredEntry {
  /** Without leading zeros, as git writes it there. */
  readonly mode: string;
  /** One character per byte. */
  readonly name: string;
  readonly oid: string;
}

export const FOLDER = "40000";

export function parseTree(content: Buffer, idLength: number): StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, space);
    const end = nul + 1 + idLength / 2;
    entries.push({
      mode: content.toString("latin1", at, space),
      name: content.toString("latin1", space + 1, nul),
      oid: content.toString("hex", nul + 1, end),
    });
    at = end;
  }
  return entries;
}

/** An entry that is there gets another content. Null where it is not there. */
export function withEntry(content: Buffer, entry: StoredEntry): Buffer | null {
  const entries = parseTree(content, entry.oid.length);
  const at = entries.findIndex(({ name }) => name === entry.name);
  if (at < 0 || entries[at]?.mode === FOLDER) return null;
  return Buffer.concat(entries.with(at, entry).map(storedBytes));
}

function storedBytes({ mode, name, oid }: StoredEntry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(oid, "hex")]);
}
