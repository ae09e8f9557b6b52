// Which processes are in the pid namespace of a child: everyone below the process that made it.
// Nobody leaves it, and who loses a parent inside becomes a child of its first process, so walking
// down finds the same as looking at every process of the machine, for a fraction of the reading.
import type { Family } from "./family.ts";
import { childrenOf, findProcess, type ProcessEntry } from "../process-table.ts";

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
