import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anyManifest,
  goodManifest,
  manifestText,
  writtenTask,
} from "../../../test/support/manifest-arbitrary.ts";
import { numberedTaskId, type TaskId } from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import type { Task, TaskIntent } from "../../core/schema/task.ts";
import { commandsOf, reconcileManifest } from "./reconcile-manifest.ts";
import { settleSession } from "./settle-session.ts";
import {
  proposalNotice,
  type Adopted,
  type ManifestChange,
  type Reconciliation,
  type Settled,
} from "./reconciliation.ts";

const AT = instantFromMs(0);

const pending = (intent: TaskIntent): Task => ({ ...intent, status: "pending", attempts: 0 });
const done = (intent: TaskIntent): Task => ({
  ...intent,
  status: "done",
  attempts: 1,
  evidence: [{ kind: "person", who: "ada" }],
  done_at: AT,
});

/** State's tasks as they are after a first READ of the text. */
function read(text: string, ...doneIds: string[]): Task[] {
  const first = adopted(reconcileManifest({ known: "", disk: text, tasks: [], nextTaskNumber: 1 }));
  return first.intents.map((intent) =>
    doneIds.includes(intent.id) ? done(intent) : pending(intent),
  );
}

function adopted(result: Reconciliation): Adopted {
  if (result.kind !== "adopted") throw new Error(JSON.stringify(result));
  return result;
}

function outside(known: string, disk: string, tasks: readonly Task[] = read(known)): Adopted {
  return adopted(reconcileManifest({ known, disk, tasks, nextTaskNumber: tasks.length + 1 }));
}

function inside(
  startText: string,
  disk: string,
  taskIds: readonly TaskId[] = [numberedTaskId(1)],
  tasks: readonly Task[] = read(startText),
): Settled {
  return settleSession({ session: 4, taskIds, startText }, tasks, disk);
}

function blank(text: string): string {
  return text.replace(/\[[xX]\]/g, "[ ]");
}

function kinds(changes: readonly ManifestChange[]): string[] {
  return changes.map((change) => change.kind);
}

const BASE = `# Goal

It works.

# Steps

- [ ] Add the parser
  - check: \`npm test\`
- [ ] Write the guide
- [ ] Ship the package

# Notes

- first
`;

describe("S2-13 chunks, which no manifest names", () => {
  const CHUNKED = BASE.replace("  - check: `npm test`\n", "  - after: none\n");
  const [first, ...others] = read(CHUNKED);
  const chunk = (n: number, title: string) =>
    ({ ...pending({ id: numberedTaskId(n), name: `c-${n}`, title }), chunk_of: first?.id }) as Task;
  const tasks = [
    chunk(4, "Write the guide"),
    chunk(5, "Add the parser"),
    { ...first, after: [numberedTaskId(5)], split_after: 0 } as Task,
    ...others,
  ];

  test("take no part in what a person changed, and their ids are not given out again", () => {
    const disk = CHUNKED.replace("Ship the package", "Ship the package now\n- [ ] Tell them");
    const { changes, intents } = adopted(
      reconcileManifest({ known: CHUNKED, disk, tasks, nextTaskNumber: 6 }),
    );
    expect(intents.map(({ id, title }) => `${id} ${title}`)).toEqual([
      "t1 Add the parser",
      "t2 Write the guide",
      "t3 Ship the package now",
      "t6 Tell them",
    ]);
    expect(changes.map((change) => ("id" in change ? `${change.kind} ${change.id}` : ""))).toEqual([
      "reworded t3",
      "added t6",
    ]);
  });

  test("have no box that a session could set", () => {
    const ticked = CHUNKED.replace("- [ ] Write", "- [x] Write");
    const settled = inside(CHUNKED, ticked, [numberedTaskId(4)], tasks);
    expect([settled.text, settled.ownBoxes]).toEqual([CHUNKED, []]);
    expect(settled.restoredBoxes).toEqual([{ title: "Write the guide" }]);
  });
});

describe("outside a session a change is a person's", () => {
  test("nothing changed is said so", () => {
    expect(
      reconcileManifest({
        known: BASE,
        disk: BASE,
        tasks: read(BASE),
        nextTaskNumber: 4,
      }),
    ).toEqual({ kind: "unchanged" });
  });

  test("S0-3 added, removed and moved tasks are adopted", () => {
    const disk = BASE.replace(
      "- [ ] Write the guide\n- [ ] Ship the package",
      "- [ ] Ship the package\n- [ ] Tag the release",
    );
    const { changes, intents } = outside(BASE, disk);
    expect(changes).toEqual([
      { kind: "removed", id: "t2", title: "Write the guide" },
      { kind: "added", id: "t4", title: "Tag the release" },
    ]);
    expect(intents.map((intent) => intent.id)).toEqual(["t1", "t3", "t4"]);
  });

  test("a new order is adopted with every id kept", () => {
    const disk = BASE.replace(
      "- [ ] Write the guide\n- [ ] Ship the package",
      "- [ ] Ship the package\n- [ ] Write the guide",
    );
    expect(outside(BASE, disk).changes).toEqual([{ kind: "reordered", order: ["t1", "t3", "t2"] }]);
  });

  test("new words, keys and sections are adopted", () => {
    const disk = BASE.replace("Write the guide", "Write the short guide\n  - timeout: 5m")
      .replace("It works.", "It works well.")
      .replace("- first", "- first\n- second");
    expect(outside(BASE, disk).changes).toEqual([
      { kind: "rewritten", part: "Goal" },
      { kind: "rewritten", part: "Notes" },
      { kind: "reworded", id: "t2", from: "Write the guide", to: "Write the short guide" },
      { kind: "rekeyed", id: "t2", keys: ["timeout"] },
    ]);
  });

  test("a heading that is written in another way changes nothing", () => {
    expect(BASE).toMatch(/^#+ Goal$/m);
    const disk = BASE.replace(/^#+ Goal$/m, "### GOAL:");
    expect(outside(BASE, disk).changes).toEqual([]);
  });

  test("what stands below a task is adopted by name, beside a changed key as well", () => {
    const known = BASE.replace("Write the guide", "Write the guide\n  - for beginners");
    const disk = known.replace("beginners", "experts");
    expect(outside(known, disk).changes).toEqual([{ kind: "detailed", id: "t2" }]);
    expect(outside(known, disk.replace("experts", "experts\n  - timeout: 5m")).changes).toEqual([
      { kind: "rekeyed", id: "t2", keys: ["timeout"] },
      { kind: "detailed", id: "t2" },
    ]);
    const paragraph = BASE.replace("Write the guide", "Write the guide\n\n  Plainly.");
    expect(outside(BASE, paragraph).changes).toEqual([{ kind: "detailed", id: "t2" }]);
    expect(outside(known, known.replace("  - for", "    - for")).changes).toEqual([]);
  });

  test("unchecking a done task reopens it", () => {
    const known = BASE.replace("- [ ] Write", "- [x] Write");
    expect(outside(known, BASE, read(known, "t2")).changes).toEqual([
      { kind: "reopened", id: "t2" },
    ]);
  });

  test("a box that Stint has still to flip is no reopened task", () => {
    const result = outside(BASE, BASE.replace("- first", "- other"), read(BASE, "t2"));
    expect(kinds(result.changes)).toEqual(["rewritten"]);
  });

  test("a box that Stint flipped for a done task is no person's mark", () => {
    expect(
      outside(BASE, BASE.replace("- [ ] Write", "- [x] Write"), read(BASE, "t2")).changes,
    ).toEqual([]);
  });

  test("a box that a person checks stays, and is verified when the task has checks", () => {
    const disk = BASE.replaceAll("- [ ]", "- [x]");
    expect(outside(BASE, disk).changes).toEqual([
      { kind: "checked", id: "t1", needsCheck: true },
      { kind: "checked", id: "t2", needsCheck: false },
      { kind: "checked", id: "t3", needsCheck: false },
    ]);
  });

  test("a box that a person checked before is not reported again", () => {
    const known = BASE.replace("- [ ] Write", "- [x] Write");
    expect(outside(known, known.replace("It works.", "It runs.")).changes).toEqual([
      { kind: "rewritten", part: "Goal" },
    ]);
  });

  test("a task that was removed takes no part in what a later task with its text is", () => {
    const tasks: Task[] = [
      ...read(BASE).map((task): Task => ({ ...task, status: "superseded", superseded_at: AT })),
      ...read(BASE).map((task, index) => ({ ...task, id: numberedTaskId(index + 4) })),
    ];
    const disk = BASE.replace("- [ ] Add", "- [x] Add");
    expect(outside(BASE, disk, tasks).changes).toEqual([
      { kind: "checked", id: "t4", needsCheck: true },
    ]);
    expect(inside(BASE, disk, [numberedTaskId(4)], tasks)).toMatchObject({
      ownBoxes: ["t4"],
    });
  });

  test("a task that comes checked is marked by a person", () => {
    expect(
      outside(BASE, BASE.replace("- [ ] Ship", "- [x] Draw the logo\n- [ ] Ship")).changes,
    ).toEqual([
      { kind: "added", id: "t4", title: "Draw the logo" },
      { kind: "checked", id: "t4", needsCheck: false },
    ]);
  });

  test("a removed task that is written again gets its id back", () => {
    const without = BASE.replace("- [ ] Write the guide\n", "");
    const tasks = read(BASE).map((task): Task =>
      task.id === "t2" ? { ...task, status: "superseded", superseded_at: AT, attempts: 2 } : task,
    );
    expect(outside(without, BASE, tasks).changes).toEqual([
      { kind: "returned", id: "t2", title: "Write the guide" },
    ]);
  });

  test("every command and address of the tasks is listed, in their order", () => {
    const disk = BASE.replace(
      "- [ ] Write the guide",
      "- [ ] Write the guide\n  - check: `npm test`\n  - check: `make docs`\n  - webhook: https://x.test/a",
    );
    expect(commandsOf(outside(BASE, disk).intents)).toEqual([
      { key: "check", command: "npm test" },
      { key: "check", command: "npm test" },
      { key: "check", command: "make docs" },
      { key: "webhook", command: "https://x.test/a" },
    ]);
  });

  test("nobody is asked about a webhook beside a run: it is never called", () => {
    const task = pending({ id: "t1" as TaskId, name: "a", title: "A" });
    const both = { ...task, run: "make ship", webhook: "https://x.test/a" };
    expect(commandsOf([both])).toEqual([{ key: "run", command: "make ship" }]);
  });

  test("a text that cannot run is not adopted, and all its problems are said", () => {
    const result = reconcileManifest({
      known: BASE,
      disk: "# Goal\n\n# Steps\n",
      tasks: read(BASE),
      nextTaskNumber: 4,
    });
    expect(result.kind === "invalid" && result.problems.map((problem) => problem.rule)).toEqual([
      "empty-goal",
      "no-tasks",
    ]);
  });
});

describe("what a session did to its manifest", () => {
  test("the session's own box stays", () => {
    const disk = BASE.replace("- [ ] Add", "- [x] Add");
    expect(inside(BASE, disk)).toEqual({
      text: disk,
      ownBoxes: ["t1"],
      restoredBoxes: [],
    });
  });

  test("every box of a batch stays", () => {
    const disk = BASE.replaceAll("- [ ]", "- [x]");
    const result = inside(BASE, disk, [numberedTaskId(1), numberedTaskId(2)]);
    expect(result.ownBoxes).toEqual(["t1", "t2"]);
    expect(result.restoredBoxes).toEqual([{ title: "Ship the package" }]);
  });

  test("another task's box is un-flipped, and nothing is set aside for it", () => {
    const disk = BASE.replace("- [ ] Add", "- [x] Add").replace("- [ ] Ship", "- [X] Ship");
    expect(inside(BASE, disk)).toEqual({
      text: BASE.replace("- [ ] Add", "- [x] Add"),
      ownBoxes: ["t1"],
      restoredBoxes: [{ title: "Ship the package" }],
    });
  });

  test("a box that a person checked before is never un-flipped, and one it unchecks comes back", () => {
    const start = BASE.replace("- [ ] Write", "- [x] Write");
    const result = inside(start, BASE);
    expect(result.text).toBe(start);
    expect(result.restoredBoxes).toEqual([{ title: "Write the guide" }]);
    const noted = `${start}\n- second\n`;
    expect(inside(start, noted)).toEqual({ text: noted, ownBoxes: [], restoredBoxes: [] });
  });

  test.each([
    ["at the end of a section", BASE.replace("- first", "- first\n- second")],
    ["as a new section", `${BASE}\n## References\n\n- https://x.test\n`],
    ["as a section after a section that grew", `${BASE}- second\n\n## References\n\n- a\n`],
  ])("what is appended %s stays, byte for byte", (_where, disk) => {
    expect(inside(BASE, disk)).toEqual({ text: disk, ownBoxes: [], restoredBoxes: [] });
  });

  test("a reworded step is set aside, while the own box and the notes stay", () => {
    const disk = BASE.replace("- [ ] Add", "- [x] Add")
      .replace("Ship the package", "Skip the package")
      .replace("- first", "- first\n- second");
    const result = inside(BASE, disk);
    expect(result.text).toBe(
      BASE.replace("- [ ] Add", "- [x] Add").replace("- first", "- first\n- second"),
    );
    expect(result.proposal).toEqual({
      session: 4,
      text: disk,
      base: result.text,
      wanted: disk,
      parts: ["Steps"],
      blocksDone: true,
      diff: "@@ line 10 @@\n-- [ ] Ship the package\n+- [ ] Skip the package",
    });
  });

  test("a change to Tools is set aside and does not block Done", () => {
    const result = inside(BASE, `${BASE}\n# Tools\n\nmake\n`);
    expect(result.text).toBe(BASE);
    expect(result.proposal).toMatchObject({ parts: ["Tools"], blocksDone: false });
  });

  test("a changed check is set aside and never becomes a command", () => {
    const result = inside(BASE, BASE.replace("`npm test`", "`true`"));
    expect(result.text).toBe(BASE);
    expect(result.proposal).toMatchObject({ parts: ["Steps"], blocksDone: true });
  });

  test("an edited note is set aside, because it is no append", () => {
    const result = inside(BASE, BASE.replace("- first", "- first and more"));
    expect(result.text).toBe(BASE);
    expect(result.proposal).toMatchObject({ parts: ["Notes"], blocksDone: false });
  });

  test("other line endings are set aside and the old ones come back", () => {
    const result = inside(BASE, BASE.replaceAll("\n", "\r\n"));
    expect(result.text).toBe(BASE);
    expect(result.proposal).toMatchObject({ parts: ["white space"], blocksDone: false });
  });

  test("a note that would swallow the steps is set aside", () => {
    const start = "# Goal\n\nx\n\n# Notes\n\n- one\n\n# Steps\n\n- [ ] Add the parser\n";
    const disk = start.replace("- one\n", "- one\n\n```\n");
    const result = inside(start, disk);
    expect(result.text).toBe(start);
    expect(result.proposal).toMatchObject({ text: disk, blocksDone: true });
  });

  test("a proposal says in one line what was set aside, and where it is", () => {
    const { proposal } = inside(BASE, BASE.replace("It works.", "Never mind."));
    expect(proposal && proposalNotice(proposal, "here.md")).toBe(
      "changes to Goal during session 4 were set aside in here.md",
    );
  });
});

describe("what a session wrote is never lost", () => {
  const lineEdit = fc.record({
    at: fc.nat(30),
    remove: fc.nat(2),
    put: fc.array(
      fc.constantFrom(
        "- [x] new",
        "- note",
        "",
        "## Notes",
        "```",
        "  - check: `rm`",
        "# Goal",
        "\ttext",
        "-->",
      ),
      { maxLength: 2 },
    ),
  });
  /** Another text: the same with some lines or boxes changed, or quite another one. */
  const editedFrom = (text: string): fc.Arbitrary<string> =>
    fc.oneof(
      fc.array(lineEdit, { maxLength: 3 }).map((edits) => {
        const lines = text.split("\n");
        for (const { at, remove, put } of edits) lines.splice(at, remove, ...put);
        return lines.join("\n");
      }),
      fc
        .nat(9)
        .map((n) =>
          text.replaceAll("[ ]", (box, at: number) => (at % (n + 1) === 0 ? "[x]" : box)),
        ),
      fc.constantFrom("\n- appended\n", "\n\n## References\n\n- x").map((more) => text + more),
      anyManifest,
    );

  const edit = goodManifest.chain(({ text }) =>
    fc.record({ text: fc.constant(text), disk: editedFrom(text) }),
  );

  test("it stays, or the whole of it is in a proposal", () => {
    fc.assert(
      fc.property(edit, ({ text, disk }) => {
        const taskIds = [numberedTaskId(1)];
        const given = { session: 1, taskIds, startText: text };
        const result = settleSession(given, read(text), disk);
        if (result.text === disk) return;
        // Boxes alone may go back; every other character is kept on disk or set aside.
        const isSafe = result.proposal?.text === disk || blank(result.text) === blank(disk);
        expect(isSafe).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("a session leaves no task changed but its own box", () => {
    fc.assert(
      fc.property(
        fc.array(writtenTask, { minLength: 1, maxLength: 5 }),
        fc.array(writtenTask, { minLength: 1, maxLength: 5 }),
        (before, after) => {
          const start = manifestText(before);
          const { text } = inside(start, manifestText(after));
          const tasks = read(start);
          const now = read(text);
          expect(now.map((task) => task.title)).toEqual(tasks.map((task) => task.title));
          const changed = Array.from(text).filter(
            (character, at) => character !== Array.from(start)[at],
          );
          expect(changed.length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});
