// The names of tasks, written or derived, and what `after:` makes of them.
import { nearMiss } from "../core/words/edit-distance.ts";
import { parseSlug, slugify, type Slug } from "../core/ids.ts";
import { errorAt, type Problem } from "./problem.ts";

/** A name may be set off: `**login** - …`, "`login`: …", `**login:** …`. */
const WRITTEN_NAME =
  /^([*_`]{0,2})([a-z0-9]+(?:-[a-z0-9]+)*)(?:\1(?:\s+[-–—]\s+|:\s+)|:\1\s+)(\S.*)$/s;

export interface NamedTitle {
  readonly name: string | undefined;
  readonly title: string;
}

export function splitName(text: string): NamedTitle {
  const match = WRITTEN_NAME.exec(text);
  const name = match?.[2] === undefined ? undefined : parseSlug(match[2]);
  return name === undefined || match?.[3] === undefined
    ? { name: undefined, title: text }
    : { name, title: match[3] };
}

/** One name per title, in order; a name already taken gets -2, -3 and so on. */
export function nameTasks(titles: readonly NamedTitle[]): string[] {
  const taken = new Set<string>();
  const lastNumber = new Map<string, number>();
  // Written names go first, so that a derived one never pushes a written one aside.
  const names: (string | undefined)[] = titles.map(({ name }) => {
    if (name === undefined || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
  return names.map((given, index) => {
    if (given !== undefined) return given;
    const base =
      titles[index]?.name ?? slugify(titles[index]?.title ?? "", numberedName(index + 1));
    let name = base;
    for (let n = lastNumber.get(base) ?? 2; taken.has(name); n++) {
      name = `${base}-${n}`;
      lastNumber.set(base, n + 1);
    }
    taken.add(name);
    return name;
  });
}

function numberedName(n: number): Slug {
  const name = parseSlug(`task-${n}`);
  if (name === undefined) throw new Error(`task-${n} is not a slug`);
  return name;
}

interface Dependent {
  readonly name: string;
  readonly explicitId: string | undefined;
  readonly after: { readonly value: string; readonly line: number } | undefined;
}

/**
 * `after:` names to positions, and the proof that the order they ask for exists. Per task its dependencies by
 * position; undefined means every task above.
 */
export function resolveAfter(
  tasks: readonly Dependent[],
  problems: Problem[],
): (readonly number[] | undefined)[] {
  const positions = new Map<string, number>();
  // Ids are set last: where a name and an id are equal, the id was chosen on purpose.
  for (const [index, task] of tasks.entries()) positions.set(task.name, index);
  for (const [index, task] of tasks.entries()) {
    if (task.explicitId !== undefined) positions.set(task.explicitId, index);
  }
  const resolved = tasks.map((task, index) => readAfter(task, index, positions, problems));
  const cycle = findCycle(resolved);
  if (cycle !== undefined) problems.push(cycleProblem(tasks, cycle));
  return resolved;
}

function readAfter(
  { name: own, after }: Dependent,
  index: number,
  positions: ReadonlyMap<string, number>,
  problems: Problem[],
): number[] | undefined {
  if (after === undefined) return undefined;
  const found = `- after: ${after.value}`;
  const words = after.value.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 1 && words[0]?.toLowerCase() === "none") return [];
  const other = [...positions.keys()].find((name) => name !== own) ?? "none";
  const form = { example: `- after: ${other}`, sample: true } as const;
  if (words.length === 0) {
    const message = "after names the tasks to wait for, or none";
    problems.push(
      errorAt(after.line, "bad-after", { message, ...form, found: "- after: (nothing)" }),
    );
  }
  const result = new Set<number>();
  const unknown: string[] = [];
  for (const word of words) {
    const position = positions.get(word.toLowerCase());
    if (position === undefined) {
      unknown.push(word);
    } else if (position === index) {
      const message = `the task "${own}" waits for itself`;
      problems.push(errorAt(after.line, "after-itself", { message, ...form, found }));
    } else {
      result.add(position);
    }
  }
  if (unknown.length > 0) {
    const { advice, meant } = adviceOn(unknown, after.value, [...positions.keys()]);
    const named = unknown.map((word) => `"${word}"`).join(", ");
    problems.push(
      errorAt(after.line, "bad-after", {
        message: `after names ${named}, and no task has that name or id${advice}`,
        ...(meant === undefined ? form : { example: `- after: ${meant}` }),
        found,
      }),
    );
  }
  return [...result].toSorted((a, b) => a - b);
}

/** A correction only where each of the words is nearly a name; too short a word is near to many. */
function adviceOn(
  unknown: readonly string[],
  value: string,
  names: readonly string[],
): { readonly advice: string; readonly meant?: string } {
  if (unknown.some((word) => /^t\d+$/i.test(word))) {
    return { advice: "; ids that Stint gave cannot be used here" };
  }
  const near = unknown.map((word) =>
    word.length < 3 ? undefined : nearMiss(word.toLowerCase(), names),
  );
  if (near.includes(undefined)) return { advice: "" };
  const meant = unknown.reduce((text, word, at) => text.replace(word, near[at] ?? word), value);
  return { advice: `; did you mean ${near.join(", ")}?`, meant };
}

/**
 * Positions on a cycle, in order. A task without `after:` waits for every task above it; one extra
 * node per position that stands for "all up to here" keeps the number of edges linear.
 */
function findCycle(after: readonly (readonly number[] | undefined)[]): number[] | undefined {
  const count = after.length;
  const isBackwardOnly = after.every((list, index) => (list ?? []).every((other) => other < index));
  if (isBackwardOnly) return undefined;
  const edgesOf = (node: number): readonly number[] => {
    if (node >= count) return node === count ? [0] : [node - 1, node - count];
    const own = after[node];
    if (own !== undefined) return own;
    return node === 0 ? [] : [count + node - 1];
  };
  const state = new Uint8Array(2 * count);
  for (let root = 0; root < count; root++) {
    if (state[root] !== 0) continue;
    const path: { node: number; next: number }[] = [{ node: root, next: 0 }];
    state[root] = 1;
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = edgesOf(top.node)[top.next++];
      if (target === undefined) {
        state[top.node] = 2;
        path.pop();
      } else if (state[target] === 1) {
        const start = path.findIndex((step) => step.node === target);
        return path
          .slice(start)
          .map((step) => step.node)
          .filter((node) => node < count);
      } else if (state[target] === 0) {
        state[target] = 1;
        path.push({ node: target, next: 0 });
      }
    }
  }
  return undefined;
}

function cycleProblem(tasks: readonly Dependent[], cycle: readonly number[]): Problem {
  const names = cycle.map((index) => tasks[index]?.name ?? "");
  const shown = names.length > 6 ? [...names.slice(0, 5), "…"] : names;
  // The task to change is one that wrote `after:`; without one there is no cycle.
  const at = cycle.map((index) => tasks[index]).find((task) => task?.after !== undefined);
  return errorAt(at?.after?.line ?? 1, "after-cycle", {
    message: `tasks wait for each other: ${[...shown, names[0]].join(" → ")}; a task without after: waits for every task above it`,
    example: "- after: none",
    sample: true,
    found: `- after: ${at?.after?.value ?? ""}`,
  });
}
