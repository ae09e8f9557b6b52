import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type AgentId, parseAgentId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { Check, FileExpectation } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type {
  AgentAnswer,
  CheckContext,
  CheckPorts,
  CheckRun,
  ShellRun,
  Trouble,
} from "./check-run.ts";
import { EXCERPT_BYTES } from "./evidence.ts";
import { fileDigest } from "./file-check.ts";
import { CHECK_TIMEOUT_MS, runCheck, stoppedBy, withTrouble } from "./run-check.ts";

let folder: TemporaryFolder;
let workTree: string;

beforeEach(() => {
  folder = temporaryFolder();
  workTree = join(folder.path, "repo");
  mkdirSync(workTree);
});
afterEach(() => folder.remove());

interface Asked {
  readonly command: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

function ports(ran: Partial<ShellRun>, asked: Asked[] = []): CheckPorts {
  let ms = 1_000;
  return {
    runShell: async (command, options) => {
      asked.push({ command, ...options });
      ms += 250;
      return { exitCode: 0, timedOut: false, output: "", durationMs: 250, ...ran };
    },
    showPage: async () => ({ kind: "not-shown", why: "it is not of this test" }),
    whileWanted: async (_, work) => await work(new AbortController().signal),
    treeHash: async () => "tree-1",
    now: () => instantFromMs(ms),
    variable: () => undefined,
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  };
}

const TESTS: Check = { kind: "command", command: "npm test" };

describe("a command check", () => {
  it("passes with exit code 0, bound to command, tree and time", async () => {
    const asked: Asked[] = [];
    const run = await runCheck(TESTS, ports({ output: "12 passed" }, asked), { workTree });
    expect(run).toEqual({
      check: TESTS,
      result: "passed",
      passed: true,
      summary: "it exited with code 0",
      exitCode: 0,
      output: "12 passed",
      startedAt: "1970-01-01T00:00:01.000Z",
      durationMs: 250,
      treeHash: "tree-1",
    });
    expect(asked).toEqual([
      { command: "npm test", timeoutMs: CHECK_TIMEOUT_MS, maxOutputBytes: EXCERPT_BYTES },
    ]);
  });

  it.each([
    [{ exitCode: 1 }, "it exited with code 1"],
    [{ exitCode: 139 }, "it exited with code 139 (SIGSEGV)"],
    [{ exitCode: 255 }, "it exited with code 255"],
    [{ exitCode: null }, "it was ended by a signal"],
    [{ exitCode: null, timedOut: true }, "it did not end within 5 s"],
    [{ exitCode: 0, timedOut: true }, "it did not end within 5 s"],
  ])("fails with %o", async (ran, summary) => {
    const run = await runCheck(TESTS, ports(ran), { workTree, timeoutMs: 5000 });
    expect(run).toMatchObject({ result: "failed", passed: false, summary });
  });

  it("keeps secrets out of what it leaves", async () => {
    const run = await runCheck(TESTS, ports({ exitCode: 1, output: "key hunter2" }), { workTree });
    expect(run.output).toBe("key [redacted]");
  });

  it("keeps beginning and end of a long output, 64 KiB at most", async () => {
    const output = `first\n${"é".repeat(EXCERPT_BYTES)}\nlast`;
    const run = await runCheck(TESTS, ports({ output }), { workTree });
    expect(Buffer.byteLength(run.output)).toBeLessThanOrEqual(EXCERPT_BYTES);
    expect(Buffer.byteLength(run.output)).toBeGreaterThan(EXCERPT_BYTES - 100);
    expect(run.output).toMatch(/^first\n[\s\S]*\n… \d+ bytes left out …\n[\s\S]*\nlast$/);
    expect(run.output).not.toContain("\uFFFD");
  });
});

describe("a file check", () => {
  const content = "version = 2\nname = x\n";
  const digest = createHash("sha256").update(content).digest("hex") as Sha256;
  const other = "0".repeat(64) as Sha256;

  beforeEach(() => writeFileSync(join(workTree, "app.txt"), content));

  it.each([
    ["exists", { is: "exists" }, "passed", "app.txt exists"],
    [
      "matches",
      { is: "matches", pattern: "^name = \\w$", flags: "m" },
      "passed",
      "app.txt matches /^name = \\w$/m",
    ],
    [
      "does not match",
      { is: "matches", pattern: "^name", flags: "" },
      "failed",
      "app.txt does not match /^name/",
    ],
    [
      "has a digest",
      { is: "sha256", sha256: digest },
      "passed",
      `app.txt has the SHA-256 ${digest}`,
    ],
    [
      "has another digest",
      { is: "sha256", sha256: other },
      "failed",
      `app.txt has the SHA-256 ${digest}, not ${other}`,
    ],
  ] as const)("S3-31 judges a file that %s", async (_, expected, result, summary) => {
    expect(await file("app.txt", expected)).toMatchObject({ result, summary });
  });

  it.each([
    ["absent before", null, "passed", "app.txt is new"],
    ["other before", other, "passed", "app.txt was changed"],
    ["the same before", digest, "failed", "app.txt is unchanged"],
  ] as const)("judges a change of a file that was %s", async (_, before, result, summary) => {
    const baseline = new Map([["app.txt", before]]);
    expect(await file("app.txt", { is: "changed" }, { baseline })).toMatchObject({
      result,
      summary,
    });
  });

  it("cannot see a change without knowing what was before", async () => {
    expect(await file("app.txt", { is: "changed" })).toMatchObject({
      result: "failed",
      summary: "there is no earlier state of app.txt to compare with",
    });
  });

  it("takes the digest for a later comparison", async () => {
    expect(await fileDigest(workTree, "app.txt")).toBe(digest);
    expect(await fileDigest(workTree, "none.txt")).toBeNull();
    expect(await fileDigest(workTree, ".")).toBeNull();
  });

  it("fails for a file that is not there", async () => {
    expect(await file("none.txt", { is: "exists" })).toMatchObject({
      result: "failed",
      summary: "none.txt does not exist",
    });
  });

  it.each(["../secret.txt", "link.txt", "sub/secret.txt", "/etc/hosts"])(
    "refuses %s, which leads out of the work tree",
    async (path) => {
      writeFileSync(join(folder.path, "secret.txt"), "x");
      symlinkSync(join(folder.path, "secret.txt"), join(workTree, "link.txt"));
      symlinkSync(folder.path, join(workTree, "sub"));
      expect(await file(path, { is: "exists" })).toMatchObject({
        result: "failed",
        summary: `${path} leads out of the work tree`,
      });
      expect(await fileDigest(workTree, path)).toBeNull();
    },
  );

  it("follows links that stay inside", async () => {
    symlinkSync("app.txt", join(workTree, "inner.txt"));
    expect((await file("inner.txt", { is: "sha256", sha256: digest })).passed).toBe(true);
  });

  it("does not wait for a pipe or read a folder", async () => {
    spawnSync("mkfifo", [join(workTree, "pipe")]);
    for (const path of ["pipe", "."]) {
      expect(await file(path, { is: "sha256", sha256: digest })).toMatchObject({
        summary: `${path} is not a readable regular file`,
      });
    }
  });

  it("ends a pattern that would take for ever", async () => {
    writeFileSync(join(workTree, "trap.txt"), `${"a".repeat(60)}!`);
    expect(await file("trap.txt", { is: "matches", pattern: "^(a+)+$", flags: "" })).toMatchObject({
      result: "failed",
      summary: "/^(a+)+$/ took longer than 2 s on trap.txt; simplify it",
    });
  });

  it("does not search more than 4 MiB", async () => {
    truncateSync(join(workTree, "app.txt"), 4 * 1024 * 1024 + 1);
    expect(await file("app.txt", { is: "matches", pattern: "version", flags: "" })).toMatchObject({
      result: "failed",
      summary: "app.txt is larger than the 4 MiB that are searched",
    });
  });
});

describe("a check that only a person or an agent can answer", () => {
  const agent = parseAgentId("codex") as AgentId;
  const review: Check = { kind: "review" };
  const second: Check = { kind: "agent-review", agent, question: "Is it so?" };
  const answering = (answer: AgentAnswer): CheckContext => ({
    workTree,
    askAgent: async () => answer,
  });

  it.each([
    [review, "a person has not approved it yet"],
    [second, "codex has not reviewed it yet"],
  ])("waits until somebody is asked: %o", async (check, summary) => {
    const asked: Asked[] = [];
    const run = await runCheck(check, ports({}, asked), { workTree });
    expect(run).toMatchObject({ result: "pending", passed: false, summary });
    expect(asked).toEqual([]);
  });

  it("passes with the name of the person and the time", async () => {
    const approved = { by: "ada", at: "2026-01-01T00:00:00.000Z", approval_id: "a1" };
    expect(await runCheck(review, ports({}), { workTree, approved })).toMatchObject({
      result: "passed",
      summary: "ada approved it at 2026-01-01T00:00:00.000Z (a1)",
    });
  });

  it("is asked about the very tree it is bound to", async () => {
    const trees: string[] = [];
    const run = await runCheck(second, ports({}), {
      workTree,
      askAgent: async (_, tree) => {
        trees.push(tree);
        return { kind: "answered", verdict: "pass", reasons: ["no row is lost", "ids are kept"] };
      },
    });
    expect(run).toMatchObject({
      result: "passed",
      summary: "codex answers pass: no row is lost",
      output: "Is it so?\n\npass\n- no row is lost\n- ids are kept",
      treeHash: trees[0],
    });
  });

  it.each<[AgentAnswer, string, string]>([
    [
      { kind: "answered", verdict: "fail", reasons: ["rows are lost"] },
      "failed",
      "codex answers fail: rows are lost",
    ],
    [
      { kind: "no-answer", why: "it said nothing", said: "" },
      "failed",
      "codex gave no valid answer: it said nothing",
    ],
    [
      { kind: "unavailable", why: "auth-failed: log in", hint: "codex login" },
      "unavailable",
      "codex cannot review it: auth-failed: log in",
    ],
  ])("is never passed by %o", async (answer, result, summary) => {
    expect(await runCheck(second, ports({}), answering(answer))).toMatchObject({
      result,
      passed: false,
      summary,
    });
  });
});

function file(
  path: string,
  expected: FileExpectation,
  more: Partial<CheckContext> = {},
): Promise<CheckRun> {
  return runCheck({ kind: "file", path, expect: expected }, ports({}), { workTree, ...more });
}

const SERVER: Trouble = { of: "server", summary: "the server is not ready", output: "boom\n" };
const SETUP: Trouble = { of: "setup", summary: "the setup failed", output: "no network\n" };
const COMMAND: Check = { kind: "command", command: "npm test" };
const FILE: Check = { kind: "file", path: "a.txt", expect: { is: "exists" } };
const call = (url: string): Check => ({ kind: "http", method: "GET", url, status: 200 });
const OURS = call("http://localhost:$STINT_PORT/");
const THEIRS = call("https://example.com/");

function stopped(trouble: Trouble | null): string[] {
  const named = { COMMAND, FILE, OURS, THEIRS };
  return Object.entries(named).flatMap(([name, check]) =>
    stoppedBy(check, trouble) === null ? [] : [name],
  );
}

describe("what is not ready beside a check", () => {
  it("fails the checks that need it, and no others", () => {
    expect(stopped(null)).toEqual([]);
    expect(stopped(SERVER)).toEqual(["OURS"]);
    expect(stopped(SETUP)).toEqual(["COMMAND", "OURS", "THEIRS"]);
    expect(stoppedBy(OURS, SERVER)).toEqual({
      result: "failed",
      summary: "the server is not ready",
      output: "the server is not ready\nboom",
    });
  });

  it("is told with the failure of a command, which may have needed it", () => {
    const failed = { result: "failed", summary: "exit code 1", output: "ECONNREFUSED\n" } as const;
    expect(withTrouble(COMMAND, failed, SERVER)).toEqual({
      ...failed,
      output: "ECONNREFUSED\n\nthe server is not ready\nboom",
    });
    const passed = { ...failed, result: "passed" } as const;
    expect(withTrouble(COMMAND, passed, SERVER)).toBe(passed);
    expect(withTrouble(FILE, failed, SERVER)).toBe(failed);
    expect(withTrouble(COMMAND, failed, null)).toBe(failed);
  });
});
