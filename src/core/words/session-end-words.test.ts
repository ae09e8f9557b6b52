import { describe, expect, it } from "vitest";
import type { SessionEnd } from "../schema/session-records.ts";
import { UNSEEN_END } from "../project-state.ts";
import { type SeenEnd, sessionEndWords, sessionWords, standingAlone } from "./session-end-words.ts";

function words(outcome: SessionEnd["outcome"], more: Partial<SeenEnd> = {}): string {
  const seen = { exit_code: null, signal: null, stopped: null, last_text: null };
  return sessionEndWords({ ...seen, outcome, ...more });
}

const crashed = (reason: string, exitCode: number | null) =>
  ({ kind: "crashed", exitCode, reason }) as const;

describe("how a session ended completes “session 3 …”", () => {
  it.each<[string, SessionEnd["outcome"], Partial<SeenEnd>]>([
    [
      "crashed (exit 3): Error: cannot reach API",
      crashed("it exited with code 3: Error: cannot reach API", 3),
      { exit_code: 3 },
    ],
    [
      "crashed (exit 3); its last words: Working on it",
      crashed("it exited with code 3", 3),
      { exit_code: 3, last_text: "I begin.\nWorking on it\n" },
    ],
    ["crashed (exit 3)", crashed("it exited with code 3", 3), { exit_code: 3 }],
    [
      "ended without a result (exit 0): boom",
      crashed("it exited with code 0 but never reported a result: boom", 0),
      { exit_code: 0 },
    ],
    [
      "could not be started: spawn nobody ENOENT (npm i nobody)",
      crashed("it could not be started: spawn nobody ENOENT (npm i nobody)", null),
      {},
    ],
    [
      "was killed (SIGKILL); its last words: out of memory",
      { kind: "killed", reason: "ended by SIGKILL" },
      { signal: "SIGKILL", last_stderr: "line\nout of memory", last_text: "said" },
    ],
    ["was killed (SIGTERM)", { kind: "killed", reason: "ended by SIGTERM" }, { exit_code: 143 }],
    [
      "was killed (exit 1): it was aborted",
      { kind: "killed", reason: "it was aborted" },
      { exit_code: 1 },
    ],
    [
      "timed out: it took longer than 1h; its last words: still building",
      { kind: "timed-out" },
      { limit_ms: 3_600_000, last_text: "still building" },
    ],
    ["timed out: it took longer than it may", { kind: "timed-out" }, {}],
    ["timed out: it was silent for 15m", { kind: "idle" }, { limit_ms: 900_000 }],
    [
      "timed out: it was silent for 15m while it waited for: npm test",
      { kind: "idle" },
      { limit_ms: 900_000, open_call: "npm test", last_text: "now the tests" },
    ],
    [
      "was refused a command: git push --force",
      { kind: "denied", command: "git push --force" },
      {},
    ],
    [
      "was refused by its provider (overloaded): 529",
      { kind: "overloaded", reason: "529" },
      { exit_code: 1 },
    ],
    ["was refused by its provider (rate limit)", { kind: "rate-limited", reason: "" }, {}],
    [
      "was refused by its provider (sign-in failed): 401",
      { kind: "auth-failed", reason: "401" },
      {},
    ],
    [
      "ran out of context (exit 1): prompt is too long",
      { kind: "context-exhausted", reason: "prompt is too long" },
      { exit_code: 1 },
    ],
    ["asked: which? / why?", { kind: "question", questions: ["which?", "why?"] }, {}],
    ["asked for an approval", { kind: "approval-needed", subject: null }, {}],
    ["could not continue: no disk", { kind: "blocked", reason: "no disk" }, {}],
    [
      "was ended by its run: Ctrl-C",
      { kind: "killed", reason: "stopped by the run" },
      { stopped: "Ctrl-C" },
    ],
    ["finished", { kind: "finished" }, { exit_code: 0 }],
  ])("%s", (expected, outcome, more) => {
    expect(words(outcome, more)).toBe(expected);
  });

  it("in one short line, whatever was said", () => {
    const said = words(crashed(`it exited with code 7: ${"x ".repeat(500_000)}`, 7), {
      exit_code: 7,
    });
    expect(said).toMatch(/^crashed \(exit 7\): x x .*…[x ]+x$/);
    expect(said.length).toBeLessThan(250);
    const hint = words(crashed(`it exited with code 1: ${"no ".repeat(99)}(npm i it)`, 1));
    expect(hint).toMatch(/^crashed: no no .*… ?[no ]+\(npm i it\)$/);
    expect(words({ kind: "blocked", reason: "one\n\ntwo" })).toBe("could not continue: one two");
  });

  it("also where nobody saw it, and after a label", () => {
    expect(sessionWords(3, UNSEEN_END)).toBe(
      "session 3 was cut short: its run ended before it did",
    );
    expect(sessionWords(3, "finished")).toBe("session 3 finished");
    expect(standingAlone("was killed (SIGKILL)")).toBe("killed (SIGKILL)");
  });
});
