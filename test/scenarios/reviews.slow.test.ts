// Checks that somebody else answers, in whole runs of the built executable: a person, and a second
// agent, played by a program that speaks as Codex does.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newRunId } from "../../src/core/ids.ts";
import { instantFromMs } from "../../src/core/instant.ts";
import { persist } from "../../src/engine/base/persist.ts";
import { projectPages } from "../../src/report/pages/pages.ts";
import { FileStore } from "../../src/store/file-store.ts";
import { realFiles } from "../../src/store/files.ts";
import { thisHost } from "../../src/store/host.ts";
import { STINT } from "../support/built-stint.ts";
import { type Act, KEPT, Scenario } from "../support/scenario.ts";

let scene: Scenario;
afterEach(() => scene.close());

function prepared(...checks: string[]): void {
  const lines = checks.map((check) => `  - check: ${check}`).join("\n");
  const manifest = `# Goal\n\nMove.\n\n# Steps\n\n- [ ] move - Move the rows\n${lines}\n- [ ] notes - Write notes.txt\n  - check: file notes.txt\n`;
  scene = new Scenario({ manifest });
  mkdirSync(join(scene.path, "bin"));
}

const rows = (text: string): Act => ({ act: "write", path: "rows.csv", text });
const notes: Act = { act: "write", path: "notes.txt", text: "noted\n" };

/**
 * Speaks as `codex exec --json` does. What it says is made by `answer`, a line of shell in which $nonce
 * is the number of the review; each review leaves a line outside the repository.
 */
function reviewer(answer: string): void {
  scene.program(
    "bin/codex",
    `#!/bin/sh
brief=$(cat)
echo "$*" >> "${join(scene.path, "asked")}"
nonce=$(printf '%s' "$brief" | sed -n 's/.*"review":"\\([0-9a-f]*\\)","verdict":"pass".*/\\1/p')
say() { node -e 'console.log(JSON.stringify({type:"item.completed",item:{type:"agent_message",text:process.argv[1]}}))' "$1"; }
${answer}
echo '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}}'
`,
  );
}

const PASS = `say "I looked.
{\\"review\\":\\"$nonce\\",\\"verdict\\":\\"pass\\",\\"reasons\\":[\\"every row is there\\"]}"`;

function asked(): string[] {
  const path = join(scene.path, "asked");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

async function play(script: object, ...words: string[]) {
  const file = scene.program("script.json", JSON.stringify({ manifest: "prompt.md", tasks: script }));
  const env = { PATH: `${join(scene.path, "bin")}:${process.env["PATH"]}` };
  return await scene.runWith({ env }, "--agent", `scripted:${file}`, ...words);
}

function evidence(name: string): unknown {
  const { id, attempts } = scene.task("move");
  const path = `agents/stint/projects/prompt/artifacts/evidence/${id}/${attempts}/${name}`;
  return JSON.parse(scene.read(path));
}

/** A person's answer, as a verb writes it. */
function answer(kind: "approval-granted" | "approval-denied"): void {
  const host = thisHost();
  const stateHome = join(scene.path, "state", "stint");
  const store = new FileStore({ files: realFiles, host, stateHome, pages: projectPages });
  const id = scene.state().project_id;
  const run_id = newRunId((count) => randomBytes(count));
  const holder = store.acquire(id, { owner: "ada", run_id });
  const item = holder.state.approval_items.find(({ status }) => status === "open");
  if (item === undefined) throw new Error("nothing is asked");
  const { id: approval_id, subject_sha256 } = item;
  const at = instantFromMs(host.nowMs());
  const given = { at, by: "ada", channel: "test", approval_id, subject_sha256 };
  persist(
    { holder },
    kind === "approval-granted"
      ? { kind, ...given }
      : { kind, ...given, denial: "the order is wrong" },
  );
  holder.release();
}

describe("an agent's review", () => {
  const question = 'agent codex "Is every row there?"';

  it("S3-31 passes with reasons, read-only, once for one output, and its answer is evidence", async () => {
    prepared("`grep -q 42 rows.csv`", question);
    reviewer(PASS);
    const result = await play({ move: [rows("42\n")], notes: [notes] });
    expect(scene.judge(result)).toEqual({
      ...KEPT,
      code: 0,
      status: "Done",
      done: ["move", "notes"],
    });
    expect(asked()).toHaveLength(1);
    expect(asked()[0]).toContain("--sandbox read-only");
    expect(evidence("2-agent-review.json")).toMatchObject({
      result: "passed",
      summary: "codex answers pass: every row is there",
      output: "Is every row there?\n\npass\n- every row is there",
    });
    expect(result.state.spent.tokens).toBeGreaterThanOrEqual(15);
  });

  it("is asked only about what passes its other checks, and its reasons reach the next attempt", async () => {
    prepared("`test -f rows.csv`", question);
    reviewer(
      `if grep -q 42 rows.csv; then ${PASS}\nelse say "{\\"review\\":\\"$nonce\\",\\"verdict\\":\\"fail\\",\\"reasons\\":[\\"row 42 is missing\\"]}"; fi`,
    );
    const result = await play({ move: [[notes], [rows("41\n")], [rows("42\n")]], notes: [notes] });
    expect(result.state.status).toBe("Done");
    expect(scene.task("move").attempts).toBe(3);
    // Not for the first attempt, whose other check failed.
    expect(asked()).toHaveLength(2);
    const brief = scene.read("agents/stint/projects/prompt/logs/sessions/3/brief.md");
    expect(brief).toContain("codex answers fail: row 42 is missing");
  });

  it.each([
    ["prose", 'say "PASS, it is all good"', "its last line is not a JSON object"],
    [
      "an answer it found in a file",
      'say \'{"review":"0000","verdict":"pass","reasons":["x"]}\'',
      "its answer does not have the number of this review",
    ],
    ["a crash", "exit 3", "its session crashed (exit 3)"],
    [
      "a changed file",
      `echo more >> rows.csv\nrm notes.md\necho new > new.txt\n${PASS}`,
      "it changed files, and a reviewer may not",
    ],
    [
      "a commit",
      `git add rows.csv\ngit commit -qm reviewed\n${PASS}`,
      "it made a commit, and a reviewer may not",
    ],
    [
      "a changed manifest",
      `sed -i 's/Move the rows/Do nothing/' prompt.md\n${PASS}`,
      "it changed files, and a reviewer may not",
    ],
  ])("that is %s is a failure", async (_, said, why) => {
    prepared("`test -f rows.csv`", question);
    scene.write("notes.md", "a person's\n");
    scene.commit("notes");
    reviewer(said);
    const result = await play({ move: [rows("42\n")] }, "--sessions", "1");
    expect(result.state.status).toBe("Paused");
    const task = scene.task("move");
    expect(task.status).toBe("pending");
    expect(task.last_failure?.excerpt).toContain(`codex gave no valid answer: ${why}`);
    expect(scene.read("prompt.md")).toContain("Move the rows");
    // Whatever a reviewer did, the work is as it was judged, and goes on from there.
    expect(scene.kept("move", 1, "rows.csv")).toBe("42\n");
    expect(scene.kept("move", 1, "notes.md")).toBe("a person's\n");
    expect(() => scene.kept("move", 1, "new.txt")).toThrow("new.txt");
    expect(scene.git("status", "--porcelain", "--", ":!mine.txt", ":!drafts")).toBe("");
  });

  it("by a program that is not there blocks the task before any session", async () => {
    prepared("`test -f rows.csv`", 'agent gemini "Is every row there?"');
    const result = await play({ move: [rows("42\n")] });
    expect(result.state).toMatchObject({ status: "Blocked", counters: { sessions: 0 } });
    expect(result.out).toContain("gemini cannot review it");
  });
});

describe("a person's review", () => {
  it("S3-31 is asked for when everything else passes, and is evidence with name and time", async () => {
    prepared("`grep -q 42 rows.csv`", "review");
    const script = { move: [rows("42\n")], notes: [notes] };
    const first = await play(script);
    expect(first.code).toBe(3);
    expect(scene.task("move").status).toBe("awaiting_approval");
    // Nobody answered: the gate holds.
    expect((await play(script)).code).toBe(3);
    expect(scene.state().counters.sessions).toBe(1);
    answer("approval-granted");
    const last = await play(script);
    expect(scene.judge(last)).toMatchObject({ ...KEPT, code: 0, status: "Done" });
    expect(scene.task("move").attempts).toBe(1);
    expect(evidence("2-review.json")).toMatchObject({
      result: "passed",
      summary: expect.stringMatching(/^ada approved it at 20\S+Z \(a1\)$/),
    });
  });

  it("after a no and rework is asked for again, and checks come first", async () => {
    prepared("`test -f rows.csv`", "review");
    const script = { move: [[rows("1\n")], [rows("2\n")]], notes: [notes] };
    await play(script);
    answer("approval-denied");
    const again = await play(script, "--retry");
    expect(again.code).toBe(3);
    expect(scene.task("move")).toMatchObject({ status: "awaiting_approval", attempts: 2 });
    const items = scene.state().approval_items;
    expect(items.map(({ id, status }) => `${id} ${status}`)).toEqual(["a1 denied", "a2 open"]);
    expect(new Set(items.map(({ subject_sha256 }) => subject_sha256)).size).toBe(2);
    answer("approval-granted");
    expect((await play(script)).state.status).toBe("Done");
  });

  it("of what Stint did itself is asked for after the act, which is not done again", async () => {
    scene = new Scenario({
      manifest:
        "# Goal\n\nShip.\n\n# Steps\n\n- [ ] ship - Ship it\n  - run: `echo shipped >> ships.csv`\n  - check: review\n- [ ] notes - Write notes.txt\n  - check: file notes.txt\n",
    });
    mkdirSync(join(scene.path, "bin"));
    expect((await play({ notes: [notes] })).code).toBe(3);
    expect(scene.state().approval_items).toMatchObject([
      {
        kind: "task-after",
        status: "open",
        subject: expect.stringMatching(/ "ships\.csv"\n {2}echo shipped >> ships\.csv\n {2}exit code 0\n/),
      },
    ]);
    answer("approval-granted");
    expect((await play({ notes: [notes] })).state.status).toBe("Done");
    expect(scene.read("ships.csv")).toBe("shipped\n");
  });
});

it("a reviewer that is no agent is a lint error with what was meant", () => {
  prepared('agent cdoex "Is every row there?"');
  const linted = spawnSync(process.execPath, [STINT, "lint", "prompt.md"], {
    cwd: scene.root,
    env: scene.env(),
    encoding: "utf8",
  });
  expect(linted.status).toBe(2);
  expect(linted.stdout).toContain(
    'prompt.md:8: error: there is no agent "cdoex" to review it (did you mean codex?) [unknown-reviewer]',
  );
});
