// The multi-session story with the built executable: two processes, one list, nothing but the id between.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readHistory } from "../../src/core/history.ts";
import type { JournalEntry, Lease } from "../../src/core/schema/project.ts";
import type { DemoView } from "../../src/core/schema/views.ts";
import { BuiltStint } from "../support/built-stint.ts";
import { Migration } from "../support/migration.ts";

let stint: BuiltStint;
let temporary: string;

beforeEach(() => {
  stint = new BuiltStint();
  temporary = join(stint.path, "tmp");
  mkdirSync(temporary);
});
afterEach(() => stint.close());

function demo(...words: string[]) {
  return stint.runWith({ env: { TMPDIR: temporary }, cwd: stint.path }, "demo", ...words);
}

const SESSION_1 = [
  "Multi-Session Orchestration: SESSION 1",
  "TaskList Created: <list-id>",
  "[t1] database-migration: IN_PROGRESS -> COMPLETE",
  "[t2] application-migration: PENDING",
  "[t3] data-validation: PENDING",
  "",
  "SESSION 1 COMPLETE",
  "TaskList ID: <list-id> - Save this for Session 2",
];

const SESSION_2 = [
  "Multi-Session Orchestration: SESSION 2",
  "TaskList Loaded: <list-id>",
  "[t1] database-migration: COMPLETE (status preserved)",
  "[t2] application-migration: IN_PROGRESS -> COMPLETE",
  "[t3] data-validation: IN_PROGRESS -> COMPLETE",
  "",
  "SESSION 2 COMPLETE",
  "Cross-Session Continuation: SUCCESS",
  "Task State Persistence: VERIFIED",
];

describe("stint demo", () => {
  it("S1-2 S1-3 S1-6 S1-7 S1-12 S1-14 S1-15 S1-16 prints both sessions to the letter and leaves nothing", () => {
    const { code, out, err } = demo();
    expect([code, err]).toEqual([0, ""]);
    const id = /TaskList Created: (p-[0-9a-z]{10})$/m.exec(out)?.[1] ?? "";
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => line.replaceAll(id, "<list-id>"))).toEqual([
      ...SESSION_1,
      "",
      ...SESSION_2,
    ]);
    expect(out.split(id)).toHaveLength(4);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("S1-13 keeps its folder when asked, and tells programs that two processes did it", () => {
    const { code, out } = demo("--keep", "--json");
    expect(code).toBe(0);
    const view = JSON.parse(out) as DemoView;
    const [first, second] = view.sessions;
    expect(view).toMatchObject({ passed: true, verify: { passed: true, runs: 2, sessions: 3 } });
    expect(first?.pid).not.toBe(second?.pid);
    expect(first?.run_id).not.toBe(second?.run_id);
    expect(readdirSync(view.kept ?? "").toSorted()).toEqual(["repository", "state"]);
    const shadow = join(view.kept ?? "", "state/stint/shadows", view.project_id);
    const lines = readFileSync(join(shadow, "journal.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JournalEntry);
    // The journal tells the same: who started what, and what the second process made sure of first.
    const { runs, attempts, verified } = readHistory(lines);
    expect(runs.map(({ run_id }) => run_id)).toEqual([first?.run_id, second?.run_id]);
    expect(attempts.map(({ task_id, run_id }) => [task_id, run_id])).toEqual([
      ["t1", first?.run_id],
      ["t2", second?.run_id],
      ["t3", second?.run_id],
    ]);
    expect(verified).toHaveLength(1);
    expect(verified[0]).toBeLessThan(runs[1]?.first ?? 0);
    expect(lines[(verified[0] ?? 0) - 1]?.data).toMatchObject({ pid: second?.pid, done: ["t1"] });
    const asked = lines.filter(({ kind }) => /question|approval-requested/.test(kind));
    expect(asked).toEqual([]);
  });

  it("tells where it kept its folder, with commands that work", () => {
    const { out } = demo("--keep");
    const folder = /^Kept in (\S+)\. Look around:$/m.exec(out)?.[1] ?? "";
    expect(readdirSync(temporary).map((name) => join(temporary, name))).toEqual([folder]);
    const cwd = /^ {2}cd (\S+)$/m.exec(out)?.[1] ?? "";
    const state = /^ {2}export XDG_STATE_HOME=(\S+)$/m.exec(out)?.[1] ?? "";
    const seen = stint.runWith({ cwd, env: { XDG_STATE_HOME: state } }, "status");
    expect(seen.out).toContain("3 of 3 tasks done");
    // Nothing of it deserves a label.
    expect(seen.out).not.toContain("[");
  });

  it("is not disturbed by the repository, identity and variables it is called with", () => {
    const env = {
      TMPDIR: temporary,
      GIT_DIR: join(stint.root, ".git"),
      GIT_INDEX_FILE: join(stint.path, "index"),
      HOME: join(stint.path, "nowhere"),
    };
    const { code, err } = stint.runWith({ env }, "demo");
    expect([code, err]).toEqual([0, ""]);
  });
});

describe("the two sessions by hand", () => {
  let migration: Migration;

  beforeEach(() => {
    migration = new Migration();
  });
  afterEach(() => migration.close());

  it("S0-1 S0-4 S1-5 S1-8 S1-9 S1-10 S1-11 S1-21 are two processes that share nothing but files and the id", () => {
    const first = migration.first();
    expect(first.code).toBe(1);
    const id = migration.id;
    const lease = (): Lease =>
      JSON.parse(readFileSync(join(migration.folder, "lease.json"), "utf8")) as Lease;
    const before = lease();
    const second = migration.resume("/");
    expect(second.code).toBe(0);
    expect(lease().pid).not.toBe(before.pid);
    expect(lease().run_id).not.toBe(before.run_id);
    const log = JSON.parse(migration.stint("log", id, "--json").out) as { lines: JournalEntry[] };
    const told = log.lines.map(({ kind, data }) => [kind, data?.["task_id"]]);
    const order = told.filter(
      ([kind]) =>
        kind === "attempt-started" || kind === "checks-recorded" || kind === "persistence-verified",
    );
    expect(order).toEqual([
      ["attempt-started", "t1"],
      ["checks-recorded", "t1"],
      ["persistence-verified", undefined],
      ["attempt-started", "t2"],
      ["checks-recorded", "t2"],
      ["attempt-started", "t3"],
      ["checks-recorded", "t3"],
    ]);
  });

  it("S1-10 S1-18 the second starts nothing when what the first did is lost, unless told to", () => {
    migration.first();
    const { kept, copy } = migration.evidence("t1");
    rmSync(kept);
    rmSync(copy);
    const refused = migration.resume();
    expect(refused.code).toBe(5);
    expect(refused.err).toBe(
      `stint: ${migration.id}: work of earlier sessions is damaged or missing: the evidence artifacts/evidence/t1/1/1-command.json of t1 is missing. Nothing was started.\n` +
        `  See what is missing: stint verify ${migration.id}; to continue anyway: stint resume ${migration.id} --unverified\n`,
    );
    expect(migration.state().counters.sessions).toBe(1);
    const told = migration.resume(migration.root, "--unverified");
    expect(told.out.split("\n").slice(-6)).toEqual([
      "SESSION 2 COMPLETE",
      "Cross-Session Continuation: FAILED",
      "Task State Persistence: NOT VERIFIED",
      `  - Status preservation: t1: its record artifacts/evidence/t1/1/1-command.json is missing. To see what can be saved: stint doctor ${migration.id}`,
      "  - the state was not verified before work began",
      "",
    ]);
  });

  it("S1-17 the list is not created again", () => {
    migration.first();
    const again = migration.stint("new", "migration.md");
    expect(again.code).toBe(2);
    expect(again.err).toContain("already has a project");
    migration.resume();
    expect(migration.stint("list", "--ids").out.trim()).toBe(migration.id);
  });

  /** The script of the migration, whose last session does one thing more. */
  function scriptWith(act: object): string {
    const script = JSON.parse(readFileSync(migration.script, "utf8")) as {
      tasks: Record<string, object[]>;
    };
    script.tasks["data-validation"]?.push(act);
    const file = join(migration.path, "forged.json");
    writeFileSync(file, JSON.stringify(script));
    return file;
  }

  it("S1-20 a session does not come by the evidence of another", () => {
    migration.first();
    const { copy } = migration.evidence("t1");
    const before = readFileSync(copy, "utf8");
    const forged = scriptWith({ act: "run", command: `echo forged >> ${inTree(copy)}` });
    expect(migration.resumeWith(forged).out).toContain("Cross-Session Continuation: SUCCESS");
    expect(readFileSync(copy, "utf8")).toBe(before);
  });

  it("S1-20 SUCCESS is not printed when the evidence of a session is broken while another works", () => {
    migration.first();
    const { copy } = migration.evidence("t1");
    // Without a namespace the folder of the project can be reached by its whole path.
    const forged = scriptWith({ act: "run", command: `echo forged >> "${copy}"` });
    const { out } = migration.resumeWith(forged, "--isolation", "off");
    expect(out).toContain("SESSION 2 COMPLETE\nCross-Session Continuation: FAILED\n");
    expect(out).not.toMatch(/SUCCESS|: VERIFIED/);
  });

  function inTree(path: string): string {
    return relative(migration.root, path);
  }
});
