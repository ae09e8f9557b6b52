// Files and folders of the modelled machine: what everybody sees, what is on the disk, and the
// changes in between.
import { createHash } from "node:crypto";

export type DataChange =
  | { readonly write: Buffer; readonly at: number }
  | { readonly truncateTo: number };

export interface File {
  readonly kind: "file";
  readonly id: number;
  bytes: Buffer;
  durable: Buffer;
  pending: DataChange[];
  version: number;
}

/** Sets and removes names of one folder at once; `undefined` removes. */
export interface NameChange {
  readonly label: string;
  readonly set: ReadonlyMap<string, Node | undefined>;
  /** Must have survived as well, or be durable already, for this change to survive. */
  readonly after?: NameChange;
}

export interface Folder {
  readonly kind: "folder";
  readonly id: number;
  names: Map<string, Node>;
  durable: Map<string, Node>;
  pending: NameChange[];
}

export type Node = File | Folder;

/** A disk as it may be found after a crash. Equal keys mean equal disks. */
export interface DiskState {
  readonly label: string;
  readonly key: string;
  readonly root: Folder;
}

/** Copies a tree with the chosen content of every file and folder; hard links stay hard links. */
export function snapshot(
  root: Folder,
  label: string,
  contentOf: (file: File) => Buffer,
  namesOf: (folder: Folder) => ReadonlyMap<string, Node>,
): DiskState {
  const copies = new Map<Node, Node>();
  const parts: string[] = [];
  const copyFolder = (original: Folder, path: string): Folder => {
    const folder = newFolder(original.id);
    copies.set(original, folder);
    parts.push(`${path}/`);
    const names = [...namesOf(original)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, child] of names) folder.names.set(name, copy(child, `${path}/${name}`));
    return folder;
  };
  const copy = (node: Node, path: string): Node => {
    const known = copies.get(node);
    if (known !== undefined) {
      parts.push(`${path} = ${[...copies.keys()].indexOf(node)}`);
      return known;
    }
    if (node.kind === "file") {
      const bytes = contentOf(node);
      const file = { ...newFile(node.id), bytes, durable: bytes, version: node.version };
      copies.set(node, file);
      parts.push(`${path} ${digest(bytes)}`);
      return file;
    }
    return copyFolder(node, path);
  };
  return { label, root: copyFolder(root, ""), key: parts.join("\n") };
}

export function change(file: File, added: DataChange): void {
  file.bytes = applied(file.bytes, added);
  file.pending.push(added);
  file.version++;
}

/** Contents are never changed in place, so that disks can share them. */
export function applied(bytes: Buffer, added: DataChange): Buffer {
  if ("truncateTo" in added) {
    return resized(bytes, added.truncateTo);
  }
  const result = Buffer.from(resized(bytes, Math.max(bytes.length, added.at + added.write.length)));
  added.write.copy(result, added.at);
  return result;
}

function resized(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return bytes.subarray(0, size);
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
}

export function applyNames(names: Map<string, Node>, { set }: NameChange): void {
  for (const [name, node] of set) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}

const digests = new WeakMap<Buffer, string>();

function digest(bytes: Buffer): string {
  let known = digests.get(bytes);
  if (known === undefined) {
    known = createHash("sha1").update(bytes).digest("base64");
    digests.set(bytes, known);
  }
  return known;
}

export function newFile(id: number): File {
  const empty = Buffer.alloc(0);
  return { kind: "file", id, bytes: empty, durable: empty, pending: [], version: 0 };
}

export function newFolder(id: number): Folder {
  return { kind: "folder", id, names: new Map(), durable: new Map(), pending: [] };
}
