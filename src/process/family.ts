// Which processes belong to a child: the ones under it, the ones that carry its variable, and every one
// that was seen to belong to it before. Never this process, nor one that this process is under.
import {
  childrenOf,
  findProcess,
  type ProcessEntry,
  strippedIn,
  thisMachine,
} from "./process-table.ts";

export interface Kin {
  /** The child itself: pid and start time. */
  readonly root?: { readonly pid: number; readonly start: string };
  /** Whether members of the root's process group and session belong, also after the root has ended. */
  readonly group: boolean;
  /** A folder of Stint's own where only children work; who was started there later and hides where it is from belongs. */
  readonly folder?: string | undefined;
  /** Beginnings of variables that only descendants have. */
  readonly variables: readonly string[];
}

export class Family {
  readonly #kin: Kin;
  readonly #table = thisMachine();
  readonly #seen = new Map<number, string>();

  constructor(kin: Kin) {
    this.#kin = kin;
    if (kin.root !== undefined) this.#seen.set(kin.root.pid, kin.root.start);
  }

  /** Everyone alive. Who was found once is known by pid and start time from then on. */
  members(): ProcessEntry[] {
    // Marks are looked for first: whoever is in this list and not in the next has ended.
    return this.#find(this.#table.carriers(this.#kin.variables), this.#kin.folder);
  }

  /** Remembers who is under the child now, before they lose their parent; cheaper than `members`. */
  remember(): void {
    this.#find(new Set());
  }

  #find(carriers: ReadonlySet<number>, folder?: string): ProcessEntry[] {
    const everyone = this.#table.list();
    const stripped = folder === undefined ? new Set() : strippedIn(folder, this.#later(everyone));
    const spared = lineOf(process.pid, everyone);
    const group = this.#groupIn(everyone);
    const isOwn = (entry: ProcessEntry): boolean =>
      this.#seen.get(entry.pid) === entry.start ||
      carriers.has(entry.pid) ||
      stripped.has(entry.pid) ||
      (group !== undefined && (entry.group === group || entry.session === group));
    const found = withDescendants(everyone.filter(isOwn), everyone, spared);
    for (const { pid, start } of found) this.#seen.set(pid, start);
    return found.filter((entry) => !entry.zombie);
  }

  /** Who was started after the root. */
  #later(everyone: readonly ProcessEntry[]): ProcessEntry[] {
    const since = Number(this.#kin.root?.start);
    return everyone.filter(({ start }) => Number(start) >= since);
  }

  /** The group's number stays taken while it has members, unless another process has it now. */
  #groupIn(everyone: readonly ProcessEntry[]): number | undefined {
    const { root, group } = this.#kin;
    if (root === undefined || !group) return undefined;
    const holder = everyone.find((entry) => entry.pid === root.pid);
    return holder === undefined || holder.start === root.start ? root.pid : undefined;
  }
}

/** A process and everything it is under. */
function lineOf(pid: number, everyone: readonly ProcessEntry[]): Set<number> {
  const parents = new Map(everyone.map((entry) => [entry.pid, entry.parent]));
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !line.has(at); at = parents.get(at)) {
    line.add(at);
  }
  return line;
}

/** Parents come before their children, so that an agent gets a signal before its tools do. */
function withDescendants(
  first: readonly ProcessEntry[],
  everyone: readonly ProcessEntry[],
  spared: ReadonlySet<number>,
): ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of everyone) {
    const siblings = children.get(entry.parent);
    if (siblings === undefined) children.set(entry.parent, [entry]);
    else siblings.push(entry);
  }
  const below = (from: readonly ProcessEntry[]): Map<number, ProcessEntry> => {
    const found = new Map<number, ProcessEntry>();
    const open = [...from];
    for (const entry of open) {
      if (found.has(entry.pid) || spared.has(entry.pid)) continue;
      found.set(entry.pid, entry);
      open.push(...(children.get(entry.pid) ?? []));
    }
    return found;
  };
  const found = below(first);
  const tops = [...found.values()].filter((entry) => !found.has(entry.parent));
  return [...below(tops).values()];
}

/**
 * Which processes are in the pid namespace of a child: everyone below the process that made it.
 * Nobody leaves it, and who loses a parent inside becomes a child of its first process, so walking
 * down finds the same as looking at every process of the machine, for a fraction of the reading.
 */
export class NamespaceFamily {
  readonly #everywhere: Family;
  /** Pid and start time of who was found before: the maker, and then those inside. */
  readonly #seen = new Map<number, string>();

  constructor(root: { readonly pid: number; readonly start: string }, everywhere: Family) {
    this.#seen.set(root.pid, root.start);
    this.#everywhere = everywhere;
  }

  /** Everyone alive, parents before their children. */
  members(): readonly ProcessEntry[] {
    const found = new Map<number, ProcessEntry>();
    const open = [...this.#seen].flatMap(([pid, start]) => {
      const entry = findProcess(pid);
      return entry?.start === start ? [entry] : [];
    });
    for (const entry of open) {
      if (found.has(entry.pid)) continue;
      found.set(entry.pid, entry);
      const children = childrenOf(entry.pid);
      // This system does not tell them: the long way.
      if (children === undefined) return this.#everywhere.members();
      open.push(...children.flatMap((pid) => findProcess(pid) ?? []));
    }
    for (const { pid, start } of found.values()) this.#seen.set(pid, start);
    // Its maker was ended from outside before anyone inside was known.
    if (found.size === 0 && this.#seen.size === 1) return this.#everywhere.members();
    return [...found.values()].filter((entry) => !entry.zombie);
  }
}
