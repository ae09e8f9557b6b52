import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseTaskId, type TaskId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import type { Check } from "../core/schema/task.ts";
import type { CheckRun } from "./check-run.ts";
import { evidenceRecord, failureSignature, validationRow } from "./evidence.ts";

const place = { task: parseTaskId("t1") as TaskId, attempt: 2, ordinal: 1 };
const run: CheckRun = {
  check: { kind: "command", command: "npm test" },
  result: "failed",
  passed: false,
  summary: "it exited with code 1",
  exitCode: 1,
  output: "boom",
  startedAt: instantFromMs(0),
  durationMs: 12,
  treeHash: "abc",
  signature: "s1",
};

describe("evidence", () => {
  it("S3-30 binds command, exit code, tree, output, time and attempt", () => {
    const { path, text, evidence } = evidenceRecord(run, place);
    expect(path).toBe("artifacts/evidence/t1/2/1-command.json");
    expect(JSON.parse(text)).toEqual({
      task: "t1",
      attempt: 2,
      check: { kind: "command", command: "npm test" },
      command: "npm test",
      result: "failed",
      summary: "it exited with code 1",
      exit_code: 1,
      tree: "abc",
      started_at: "1970-01-01T00:00:00.000Z",
      duration_ms: 12,
      signature: "s1",
      output: "boom",
      output_sha256: sha256("boom"),
    });
    expect(evidence).toEqual([{ kind: "check", path, sha256: sha256(text) }]);
  });

  it("has a row: task, method, result, time, place, next step", () => {
    expect(validationRow(run, place, "attempt 3")).toBe(
      "| t1 (attempt 2) | `npm test` | fail | 1970-01-01T00:00:00.000Z | `artifacts/evidence/t1/2/1-command.json` | attempt 3 |\n",
    );
  });

  it.each(["a | b", "a\n| x | y |", "echo `id` ``x``", "a \\| b", "\u202Eevil\u0007"])(
    "keeps its row whatever a check says: %j",
    (command) => {
      const check: Check = { kind: "command", command };
      const row = validationRow({ ...run, check }, place, command);
      expect(row.match(/\n/g)).toHaveLength(1);
      expect(columns(row)).toBe(6);
      // oxlint-disable-next-line no-control-regex -- none may be left
      expect(row).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/);
    },
  );

  it("of a page is its record and its picture, both named and bound by their digests", () => {
    const { signature: _, ...facts } = run;
    const bytes = Uint8Array.of(0x89, 0x50);
    const picture: CheckRun = {
      ...facts,
      check: { kind: "browser", url: "http://ada:hunter2@x.test/", sees: "Hi" },
      result: "passed",
      passed: true,
      picture: bytes,
    };
    const { path, text, files, evidence } = evidenceRecord(picture, place);
    const png = "artifacts/evidence/t1/2/1-browser.png";
    expect(files).toEqual([{ path: png, bytes }]);
    expect(evidence).toEqual([
      { kind: "check", path, sha256: sha256(text) },
      { kind: "check", path: png, sha256: sha256(bytes) },
    ]);
    expect(JSON.parse(text)).toMatchObject({ files: [{ path: png, sha256: sha256(bytes) }] });
    const row = validationRow(picture, place, "done");
    expect(row).toContain(`\`artifacts/evidence/t1/2/1-browser.json\` \`${png}\``);
    expect(text + row).not.toContain("hunter2");
  });

  it("says that a check waits for a person, or was not run", () => {
    const { signature: _, ...facts } = run;
    const check: Check = { kind: "review" };
    const review: CheckRun = { ...facts, check, result: "pending", passed: false };
    expect(validationRow(review, place, "stint approve a1")).toContain("| `review` | waits |");
    const page: Check = { kind: "render", path: "a.html", sees: "x" };
    const hint = "apt install chromium";
    const none: CheckRun = { ...facts, check: page, result: "unavailable", passed: false, hint };
    expect(validationRow(none, place, hint)).toContain('| `render a.html sees "x"` | not run |');
  });
});

/** Cells of a table row as GitHub splits it: a bar after a backslash is text. */
function columns(row: string): number {
  return row.trim().replace(/\\\|/g, "").split("|").length - 2;
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

const CHECK: Check = { kind: "command", command: "npm test" };
const sign = (output: string, exitCode: number | null = 1, check = CHECK) =>
  failureSignature(check, exitCode, output);

describe("the signature of a failure", () => {
  it.each([
    ["times", "at 2026-01-02T03:04:05.678Z in 12.3 ms", "at 2027-11-12T13:14:15Z in 4 ms"],
    ["clock times", "[10:04:11] failed after 3s", "[9:05] failed after 14s"],
    ["paths", "in /tmp/a-123/x.test.ts", "in /home/ada/repo/x.test.ts"],
    ["addresses in memory", "object at 0x7ffe12", "object at 0xdeadbeef"],
    ["addresses in the net", "connect 127.0.0.1:4312", "connect 127.0.0.1:50123"],
    ["ids", "job 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "job 00000000-4f89-41d3-9a0c-0305e82c3301"],
    ["commits", "HEAD is now at ad3c4f3", "HEAD is now at 465a9fa"],
    ["colours", "\u001B[31mfail\u001B[0m", "fail"],
    ["line ends and blanks", "a\r\n\r\n  b", "a\nb"],
    ["the order of parallel output", "x failed\ny failed", "y failed\nx failed"],
  ])("is the same for other %s", (_, one, two) => {
    expect(sign(one)).toBe(sign(two));
  });

  it("is another for another message, exit code or check", () => {
    const other: Check = { kind: "command", command: "npm run lint" };
    const signatures = [sign("a"), sign("b"), sign("a", 2), sign("a", null), sign("a", 1, other)];
    expect(new Set(signatures).size).toBe(signatures.length);
  });

  it("keeps the numbers that tell failures apart", () => {
    expect(sign("expected 3 to be 4")).not.toBe(sign("expected 5 to be 4"));
  });
});
