// Tasks as a tree: each chunk below the task that it is a part of, and the bounds of each with what is used and left.
import type { StatusView } from "../core/schema/views.ts";

type Bounds = NonNullable<StatusView["tasks"][number]["bounds"]>;

interface InTree {
  readonly id: StatusView["tasks"][number]["id"];
  readonly chunk_of?: InTree["id"] | undefined;
}

export interface Branch<T> {
  readonly task: T;
  /** 0 for a task of the manifest, and where its task is not shown. */
  readonly depth: number;
}

/** Chunks are done before their task and stand before it in every list; in a tree they stand below it. */
export function inTree<T extends InTree>(tasks: readonly T[]): readonly Branch<T>[] {
  const shown = new Set(tasks.map(({ id }) => id));
  const isRoot = ({ chunk_of }: T): boolean => chunk_of === undefined || !shown.has(chunk_of);
  const below = (task: T, depth: number): Branch<T>[] => [
    { task, depth },
    ...tasks
      .filter(({ chunk_of }) => chunk_of === task.id)
      .flatMap((chunk) => below(chunk, depth + 1)),
  ];
  return tasks.filter(isRoot).flatMap((task) => below(task, 0));
}

/** What a row of the tree begins with. */
export function branchSign(depth: number): string {
  return depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `;
}

const WORDS = { tasks: "tasks", files: "files", new_files: "new", moves: "moves" } as const;
const KEYS = Object.keys(WORDS) as (keyof typeof WORDS)[];

/** Two short lines: how much of each bound, and then what is left of it. */
export function boundsLines(bounds: Bounds): string[] {
  const isMeasured = bounds.files.used !== null;
  const counts = KEYS.map((key) => {
    const { limit, planned, used } = bounds[key];
    return `${used ?? planned}/${limit} ${WORDS[key]}`;
  });
  const each = (what: "planned" | "left"): string =>
    `${what} ${KEYS.map((key) => bounds[key][what]).join(", ")}`;
  const others = bounds.with.length === 0 ? "" : `; with ${bounds.with.join(", ")}`;
  return [
    `${isMeasured ? "used" : "planned"} ${counts.join(", ")}`,
    `${each("left")}${isMeasured ? `; ${each("planned")}` : ""}${others}`,
  ];
}
