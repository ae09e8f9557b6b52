import { describe, expect, it } from "vitest";
import type { Check } from "../core/schema/task.ts";
import { stoppedBy, type Trouble, withTrouble } from "./trouble.ts";

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
