// A file system in memory that knows what was flushed. It answers one question: which disks can a
// machine wake up with, if it loses power now?
//
// Modelled
//  - Data: a write or truncation is pending until `fsync` of that file. After a crash any prefix of
//    the pending changes may be there, each one alone or missing, a write torn in the middle, and
//    an extension whose length arrived without its bytes (zeros, or what the block held before).
//  - Names: creating, linking, renaming, removing and mkdir are pending until `syncFolder` of that
//    folder. Up to four pending changes survive in any subset, more of them in every prefix and
//    every set with one missing or one alone. A rename within a folder is there or not, never half;
//    across folders the old name never goes without the new one coming.
//  - `fsync` of a file does not make its name durable, nor does `syncFolder` make contents durable.
//  - Hard links share one file; a name may survive whose file lost its content, and the reverse.
//  - A process that died (`SimulatedCrash`) does nothing any more: its cleanup fails as well.
//  - `sibling()` is another process on the same machine: same files, own descriptors, own death.
// Not modelled: permissions, symbolic links, rot of bytes that were flushed, a disk that lies about
// a flush, removing folders. States that combine many pending files are cut at `limit`: then every
// state is visited in which at most two files or folders differ from "nothing" or from "everything".
import { createHash } from "node:crypto";
import type { FileFacts, Files, OpenMode } from "../../src/store/files.ts";
import { systemError } from "./system-error.ts";

/** Thrown where the process dies. Neither an Error nor with a code, so that nobody translates it. */
export class SimulatedCrash {
  readonly operation: Operation | undefined;

  constructor(operation?: Operation) {
    this.operation = operation;
  }

  toString(): string {
    return this.operation === undefined
      ? "the simulated process is dead"
      : `simulated crash at operation ${this.operation.number}: ${this.operation.kind} ${this.operation.path}`;
  }
}

export interface Operation {
  readonly number: number;
  readonly kind:
    | "create"
    | "write"
    | "truncate"
    | "fsync"
    | "syncFolder"
    | "mkdir"
    | "link"
    | "rename"
    | "unlink";
  readonly path: string;
}

/** A disk as it may be found after a crash. Equal keys mean equal disks. */
export interface DiskState {
  readonly label: string;
  readonly key: string;
  readonly root: Folder;
}

type DataChange = { readonly write: Buffer; readonly at: number } | { readonly truncateTo: number };

interface File {
  readonly kind: "file";
  readonly id: number;
  bytes: Buffer;
  durable: Buffer;
  pending: DataChange[];
  version: number;
}

/** Sets and removes names of one folder at once; `undefined` removes. */
interface NameChange {
  readonly label: string;
  readonly set: ReadonlyMap<string, Node | undefined>;
  /** Must have survived as well, or be durable already, for this change to survive. */
  readonly after?: NameChange;
}

interface Folder {
  readonly kind: "folder";
  readonly id: number;
  names: Map<string, Node>;
  durable: Map<string, Node>;
  pending: NameChange[];
}

type Node = File | Folder;

interface OpenFile {
  readonly file: File;
  readonly path: string;
  readonly mode: OpenMode;
  position: number;
}

/** What the processes of one machine share. */
interface Machine {
  readonly root: Folder;
  nextId: number;
  durableChanges: WeakSet<NameChange>;
}

export class ModelFiles implements Files {
  readonly #machine: Machine;
  readonly #open = new Map<number, OpenFile>();
  #nextFd = 3;
  #count = 0;
  #dead = false;
  #crash: { readonly at: number; readonly when: "before" | "after" } | undefined;

  /** Called before every operation that changes something, while the process is still stopped at it. */
  beforeOperation: ((operation: Operation) => void) | undefined;

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** An empty disk with these folders on it, all durable. */
  static withFolders(...paths: string[]): ModelFiles {
    const root = newFolder(0);
    const machine = { root, nextId: 1, durableChanges: new WeakSet<NameChange>() };
    for (const path of paths) {
      let folder = root;
      for (const name of segments(path)) {
        const next = folder.names.get(name) ?? newFolder(machine.nextId++);
        if (next.kind !== "folder") throw systemError("ENOTDIR", "mkdir", path);
        folder.names.set(name, next);
        folder.durable.set(name, next);
        folder = next;
      }
    }
    return new ModelFiles(machine);
  }

  /** Boots a machine from the disk that a crash left. */
  static fromDisk(disk: DiskState): ModelFiles {
    const machine = { root: newFolder(0), nextId: 1, durableChanges: new WeakSet<NameChange>() };
    const copies = new Map<Node, Node>();
    const copy = (node: Node): Node => {
      const known = copies.get(node);
      if (known !== undefined) return known;
      if (node.kind === "file") {
        const file = { ...node, id: machine.nextId++, durable: node.bytes, pending: [] };
        copies.set(node, file);
        return file;
      }
      const folder = newFolder(machine.nextId++);
      copies.set(node, folder);
      for (const [name, child] of node.names) folder.names.set(name, copy(child));
      folder.durable = new Map(folder.names);
      return folder;
    };
    for (const [name, child] of disk.root.names) machine.root.names.set(name, copy(child));
    machine.root.durable = new Map(machine.root.names);
    return new ModelFiles(machine);
  }

  /** Another process on this machine. */
  sibling(): ModelFiles {
    return new ModelFiles(this.#machine);
  }

  /** How many operations that change something this process has begun. */
  get operations(): number {
    return this.#count;
  }

  /** Lets the process die before or after its operation number `n`, counted from now on. */
  crashAt(n: number, when: "before" | "after" = "before"): void {
    this.#crash = { at: this.#count + n, when };
  }

  /** Cancels a crash that has not come. */
  survive(): void {
    this.#crash = undefined;
  }

  /** The process is dead: every call from now on fails. */
  kill(): void {
    this.#dead = true;
  }

  open(path: string, mode: OpenMode): number {
    this.#living();
    const [folder, name] = this.#locate(path, "open");
    let node = folder.names.get(name);
    if (node?.kind === "folder") throw systemError("EISDIR", "open", path);
    if (node !== undefined && mode === "wx") throw systemError("EEXIST", "open", path);
    if (node === undefined) {
      if (mode !== "wx" && mode !== "a") throw systemError("ENOENT", "open", path);
      node = this.#act("create", path, () => {
        const created = newFile(this.#machine.nextId++);
        this.#rename(folder, `create ${name}`, new Map([[name, created]]));
        return created;
      });
    }
    const fd = this.#nextFd++;
    this.#open.set(fd, { file: node, path, mode, position: 0 });
    return fd;
  }

  write(fd: number, bytes: Uint8Array, offset: number, length: number): number {
    const open = this.#descriptor(fd, "write");
    if (open.mode === "r") throw systemError("EBADF", "write", open.path);
    return this.#act("write", open.path, () => {
      const at = open.mode === "a" ? open.file.bytes.length : open.position;
      const write = Buffer.from(bytes.subarray(offset, offset + length));
      change(open.file, { write, at });
      open.position = at + write.length;
      return write.length;
    });
  }

  read(fd: number): Buffer {
    return Buffer.from(this.#descriptor(fd, "read").file.bytes);
  }

  truncate(fd: number, size: number): void {
    const open = this.#descriptor(fd, "ftruncate");
    if (open.mode === "r") throw systemError("EINVAL", "ftruncate", open.path);
    this.#act("truncate", open.path, () => change(open.file, { truncateTo: size }));
  }

  fsync(fd: number): void {
    const { file, path } = this.#descriptor(fd, "fsync");
    this.#act("fsync", path, () => {
      file.durable = file.bytes;
      file.pending = [];
    });
  }

  close(fd: number): void {
    this.#descriptor(fd, "close");
    this.#open.delete(fd);
  }

  syncFolder(path: string): void {
    this.#living();
    const folder = this.#folder(path, "open");
    this.#act("syncFolder", path, () => {
      for (const pending of folder.pending) this.#machine.durableChanges.add(pending);
      folder.durable = new Map(folder.names);
      folder.pending = [];
    });
  }

  mkdir(path: string): void {
    this.#living();
    const [folder, name] = this.#locate(path, "mkdir");
    if (folder.names.has(name)) throw systemError("EEXIST", "mkdir", path);
    this.#act("mkdir", path, () => {
      this.#rename(folder, `mkdir ${name}`, new Map([[name, newFolder(this.#machine.nextId++)]]));
    });
  }

  link(existing: string, added: string): void {
    this.#living();
    const file = this.#node(existing, "link");
    if (file.kind === "folder") throw systemError("EPERM", "link", existing);
    const [folder, name] = this.#locate(added, "link");
    this.#act("link", added, () => {
      // The whole point of link: looking and adding are one step.
      if (folder.names.has(name)) throw systemError("EEXIST", "link", added);
      file.version++;
      this.#rename(folder, `link ${name}`, new Map([[name, file]]));
    });
  }

  rename(from: string, to: string): void {
    this.#living();
    const node = this.#node(from, "rename");
    const [source, oldName] = this.#locate(from, "rename");
    const [target, newName] = this.#locate(to, "rename");
    const replaced = target.names.get(newName);
    if (replaced?.kind === "folder" && node.kind === "file")
      throw systemError("EISDIR", "rename", to);
    this.#act("rename", to, () => {
      if (node.kind === "file") node.version++;
      if (replaced === node) return;
      const label = `rename ${oldName} to ${newName}`;
      if (source === target) {
        this.#rename(
          source,
          label,
          new Map([
            [oldName, undefined],
            [newName, node],
          ]),
        );
        return;
      }
      const arrival = this.#rename(target, label, new Map([[newName, node]]));
      this.#rename(source, label, new Map([[oldName, undefined]]), arrival);
    });
  }

  unlink(path: string): void {
    this.#living();
    const node = this.#node(path, "unlink");
    if (node.kind === "folder") throw systemError("EISDIR", "unlink", path);
    const [folder, name] = this.#locate(path, "unlink");
    this.#act("unlink", path, () => {
      node.version++;
      this.#rename(folder, `unlink ${name}`, new Map([[name, undefined]]));
    });
  }

  list(path: string): string[] {
    this.#living();
    return [...this.#folder(path, "scandir").names.keys()].toSorted();
  }

  stat(path: string): FileFacts | undefined {
    this.#living();
    let node: Node;
    try {
      node = this.#node(path, "stat");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    const size = node.kind === "file" ? node.bytes.length : 0;
    const version = node.kind === "file" ? node.version : 0;
    return { kind: node.kind, size, fingerprint: `${node.id}:${size}:${version}` };
  }

  /** The disk as it is now for everybody who is still running. */
  now(): DiskState {
    return snapshot(
      this.#machine.root,
      "as it was",
      (file) => file.bytes,
      (folder) => folder.names,
    );
  }

  /**
   * Every different disk that a crash may leave now. The first has nothing that was not flushed; the
   * disk as the running machine sees it, which is what a killed process leaves, is always among them.
   */
  crashStates(limit = 600): DiskState[] {
    const [files, folders] = dirtyNodes(this.#machine.root);
    const durable = this.#machine.durableChanges;
    const dirty: Dirty[] = [
      ...folders.map((folder): Dirty => ({
        node: folder,
        variants: survivingNames(folder, durable),
      })),
      ...files.map((file): Dirty => ({ node: file, variants: survivingContents(file) })),
    ];
    const states = new Map<string, DiskState>();
    for (const chosen of combinations(dirty, limit)) {
      const contents = new Map<Node, Variant>();
      dirty.forEach(({ node, variants }, i) =>
        contents.set(node, variants[chosen[i] ?? 0] as Variant),
      );
      const label = dirty.map((_, i) => dirty[i]?.variants[chosen[i] ?? 0]?.label).join("; ");
      const state = snapshot(
        this.#machine.root,
        label,
        (file) => contents.get(file)?.bytes ?? file.durable,
        (folder) => contents.get(folder)?.names ?? folder.durable,
      );
      if (!states.has(state.key)) states.set(state.key, state);
    }
    const untorn = this.now();
    if (!states.has(untorn.key)) states.set(untorn.key, untorn);
    return [...states.values()];
  }

  #living(): void {
    if (this.#dead) throw new SimulatedCrash();
  }

  #act<T>(kind: Operation["kind"], path: string, body: () => T): T {
    this.#living();
    const operation = { number: ++this.#count, kind, path };
    const dies = this.#crash?.at === operation.number;
    if (dies && this.#crash?.when === "before") this.#die(operation);
    this.beforeOperation?.(operation);
    this.#living();
    const result = body();
    if (dies) this.#die(operation);
    return result;
  }

  #die(operation: Operation): never {
    this.#dead = true;
    throw new SimulatedCrash(operation);
  }

  #descriptor(fd: number, call: string): OpenFile {
    this.#living();
    const open = this.#open.get(fd);
    if (open === undefined) throw systemError("EBADF", call, String(fd));
    return open;
  }

  #rename(
    folder: Folder,
    label: string,
    set: ReadonlyMap<string, Node | undefined>,
    after?: NameChange,
  ): NameChange {
    const added: NameChange = after === undefined ? { label, set } : { label, set, after };
    applyNames(folder.names, added);
    folder.pending.push(added);
    return added;
  }

  #node(path: string, call: string): Node {
    let node: Node = this.#machine.root;
    for (const name of segments(path)) {
      if (node.kind !== "folder") throw systemError("ENOTDIR", call, path);
      const next = node.names.get(name);
      if (next === undefined) throw systemError("ENOENT", call, path);
      node = next;
    }
    return node;
  }

  #folder(path: string, call: string): Folder {
    const node = this.#node(path, call);
    if (node.kind !== "folder") throw systemError("ENOTDIR", call, path);
    return node;
  }

  #locate(path: string, call: string): [Folder, string] {
    const names = segments(path);
    const name = names.pop();
    if (name === undefined) throw systemError("EEXIST", call, path);
    return [this.#folder(`/${names.join("/")}`, call), name];
  }
}

/** One way in which a dirty file or folder may survive. */
interface Variant {
  readonly label: string;
  readonly bytes?: Buffer;
  readonly names?: Map<string, Node>;
}

interface Dirty {
  readonly node: Node;
  /** The first survived nothing, the last everything. */
  readonly variants: readonly Variant[];
}

const ALL_SUBSETS_UP_TO = 4;

function survivingNames(folder: Folder, durable: WeakSet<NameChange>): Variant[] {
  const { pending } = folder;
  const variants = subsets(pending.length).map((kept) => {
    const names = new Map(folder.durable);
    const survived = pending.filter((_, i) => kept.has(i));
    for (const each of survived) applyNames(names, each);
    const labels = survived.map((each) => each.label).join(", ");
    return { label: labels === "" ? "no names" : labels, names, survived };
  });
  // The arrival lies in another folder and is chosen apart from this one. Only a departure whose
  // arrival is already durable may survive alone; the others are left out, which is the safe side:
  // the file is then found under both names.
  return variants
    .filter(({ survived }) =>
      survived.every(({ after }) => after === undefined || durable.has(after)),
    )
    .map(({ label, names }) => ({ label, names }));
}

function survivingContents(file: File): Variant[] {
  const { durable, pending } = file;
  const variants: Variant[] = [];
  const add = (label: string, changes: readonly DataChange[]): void => {
    variants.push({ label: `file ${file.id}: ${label}`, bytes: changes.reduce(applied, durable) });
  };
  for (let i = 0; i < pending.length; i++) {
    const before = pending.slice(0, i);
    const each = pending[i] as DataChange;
    add(`${i} of ${pending.length} changes`, before);
    if ("write" in each) {
      for (const torn of tornWrites(each.write)) {
        add(`change ${i + 1} ${torn.label}`, [...before, { write: torn.bytes, at: each.at }]);
      }
    }
    if (pending.length > 1) {
      add(`without change ${i + 1}`, pending.toSpliced(i, 1));
      add(`change ${i + 1} alone`, [each]);
    }
  }
  add("all changes", pending);
  return variants;
}

function tornWrites(bytes: Buffer): { label: string; bytes: Buffer }[] {
  const half = bytes.length >> 1;
  const zeros = Buffer.alloc(bytes.length);
  const stale = Buffer.alloc(bytes.length, "stale{}\n");
  return [
    { label: "cut after one byte", bytes: bytes.subarray(0, 1) },
    { label: "cut in the middle", bytes: bytes.subarray(0, half) },
    { label: "cut before its last byte", bytes: bytes.subarray(0, bytes.length - 1) },
    { label: "as zeros", bytes: zeros },
    {
      label: "with zeros at its end",
      bytes: Buffer.concat([bytes.subarray(0, half), zeros.subarray(half)]),
    },
    {
      label: "with zeros at its start",
      bytes: Buffer.concat([zeros.subarray(0, half), bytes.subarray(half)]),
    },
    {
      label: "with stale bytes at its end",
      bytes: Buffer.concat([bytes.subarray(0, half), stale.subarray(half)]),
    },
  ];
}

/** Index sets of what survives of `count` changes: first none, last all. */
function subsets(count: number): Set<number>[] {
  const everything = Array.from({ length: count }, (_, i) => i);
  if (count <= ALL_SUBSETS_UP_TO) {
    return Array.from(
      { length: 2 ** count },
      (_, bits) => new Set(everything.filter((i) => bits & (1 << i))),
    );
  }
  return [
    ...everything.map((i) => new Set(everything.slice(0, i))),
    ...everything.map((i) => new Set([i])),
    ...everything.map((i) => new Set(everything.toSpliced(i, 1))),
    new Set(everything),
  ];
}

/** Choices of one variant per dirty node: all of them, or those close to nothing and to everything. */
function* combinations(dirty: readonly Dirty[], limit: number): Generator<readonly number[]> {
  const sizes = dirty.map(({ variants }) => variants.length);
  const total = sizes.reduce((product, size) => product * size, 1);
  if (total <= limit) {
    for (let n = 0; n < total; n++) {
      let rest = n;
      yield sizes.map((size) => {
        const digit = rest % size;
        rest = (rest - digit) / size;
        return digit;
      });
    }
    return;
  }
  for (const extreme of [sizes.map(() => 0), sizes.map((size) => size - 1)]) {
    yield extreme;
    for (let a = 0; a < sizes.length; a++) {
      for (let i = 0; i < (sizes[a] ?? 0); i++) {
        yield extreme.with(a, i);
        for (let b = a + 1; b < sizes.length; b++) {
          for (let j = 0; j < (sizes[b] ?? 0); j++) yield extreme.with(a, i).with(b, j);
        }
      }
    }
  }
}

/** Everything reachable through names that are there or may be there again. */
function dirtyNodes(root: Folder): [File[], Folder[]] {
  const files: File[] = [];
  const folders: Folder[] = [];
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === "file") {
      if (node.pending.length > 0) files.push(node);
      return;
    }
    if (node.pending.length > 0) folders.push(node);
    for (const child of [...node.names.values(), ...node.durable.values()]) visit(child);
    for (const { set } of node.pending) for (const child of set.values()) if (child) visit(child);
  };
  visit(root);
  return [files, folders];
}

function snapshot(
  root: Folder,
  label: string,
  contentOf: (file: File) => Buffer,
  namesOf: (folder: Folder) => ReadonlyMap<string, Node>,
): DiskState {
  const copies = new Map<Node, Node>();
  const parts: string[] = [];
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
    const folder = newFolder(node.id);
    copies.set(node, folder);
    parts.push(`${path}/`);
    const names = [...namesOf(node)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, child] of names) folder.names.set(name, copy(child, `${path}/${name}`));
    return folder;
  };
  return { label, root: copy(root, "") as Folder, key: parts.join("\n") };
}

function change(file: File, added: DataChange): void {
  file.bytes = applied(file.bytes, added);
  file.pending.push(added);
  file.version++;
}

/** Contents are never changed in place, so that disks can share them. */
function applied(bytes: Buffer, added: DataChange): Buffer {
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

function applyNames(names: Map<string, Node>, { set }: NameChange): void {
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

function newFile(id: number): File {
  const empty = Buffer.alloc(0);
  return { kind: "file", id, bytes: empty, durable: empty, pending: [], version: 0 };
}

function newFolder(id: number): Folder {
  return { kind: "folder", id, names: new Map(), durable: new Map(), pending: [] };
}

function segments(path: string): string[] {
  if (!path.startsWith("/")) throw new Error(`the model knows absolute paths only: ${path}`);
  return path.split("/").filter((name) => name !== "");
}
