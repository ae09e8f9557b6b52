// Layer (e): the built `stint run` killed by SIGKILL on its way from a manifest to Done, and resumed.
// However often and wherever it dies, the same files, commits, boxes and evidence come out, and
// nothing whose effect exists is done twice.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { chooseIsolation } from "../../src/process/namespace/isolation.ts";
import { until } from "../support/children.ts";
import { DONE, killAtEach, LANES, toTheEnd } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import {
  type Kill,
  killQuietly,
  processesOfRun,
  RunScene,
  type Story,
} from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
/** So many points of each story; with STINT_ALL_KILL_POINTS set, all of them. */
const SAMPLE = 3;
/** Dozens of runs one after another, on a machine that may be busy with other tests. */
const LONG_MS = 900_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const note = (ledger: string, text: string) => ({
  act: "append",
  path: ledger,
  text: `${text}\n`,
  hostile: true,
});

const THREE_TASKS = `# Goal

Greet in two languages and publish it.

# Steps

- [ ] english - Write the English greeting
  - check: \`grep -q Hello english.txt\`
- [ ] german - Write the German greeting
  - check: \`grep -q Hallo german.txt\`
- [ ] publish - Publish both
  - run: \`echo publish >>"$LEDGER"; cat english.txt german.txt >published.txt\`
  - check: \`grep -q Hallo published.txt\`
`;

/** The agent commits and flips its box; then Stint must do both; then Stint acts by itself. */
const oneTask: Story = {
  manifest: THREE_TASKS,
  words: [],
  script: (ledger) => ({
    english: [
      note(ledger, "english"),
      { act: "write", path: "english.txt", text: "Hello\n" },
      { act: "flip-box", which: "own" },
      { act: "commit", message: "Say hello" },
      { act: "marker", keys: { remaining_steps: true } },
    ],
    german: [...german(ledger), { act: "marker", keys: { remaining_steps: false } }],
  }),
};

/** What every later act may be built on: each of these leaves something new behind. */
const EFFECTS = [
  String.raw`^linkSync .*/state/\d+\.json$`,
  String.raw`^renameSync .*/kept/`,
  String.raw`^renameSync .*/prompt\.md$`,
  String.raw`^linkSync .*/lease/\d+\.json$`,
  String.raw`^rmSync .*/\.agent_iteration_done$`,
].join("|");

/** Where only the way from one revision to the next is another. */
const REVISIONS = [
  String.raw`^linkSync .*/state/\d+\.json$`,
  String.raw`^renameSync .*/prompt\.md$`,
].join("|");

function effects(base: string, at?: number, only = EFFECTS): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: base,
      KILL_ONLY: only,
      KILL_COUNT: join(base, "count"),
      KILL_WHEN: "after",
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

const german = (ledger: string) => [
  note(ledger, "german"),
  { act: "write", path: "german.txt", text: "Hallo\n" },
  { act: "append", path: "list.txt", text: "german\n" },
];

/** Two tasks in one session; the first does not flip its box, and both are committed at once. */
const batch: Story = {
  manifest: THREE_TASKS.replace(/- \[ \] publish[^]*/, ""),
  words: ["--session", "batch:3", "--isolation", "off"],
  script: (ledger) => ({
    english: [
      note(ledger, "english"),
      { act: "write", path: "english.txt", text: "Hello\n" },
      ...german(ledger),
      { act: "marker", keys: { remaining_steps: false } },
    ],
  }),
};

/** The first execution flips its box, leaves half of the work and fails; the second completes it. */
const secondAttempt: Story = {
  manifest: THREE_TASKS.replace(/- \[ \] english[^]*?(?=- \[ \] german)|- \[ \] publish[^]*/g, ""),
  words: ["--isolation", "off"],
  script: (ledger) => ({
    german: [
      {
        act: "run",
        command: `grep -q half ${ledger} || { echo half >>${ledger}; echo half >>list.txt; sed -i 's/\\[ ]/[x]/' prompt.md; exit 9; }`,
      },
      ...german(ledger),
    ],
  }),
};

/** Only what Stint does around git: everything but the work is left to it. */
const stintCommits: Story = {
  ...secondAttempt,
  script: (ledger) => ({ german: german(ledger) }),
};

describe("S3 the run is killed", () => {
  it.each([
    [
      "after each revision, kept file, manifest write and lease",
      "one task in a session",
      40,
      oneTask,
      EFFECTS,
    ],
    ["after each revision and manifest write", "a batch", 12, batch, REVISIONS],
    [
      "after each revision and manifest write",
      "a first attempt that fails",
      12,
      secondAttempt,
      REVISIONS,
    ],
  ] as const)(
    "%s: %s comes out the same, of %i points or more",
    async (_when, _what, least, story, only) => {
      const whole = new RunScene(folder.path, story);
      const counting = effects(whole.base, undefined, only);
      expect(await whole.run(counting).ended).toMatchObject({ code: 0, signal: null });
      const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
      expect(calls.length).toBeGreaterThanOrEqual(least);
      const points = evenly(calls.length, SAMPLE).map((index) => ({
        what: `after effect ${index + 1}, ${calls[index]}`,
        kill: ({ base }: RunScene) => effects(base, index + 1, only),
      }));
      await killAtEach({ folder: folder.path, story, whole, points });
    },
    LONG_MS,
  );

  it(
    "before each of its git commands: it comes out the same",
    async () => {
      const whole = new RunScene(folder.path, stintCommits);
      const counting = whole.killingGit({});
      expect(await whole.run(counting).ended).toMatchObject({ code: 0, signal: null });
      const count = readdirSync(counting.counted).length;
      expect(count).toBeGreaterThanOrEqual(25);
      const points = evenly(count, SAMPLE).map((index) => ({
        what: `before git ${readFileSync(join(counting.counted, String(index + 1)), "utf8")}`,
        kill: (scene: RunScene) => scene.killingGit({ before: index + 1 }),
      }));
      await killAtEach({ folder: folder.path, story: stintCommits, whole, points });
    },
    LONG_MS,
  );
});

/** One task whose first attempt does `first`, and whose later ones do the work. */
function firstAttempt(first: (base: string) => readonly unknown[], words: string[] = []): Story {
  return {
    manifest: `# Goal\n\nGreet.\n\n# Steps\n\n- [ ] english - Write the English greeting\n  - check: \`grep -q Hello english.txt\`\n`,
    words,
    script: (ledger) => {
      const work = [note(ledger, "worked"), { act: "write", path: "english.txt", text: "Hello\n" }];
      return { english: [[...first(dirname(ledger)), ...work], work] };
    },
  };
}

/** Says that it is here, by its pid, and waits until the test lets it go on. */
const waitForTest = (base: string) => [
  { act: "append", path: join(base, "ledger"), text: "began\n", hostile: true },
  {
    act: "run",
    command: `echo $PPID >${base}/pid.tmp && mv ${base}/pid.tmp ${base}/pid; while [ ! -e ${base}/go ]; do sleep 0.05; done`,
  },
];

async function untilBegun(scene: RunScene): Promise<void> {
  await until("the agent is at work", () => existsSync(join(scene.base, "pid")));
}

describe("S3 kills of run and agent, in every combination", () => {
  it("the agent alone is killed: its attempt failed, the next one does the work", async () => {
    const story = firstAttempt((base) => [note(join(base, "ledger"), "died"), { act: "die" }]);
    const scene = new RunScene(folder.path, story);
    expect(await scene.run().ended).toMatchObject({ code: 0 });
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["died", "worked"] });
    expect(scene.state().tasks[0]?.attempts).toBe(2);
  });

  it.each(["auto", "off"])(
    "isolation %s: the run is killed while the agent lives; nothing of it is alive when work goes on",
    async (isolation) => {
      const story = firstAttempt(waitForTest, ["--isolation", isolation]);
      const scene = new RunScene(folder.path, story);
      const run = scene.run();
      await untilBegun(scene);
      run.process.kill("SIGKILL");
      expect(await run.ended).toMatchObject({ signal: "SIGKILL" });
      const runId = scene.runId() ?? "";
      const isKept = chooseIsolation("auto").kind === "group" || isolation === "off";
      // In a namespace the kernel ends it with the run; without one it lives on.
      await until("the session is as the isolation promises", () =>
        isKept ? processesOfRun(runId).length > 0 : processesOfRun(runId).length === 0,
      );
      const again = scene.run();
      await until("the next session was started", () => scene.state().counters.sessions > 1);
      expect(processesOfRun(runId)).toEqual([]);
      expect(await again.ended).toMatchObject({ code: 0 });
      expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["began", "worked"] });
    },
  );

  it.each(["auto", "off"])("isolation %s: run and agent are killed at once", async (isolation) => {
    const scene = new RunScene(folder.path, firstAttempt(waitForTest, ["--isolation", isolation]));
    const run = scene.run();
    await untilBegun(scene);
    const runId = scene.runId() ?? "";
    for (const pid of [...processesOfRun(runId), run.process.pid ?? 0]) killQuietly(pid);
    await run.ended;
    await toTheEnd(scene);
    expect(processesOfRun(runId)).toEqual([]);
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["began", "worked"] });
  });

  it("isolation off: a check and an act of a killed run are ended before work goes on", async () => {
    const scene = new RunScene(folder.path, {
      manifest: `# Goal\n\nPublish.\n\n# Steps\n\n- [ ] publish - Publish\n  - run: \`echo begun >>"$LEDGER"; while [ ! -e "$LEDGER.go" ]; do sleep 0.05; done; echo published >>"$LEDGER"\`\n`,
      words: ["--isolation", "off"],
      script: () => ({}),
    });
    const run = scene.run();
    await until("the act began", () => scene.executed().includes("begun"));
    run.process.kill("SIGKILL");
    await run.ended;
    const runId = scene.runId() ?? "";
    expect(processesOfRun(runId)).not.toEqual([]);
    // Whether it took effect is unknown: it waits for a person and is not repeated.
    expect(await scene.resume()).toMatchObject({ code: 4 });
    expect(processesOfRun(runId)).toEqual([]);
    expect(await scene.resume()).toMatchObject({ code: 4 });
    expect(scene.executed()).toEqual(["begun"]);
    scene.write("../ledger.go", "");
    expect(await scene.run({}, "--retry").ended).toMatchObject({ code: 0 });
    expect(scene.executed()).toEqual(["begun", "begun", "published"]);
  });
});

describe("S0-33 what a session said before the run was killed", () => {
  const says = (text: string) =>
    firstAttempt((base) => [{ act: "marker", text }, ...waitForTest(base)]);

  async function killedAfterSaying(text: string): Promise<RunScene> {
    const scene = new RunScene(folder.path, says(text));
    const run = scene.run();
    await untilBegun(scene);
    run.process.kill("SIGKILL");
    await run.ended;
    return scene;
  }

  it("a question is asked, and no other session is started before the answer", async () => {
    const scene = await killedAfterSaying("question: which colour?\n");
    expect(await scene.resume()).toMatchObject({ code: 3 });
    expect(scene.state().questions).toMatchObject([{ text: "which colour?", session: 1 }]);
    expect(await scene.resume()).toMatchObject({ code: 3 });
    expect(scene.state().questions).toHaveLength(1);
    expect(scene.state().counters.sessions).toBe(1);
    expect(scene.problems()).toEqual([]);
  });

  it("the reason why it could not be done blocks the task", async () => {
    const scene = await killedAfterSaying("reason: there is no colour\n");
    expect(await scene.resume()).toMatchObject({ code: 4 });
    expect(scene.state().blockers).toMatchObject([
      { reason: expect.stringContaining("there is no colour") },
    ]);
  });

  it("what another project of the same checkout said is not heard by this one", async () => {
    const first = await killedAfterSaying("question: whose?\n");
    const id = first.state().project_id;
    first.write("other.md", says("").manifest);
    first.git("add", "other.md");
    first.git("commit", "-q", "-m", "Another project");
    rmSync(join(first.base, "pid"));
    first.write("../script.json", JSON.stringify({ tasks: says("").script(first.ledger) }));
    const agent = `scripted:${join(first.base, "script.json")}`;
    first.write("../go", "");
    expect(await first.start(["run", "other.md", "--agent", agent]).ended).toMatchObject({
      code: 0,
    });
    const other = first.store.list().find(({ project_id }) => project_id !== id);
    expect(first.store.read(other?.project_id ?? id).state.questions).toEqual([]);
    expect(await first.start(["resume", id]).ended).toMatchObject({ code: 3 });
    expect(first.store.read(id).state.questions).toMatchObject([{ text: "whose?" }]);
  });
});

describe("S3 signals, second runs and what lies about", () => {
  it("a second run is refused with 6 and the first is undisturbed, also while it is stopped", async () => {
    const scene = new RunScene(folder.path, firstAttempt(waitForTest));
    const run = scene.run();
    await untilBegun(scene);
    expect(await scene.run().ended).toMatchObject({ code: 6 });
    run.process.kill("SIGSTOP");
    expect(await scene.run().ended).toMatchObject({ code: 6 });
    run.process.kill("SIGCONT");
    scene.write("../go", "");
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["began", "worked"] });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s pauses: the session is ended, the pause recorded, exit 1, and resume goes on",
    async (signal) => {
      const scene = new RunScene(folder.path, firstAttempt(waitForTest));
      const run = scene.run();
      await untilBegun(scene);
      run.process.kill(signal);
      expect(await run.ended).toMatchObject({ code: 1, signal: null });
      expect(scene.state()).toMatchObject({ status: "Paused", pause: { kind: "signal" } });
      expect(scene.problems()).toEqual([]);
      await toTheEnd(scene);
      expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["began", "worked"] });
    },
  );

  it("a marker that lies in the checkout is the person's: nobody hears it, and it stays", async () => {
    const scene = new RunScene(
      folder.path,
      firstAttempt(() => []),
    );
    scene.write(".agent_iteration_done", "question: which colour?\n");
    expect(await scene.run().ended).toMatchObject({ code: 0 });
    expect(scene.state().questions).toEqual([]);
    expect(scene.executed()).toEqual(["worked"]);
    expect(scene.read(".agent_iteration_done")).toBe("question: which colour?\n");
  });

  it("a lock of the person's git stays: the work waits on its own branch, whole", async () => {
    const scene = new RunScene(
      folder.path,
      firstAttempt(() => []),
    );
    scene.write(".git/index.lock", "");
    expect(await scene.run().ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the work waits on stint/prompt"),
    });
    expect(existsSync(join(scene.root, ".git/index.lock"))).toBe(true);
    expect(scene.git("log", "--format=%s", "main").trim()).toBe("Begin");
    expect(scene.git("show", "stint/prompt:english.txt")).toBe("Hello\n");
    rmSync(join(scene.root, ".git/index.lock"));
    scene.git("merge", "-q", "--ff-only", "stint/prompt");
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
  });
});

describe("S3 a person edits the manifest between kill and resume", () => {
  const added = "- [ ] french - Write the French greeting\n  - check: file french.txt\n";
  const story: Story = {
    ...firstAttempt(() => []),
    script: (ledger) => ({
      english: [note(ledger, "english"), { act: "write", path: "english.txt", text: "Hello\n" }],
      french: [note(ledger, "french"), { act: "write", path: "french.txt", text: "Bonjour\n" }],
    }),
  };

  it("after every revision: adopted, and their words stay theirs", async () => {
    const only = String.raw`^linkSync .*/state/\d+\.json$`;
    const whole = new RunScene(folder.path, story);
    await whole.run(effects(whole.base, undefined, only)).ended;
    const count = readFileSync(join(whole.base, "count"), "utf8").split("\n").length - 1;
    const failures: string[] = [];
    await inParallel(evenly(count - 1, SAMPLE), LANES, async (index) => {
      const scene = new RunScene(folder.path, story);
      try {
        await scene.run(effects(scene.base, index + 1, only)).ended;
        scene.write("prompt.md", scene.read("prompt.md") + added);
        await toTheEnd(scene);
        const { status, problems, executed } = scene.outcome();
        expect({ status, problems, executed }).toEqual({
          status: "Done",
          problems: [],
          executed: ["english", "french"],
        });
        const done = added.replace("[ ]", "[x]");
        expect(scene.read("prompt.md").slice(-done.length)).toBe(done);
        expect(scene.git("show", "stint/prompt:prompt.md")).not.toContain("french");
      } catch (error) {
        failures.push(`after revision ${index + 1}: ${String(error)}`);
      }
    });
    expect(failures).toEqual([]);
  });
});
