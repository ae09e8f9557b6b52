// What of the pending changes may be on the disk after a crash, file by file and folder by folder.
import {
  applied,
  applyNames,
  type DataChange,
  type DiskState,
  type File,
  type Folder,
  type NameChange,
  type Node,
  snapshot,
} from "./model-disk.ts";

/** Every different disk that a crash may leave; the first has nothing that was not flushed. */
export function crashStatesOf(
  root: Folder,
  durableChanges: WeakSet<NameChange>,
  limit: number,
): DiskState[] {
  const [files, folders] = dirtyNodes(root);
  const dirty: Dirty[] = [
    ...folders.map((folder): Dirty => ({
      node: folder,
      variants: survivingNames(folder, durableChanges),
    })),
    ...files.map((file): Dirty => ({ node: file, variants: survivingContents(file) })),
  ];
  const states = new Map<string, DiskState>();
  for (const chosen of combinations(dirty, limit)) {
    const contents = new Map(chosen.map((choice) => [choice.node, choice.variant]));
    const state = snapshot(
      root,
      chosen.map(({ variant }) => variant.label).join("; "),
      (file) => contents.get(file)?.bytes ?? file.durable,
      (folder) => contents.get(folder)?.names ?? folder.durable,
    );
    if (!states.has(state.key)) states.set(state.key, state);
  }
  return [...states.values()];
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
  for (const [i, each] of pending.entries()) {
    const before = pending.slice(0, i);
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

interface Choice {
  readonly node: Node;
  readonly variant: Variant;
}

/** Choices of one variant per dirty node: all of them, or those close to nothing and to everything. */
function* combinations(dirty: readonly Dirty[], limit: number): Generator<readonly Choice[]> {
  const choices = dirty.map(({ node, variants }) =>
    variants.map((variant): Choice => ({ node, variant })),
  );
  if (choices.reduce((total, { length }) => total * length, 1) <= limit) {
    yield* product(choices);
    return;
  }
  for (const end of [0, -1]) {
    const extreme = choices.flatMap((each) => each.at(end) ?? []);
    yield extreme;
    for (const [i, each] of choices.entries()) {
      for (const choice of each) yield extreme.with(i, choice);
    }
  }
}

function* product(choices: readonly (readonly Choice[])[]): Generator<readonly Choice[]> {
  const [first, ...others] = choices;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const choice of first) for (const rest of product(others)) yield [choice, ...rest];
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
