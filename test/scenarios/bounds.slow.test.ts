// The bounds of one iteration, on real diffs of real workspaces: what is exactly at a limit is work like any other;
// one past it is committed whole, written down, asked about where the manifest is strict, and split where it failed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Act, KEPT, type RunResult, Scenario, type Setup } from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => scenes.forEach((made) => made.close()));

function scene(setup: Setup): Scenario {
  const made = new Scenario(setup);
  scenes.push(made);
  return made;
}

interface Bound {
  /** Its names in the settings and in `limit:` of a task. */
  readonly key: string;
  readonly word: string;
  readonly limit: number;
  /** A real change that counts so much against this bound, and no more than is allowed against the others. */
  readonly work: (count: number) => readonly Act[];
  readonly words: (count: number) => string;
}

const TRACKED = Array.from({ length: 12 }, (_, n) => `src/part-${n + 1}.js`);
const files = Object.fromEntries(TRACKED.map((path) => [path, `${path}\n`.repeat(20)]));

/** Of each thing, so many. */
function acts(count: number, act: (path: string, n: number) => Act): Act[] {
  return TRACKED.slice(0, count).map((path, index) => act(path, index + 1));
}

function plural(count: number): string {
  return count === 1 ? "file" : "files";
}

const BOUNDS: readonly Bound[] = [
  {
    key: "files_per_task",
    word: "files",
    limit: 8,
    work: (count) => acts(count, (path) => ({ act: "append", path, text: "more\n" })),
    words: (count) => `${count} ${plural(count)} changed`,
  },
  {
    key: "new_files_per_session",
    word: "new",
    limit: 3,
    work: (count) => acts(count, (_, n) => ({ act: "write", path: `new-${n}.js`, text: `${n}\n` })),
    words: (count) => `${count} new ${plural(count)}`,
  },
  {
    key: "moves_per_task",
    word: "moves",
    limit: 0,
    // Nothing moved is no work: then it is one file that changed in its place.
    work: (count) =>
      count === 0
        ? [{ act: "append", path: "src/part-1.js", text: "more\n" }]
        : acts(count, (from, n) => ({ act: "move", from, to: `lib/moved-${n}.js` })),
    words: (count) => `${count} ${plural(count)} moved`,
  },
];

/** What Stint writes itself, or takes over from nobody: it counts against no bound. */
const OWN: readonly Act[] = [
  { act: "flip-box", which: "own" },
  { act: "edit-manifest", replace: "Change some files.", with: "Change every file." },
  { act: "marker", keys: { remaining_steps: true } },
  { act: "write", path: "agents/stint/projects/prompt/note.md", text: "mine\n" },
  { act: "append", path: "docs/_feedback.md", text: "- DOC-9: one more\n" },
];

const WORKED = "grep -qs more src/part-1.js || test -f new-1.js -o -f lib/moved-1.js";
const ENDED = "grep -q end one.txt";
const end: Act = { act: "append", path: "one.txt", text: "end\n" };

interface Written {
  readonly strict?: boolean;
  /** For the project, in its settings. */
  readonly limits?: string;
  /** For the task. */
  readonly limit?: string;
  readonly resolves?: string;
  readonly check?: string;
}

function setup({ strict = false, limits, limit, resolves, check = WORKED }: Written): Setup {
  const keys = [
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
    ...(resolves === undefined ? [] : [`resolves: ${resolves}`]),
    `check: \`${check}\``,
  ];
  const head = strict ? "---\nlimits: strict\n---\n\n" : "";
  const below = keys.map((key) => `  - ${key}\n`).join("");
  return {
    manifest: `${head}## Goal\n\nChange some files.\n\n## Steps\n\n- [ ] parts - Rework the parts\n${below}`,
    files: { ...files, "docs/_feedback.md": "- DOC-1: Rework the parts\n" },
    ...(limits === undefined ? {} : { config: `limits: { ${limits} }\n` }),
  };
}

const TOUCHED = [...TRACKED, "one.txt", "docs/_feedback.md"];

function expectDone(s: Scenario, result: RunResult, done = ["parts"]): void {
  expect(s.judge(result, TOUCHED)).toEqual({ ...KEPT, code: 0, status: "Done", done });
}

/** The files of the one commit that holds the work of a task, without what is Stint's own. */
function committed(s: Scenario, task = "t1"): string[] {
  const commit = s.git("log", "--format=%H", `--grep=^Stint-Task: ${task}$`).trim();
  const names = s.git("show", "--format=", "--name-status", "-M", commit).trim().split("\n");
  return names.filter((line) => !/\t(?:prompt\.md|docs\/_feedback\.md)$/.test(line));
}

const EXCESS = "went beyond its limits";

const ALL_BOUNDS = BOUNDS.map((bound) => [bound.word, bound] as const);

describe.concurrent.each(ALL_BOUNDS)("S2-10 S2-11 S2-12 the bound of %s", (_word, bound) => {
  const { key, word, limit, work, words } = bound;

  interface Row {
    readonly name: string;
    readonly written: Written;
    /** What holds for it. */
    readonly most: number;
    readonly count: number;
  }

  const forProject = { limits: `${key}: ${limit + 1}` };
  const forTask = { limit: `${word} ${limit + 1}`, limits: `${key}: 0` };
  const belowProject = { limit: `${word} ${limit}`, limits: `${key}: 50` };
  const ROWS: readonly Row[] = [
    { name: "kept at it", written: {}, most: limit, count: limit },
    { name: "broken one past it", written: {}, most: limit, count: limit + 1 },
    { name: "the project's, kept", written: forProject, most: limit + 1, count: limit + 1 },
    { name: "the project's, broken", written: forProject, most: limit + 1, count: limit + 2 },
    { name: "the task's, kept", written: forTask, most: limit + 1, count: limit + 1 },
    { name: "the task's, broken", written: belowProject, most: limit, count: limit + 1 },
  ];

  const NAMED = ROWS.map((row) => [row.name, row] as const);

  it.each(NAMED)("is %s: Done, committed whole, and what is beyond is said and written down", async (_, row) => {
    const { written, most, count } = row;
    const s = scene(setup(written));
    const result = await s.play({ parts: work(count) });
    expectDone(s, result);
    expect(committed(s)).toHaveLength(Math.max(1, count));
    expect(s.state().approval_items).toEqual([]);
    expect(s.state().counters.sessions).toBe(1);
    expect(s.journal()).toContain(`${words(count)} (limit ${most})`);
    if (count <= most) expect(result.out).not.toContain(EXCESS);
    else expect(result.out).toContain(`${EXCESS}: ${words(count)}, the limit is ${most}`);
  });

  it("is kept where the session changes Stint's own files beside its work", async () => {
    const s = scene(setup({ resolves: "DOC-1" }));
    const result = await s.play({ parts: [...work(limit), ...OWN] });
    expect(result.out).not.toContain(EXCESS);
    expect(s.journal()).toContain(`${words(limit)} (limit ${limit})`);
    expect(committed(s)).toHaveLength(Math.max(1, limit));
    expect(s.task("parts").status).toBe("done");
  });

  it("S2-13 is not asked about at it where limits are strict, and is one past it", async () => {
    const within = scene(setup({ strict: true }));
    expectDone(within, await within.play({ parts: work(limit) }));
    const s = scene(setup({ strict: true }));
    const asked = await s.play({ parts: work(limit + 1) });
    expect([asked.code, asked.state.status]).toEqual([3, "AwaitingApproval"]);
    const [item, ...others] = asked.state.approval_items;
    expect(others).toEqual([]);
    const excess = `${words(limit + 1)}, the limit is ${limit}`;
    expect(item).toMatchObject({ kind: "limit", status: "open", task_id: "t1" });
    expect(item?.reason).toContain(excess);
    expect(s.git("log", "-1", "--format=%s")).toBe("the second commit\n");
    expect((await s.say("approve", "a1")).code).toBe(0);
    expectDone(s, await s.play({ parts: [] }));
    expect(committed(s)).toHaveLength(limit + 1);
    expect(s.state().counters.sessions).toBe(1);
  });

  it("S2-13 makes a child workflow of what is undone one past it, and none at it", async () => {
    const within = scene(setup({ check: ENDED }));
    expectDone(within, await within.play({ parts: [work(limit), [end]] }));
    expect(within.state().tasks).toHaveLength(1);
    const s = scene(setup({ check: ENDED }));
    const result = await s.play({ parts: work(limit + 1), "parts-1": [end] });
    expectDone(s, result, ["parts-1", "parts"]);
    const excess = `${words(limit + 1)}, the limit is ${limit}`;
    const split = `split task t1 \\"Rework the parts\\" into 1: ${excess}`;
    expect(s.journal()).toContain(split);
    expect(s.state().tasks.map(({ id, chunk_of }) => [id, chunk_of])).toEqual([
      ["t2", "t1"],
      ["t1", undefined],
    ]);
    // Not split: what the first session did and what finished it are one commit.
    expect(committed(s, "t2")).toHaveLength(limit + 2);
    const flows = "home/.udx/dev.kit/state/codex/workflows/repo/prompt";
    const page = readFileSync(join(s.path, flows, "parts/index.md"), "utf8");
    expect(page).toContain("- [x] parts-1 - Finish: Rework the parts\n");
  });
});

describe.concurrent("S2-9 the bound of tasks", () => {
  const name = (n: number): string => `task-${n}`;
  const made = (n: number): Act => ({ act: "write", path: `made-${n}.js`, text: `${n}\n` });

  /** Nobody counts new files here. */
  function tasks(count: number, limits = ""): Scenario {
    const steps = Array.from(
      { length: count },
      (_, n) => `- [ ] ${name(n + 1)} - Make it number ${n + 1}\n  - check: file made-${n + 1}.js\n`,
    );
    return scene({
      manifest: `## Goal\n\nMake it.\n\n## Steps\n\n${steps.join("")}`,
      config: `limits: { new_files_per_session: 50${limits} }\n`,
    });
  }

  const ROWS: readonly [count: number, policy: string, limits: string, each: readonly number[]][] = [
    [6, "until-gate", "", [6]],
    [7, "until-gate", "", [6, 1]],
    [6, "batch:6", "", [6]],
    [7, "batch:6", "", [6, 1]],
    [2, "until-gate", ", tasks_per_session: 2", [2]],
    [3, "until-gate", ", tasks_per_session: 2", [2, 1]],
    [3, "batch:6", ", tasks_per_session: 2", [2, 1]],
  ];

  it.each(ROWS)("%i tasks, %s%s: sessions of %j", async (count, policy, limits, each) => {
    const s = tasks(count, limits);
    const all = Array.from({ length: count }, (_, n) => n + 1);
    // Each session does all that it is given, and never what is another one's.
    let given = 0;
    const script = Object.fromEntries(
      each.map((size) => {
        const mine = all.slice(given, given + size);
        given += size;
        return [name(mine[0] ?? 0), mine.map(made)];
      }),
    );
    const result = await s.play(script, "--session", policy);
    expectDone(s, result, all.map(name));
    expect(result.out).not.toContain(EXCESS);
    const commits = s.git("log", "--reverse", "--format=%(trailers:key=Stint-Task,valueonly)%x00");
    const sizes = commits.split("\0").map((text) => text.trim().split("\n").filter(Boolean).length);
    expect(sizes.filter((size) => size > 0)).toEqual(each);
    expect(s.state().counters.sessions).toBe(each.length);
    // A task that a session was given and did not do would have cost an attempt.
    expect(s.state().tasks.map(({ attempts }) => attempts)).toEqual(all.map(() => 1));
  });

  it("is not gone beyond by a policy that names more", async () => {
    const s = tasks(7);
    const { code, err } = await s.say("run", "prompt.md", "--session", "batch:7");
    expect([code, err]).toEqual([2, expect.stringContaining("batch:1 to batch:6")]);
    // Before a project is made of it.
    expect(existsSync(join(s.path, "state/stint/shadows"))).toBe(false);
  });

  function reviewed(count: number, config: string): Scenario {
    const items = Array.from({ length: count }, (_, n) => `- DOC-${n + 1}: Make it number ${n + 1}\n`);
    return scene({ config, files: { "docs/_feedback.md": items.join("") } });
  }

  const ITERATIONS: readonly [items: number, config: string, because: string | null][] = [
    [6, "deliver: auto\n", null],
    [7, "deliver: auto\n", "max_steps_per_iteration: 7 planned, the limit is 6"],
    [2, "limits: { tasks_per_session: 2 }\n", null],
    [3, "limits: { tasks_per_session: 2 }\n", "max_steps_per_iteration: 3 planned, the limit is 2"],
  ];

  it.each(ITERATIONS)("S2-25 an iteration of %i review items with %j: %s", async (items, config, because) => {
    const s = reviewed(items, config);
    const script = s.program(
      "script.json",
      JSON.stringify({ tasks: { "*": [{ act: "run", command: 'echo x > "made-$STINT_TASK_NAME.js"' }] } }),
    );
    const words = ["iterate", "iteration", "--task-id", "review", "--agent", `scripted:${script}`];
    const { code, out } = await s.say(...words);
    expect([code, out.includes("Because: ")]).toEqual(because === null ? [0, false] : [3, true]);
    if (because !== null) {
      expect(out).toContain(`Because: ${because}`);
      expect(s.state().counters.sessions).toBe(0);
      const { project_id } = s.state();
      expect((await s.say("approve", "plan", project_id)).code).toBe(0);
      expect((await s.say("resume", project_id, "--agent", `scripted:${script}`)).code).toBe(0);
    }
    expect(s.state().status).toBe("Done");
    expect(s.state().tasks.filter(({ chunk_of }) => chunk_of !== undefined)).toHaveLength(
      because === null ? 0 : items,
    );
    const log = s.git("show", "HEAD:docs/_feedback.md").split("## Resolution Log")[1] ?? "";
    expect(log.match(/^- DOC-\d+: /gm)).toHaveLength(items);
  });
});
