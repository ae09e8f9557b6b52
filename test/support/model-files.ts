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
// a flush, removing folders. Where the combinations of pending files and folders exceed `limit`, every
// state is visited in which at most one of them differs from "nothing" or from "everything".
import type { FileFacts, Files, OpenMode } from "../../src/store/files.ts";
import { crashStatesOf } from "./crash-states.ts";
import {
  applyNames,
  change,
  type DiskState,
  type File,
  type Folder,
  type NameChange,
  newFile,
  newFolder,
  type Node,
  snapshot,
} from "./model-disk.ts";
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

interface OpenFile {
  readonly file: File;
  readonly path: string;
  readonly mode: OpenMode;
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
      if (mode !== "wx") throw systemError("ENOENT", "open", path);
      node = this.#act("create", path, () => {
        const created = newFile(this.#machine.nextId++);
        this.#rename(folder, `create ${name}`, new Map([[name, created]]));
        return created;
      });
    }
    const fd = this.#nextFd++;
    this.#open.set(fd, { file: node, path, mode });
    return fd;
  }

  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    const open = this.#descriptor(fd, "write");
    if (open.mode === "r") throw systemError("EBADF", "write", open.path);
    return this.#act("write", open.path, () => {
      const write = Buffer.from(bytes.subarray(offset, offset + length));
      change(open.file, { write, at: position });
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

  /** The model has no symbolic links. */
  realPath(path: string): string {
    return path;
  }

  list(path: string): string[] {
    this.#living();
    return [...this.#folder(path, "scandir").names.keys()].toSorted();
  }

  stat(path: string): FileFacts | undefined {
    this.#living();
    const node = this.#lookUp(path, "stat");
    if (node === undefined) return undefined;
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

  /** The disk with nothing that was not flushed. */
  flushed(): DiskState {
    return snapshot(
      this.#machine.root,
      "only what was flushed",
      (file) => file.durable,
      (folder) => folder.durable,
    );
  }

  /**
   * Every different disk that a crash may leave now. The first has nothing that was not flushed; the
   * disk as the running machine sees it, which is what a killed process leaves, is always among them.
   */
  crashStates(limit = 200): DiskState[] {
    const states = crashStatesOf(this.#machine.root, this.#machine.durableChanges, limit);
    const untorn = this.now();
    return states.some(({ key }) => key === untorn.key) ? states : [...states, untorn];
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

  #lookUp(path: string, call: string): Node | undefined {
    let node: Node = this.#machine.root;
    for (const name of segments(path)) {
      if (node.kind !== "folder") throw systemError("ENOTDIR", call, path);
      const next = node.names.get(name);
      if (next === undefined) return undefined;
      node = next;
    }
    return node;
  }

  #node(path: string, call: string): Node {
    const node = this.#lookUp(path, call);
    if (node === undefined) throw systemError("ENOENT", call, path);
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

function segments(path: string): string[] {
  if (!path.startsWith("/")) throw new Error(`the model knows absolute paths only: ${path}`);
  return path.split("/").filter((name) => name !== "");
}
