// Which chunks a task becomes, row by row, from its lines in a manifest.
import { describe, expect, it } from "vitest";
import { checkKey } from "../../checks/check-text.ts";
import { numberedTaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { type PlannedTask, toIntents } from "../../manifest/plan.ts";
import { chunksOfRest, chunksOfStep } from "./chunk-intents.ts";

function written(...lines: readonly string[]): { task: Task; planned: PlannedTask } {
  const text = `# Goal\n\nIt works.\n\n# Steps\n\n${lines.join("\n")}\n`;
  const { plan } = normaliseManifest(parseManifest(text));
  const [planned] = plan.tasks;
  const [intent] = toIntents(plan.tasks, [numberedTaskId(1)]);
  if (planned === undefined || intent === undefined) throw new Error("no task");
  return { planned, task: { ...intent, attempts: 1, status: "pending" } };
}

function rest(...lines: readonly string[]) {
  const { task, planned } = written(...lines);
  return chunksOfRest(task, planned, task.checks ?? [], 7).map(
    ({ id, title, checks = [] }) => `${id} ${title} (${checks.map(checkKey).join(", ")})`,
  );
}

const CHECKS = ["  - check: `npm test`", "  - check: file a.md exists"];

describe("S2-13 the chunks of a step", () => {
  it("are its actions, with what it takes and gives, and its checks on the last", () => {
    const { task, planned } = written(
      "- [ ] ground - Lay the ground",
      "  - child: the-ground",
      "  - inputs: the plan",
      "  - actions: Dig",
      "  - actions: Pour",
      "  - outputs: a floor",
      "  - status: planned",
      "  - docs-only",
      "  - limit: files 2",
      "  - agent: codex",
      "  - dir: house",
      "  - timeout: 5m",
      "  - check: `npm test`",
    );
    const { limit, timeout_ms, agent } = task;
    expect([limit, timeout_ms, agent]).not.toContain(undefined);
    const inherited = { docs_only: true, dir: "house", limit, timeout_ms, agent };
    expect(chunksOfStep(task, planned, 2)).toEqual([
      {
        id: "t2",
        name: "ground-1",
        title: "Dig",
        details: "- inputs: the plan\n- actions: Dig\n- outputs: a floor",
        ...inherited,
      },
      {
        id: "t3",
        name: "ground-2",
        title: "Pour",
        details: "- inputs: the plan\n- actions: Pour\n- outputs: a floor",
        checks: task.checks,
        ...inherited,
      },
    ]);
    expect(chunksOfStep(task, planned, 2)).toEqual(chunksOfStep(task, planned, 2));
  });

  it("is the step itself where it names no action", () => {
    const { task, planned } = written("- [ ] Lay the ground", "  - child: the-ground");
    expect(chunksOfStep(task, planned, 2).map(({ title }) => title)).toEqual(["Lay the ground"]);
  });
});

describe("S2-13 S3-16 S3-17 the chunks of what is left", () => {
  const ROWS: readonly [fact: string, lines: readonly string[], chunks: readonly string[]][] = [
    [
      "are its direct sub-steps, the checks on the last",
      ["- [ ] Build it", "  - Dig", "    - deep", "  - Pour", ...CHECKS],
      ["t7 Dig ()", "t8 Pour (command: `npm test`, file: file a.md exists)"],
    ],
    [
      "are its actions, without what it takes, gives and says of itself",
      [
        "- [ ] Build it",
        "  - inputs: x",
        "  - actions: Dig",
        "  - actions: Pour",
        "  - status: planned",
      ],
      ["t7 Dig ()", "t8 Pour ()"],
    ],
    [
      "are its verbs where it has one sub-step",
      ["- [ ] Add tests and update the docs", "  - Dig", ...CHECKS.slice(0, 1)],
      ["t7 Add tests ()", "t8 Update the docs (command: `npm test`)"],
    ],
    [
      "are its checks that fail where it has one verb",
      ["- [ ] Build it", ...CHECKS],
      [
        "t7 Build it: make `npm test` pass (command: `npm test`)",
        "t8 Build it: make file a.md exists pass (file: file a.md exists)",
      ],
    ],
    [
      "is one to finish it otherwise",
      ["- [ ] Build it", ...CHECKS.slice(0, 1)],
      ["t7 Finish: Build it (command: `npm test`)"],
    ],
    [
      "leave to the whole whether a file changed, and what a person thinks of it",
      ["- [ ] Build it", "  - check: file a.md changed", "  - check: review", CHECKS[0] ?? ""],
      ["t7 Finish: Build it (command: `npm test`)"],
    ],
  ];

  it.each(ROWS)("%s", (_, lines, chunks) => {
    expect(rest(...lines)).toEqual(chunks);
  });

  const DOCUMENTS: readonly [title: string, isDocs: boolean][] = [
    ["Describe it in docs/guide.md", true],
    ["Explain app.js in README.md", false],
    ["Describe it", false],
    ["Publish the package as README.md says", false],
  ];

  it.each(DOCUMENTS)("are documentation where they name documents alone: %s", (title, isDocs) => {
    const { task, planned } = written("- [ ] Build it", "  - Add app.js", `  - ${title}`);
    const chunks = chunksOfRest(task, planned, [], 7).map(({ docs_only }) => docs_only ?? false);
    expect(chunks).toEqual([false, isDocs]);
  });

  it("of a chunk, which no manifest names, come from its title and its checks", () => {
    const { task } = written("- [ ] Add tests and update the docs");
    const titles = chunksOfRest({ ...task, chunk_of: numberedTaskId(9) }, undefined, [], 4);
    expect(titles.map(({ id, title }) => `${id} ${title}`)).toEqual([
      "t4 Add tests",
      "t5 Update the docs",
    ]);
  });
});
