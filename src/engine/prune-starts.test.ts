import { expect, it } from "vitest";
import { pruneStarts } from "./prune-starts.ts";
import type { RunContext } from "./run-context.ts";

/** One session for each task; sessions and tasks have the same numbers. */
function contextOf(statuses: readonly object[]) {
  const dropped: string[] = [];
  const forgotten: string[] = [];
  const context = {
    holder: {
      state: {
        project_id: "p-0000000000",
        tasks: statuses.map((status, index) => ({ id: `t${index + 1}`, ...status })),
      },
      keep: (path: string) => forgotten.push(path),
    },
    store: {
      kept(_id: string, path: string) {
        const number = /(\d+)(?:\/start)?\.json$/.exec(path)?.[1];
        const record = path.startsWith("logs/")
          ? { tasks: [{ task_id: `t${number}` }] }
          : { trees: [], first: { ref: `refs/stint/p-0000000000/_start/${number}` } };
        return Buffer.from(JSON.stringify(record));
      },
    },
    tree: {
      startNames: async () => statuses.map((_, index) => String(index + 1)).toReversed(),
      async dropStart(name: string, later: string) {
        dropped.push(`${name} as ${later} stays`);
      },
    },
  };
  return { context: context as unknown as RunContext, dropped, forgotten };
}

it("starts of settled tasks are let go, the last twenty and those still needed stay", async () => {
  const committed = { status: "done", commit: "abc123" };
  const statuses: object[] = Array.from({ length: 25 }, () => committed);
  statuses[0] = { status: "blocked" };
  statuses[1] = { status: "done" };
  statuses[2] = { status: "skipped" };
  const { context, dropped, forgotten } = contextOf(statuses);
  await pruneStarts(context);
  expect(dropped.toSorted()).toEqual(["3 as 25 stays", "4 as 25 stays", "5 as 25 stays"]);
  expect(forgotten.toSorted()).toEqual([3, 4, 5].map((n) => `artifacts/tasks/t${n}.json`));
});
