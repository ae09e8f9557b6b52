import { describe, expect, it, test } from "vitest";
import { minute } from "../../test/support/machine.ts";
import {
  delegatedCommands,
  delegatedTo,
  isJudged,
  laneWanted,
  nextLook,
  returnText,
  timesFrom,
} from "./delegation.ts";
import type { ReturnCondition } from "./schema/items.ts";

const message = { kind: "message" } as const;
const command = { kind: "command", command: "make ready" } as const;

describe("a task that is delegated", () => {
  test.each([
    [{}, null],
    [{ delegate: "codex" }, { by: "agent", agent: "codex" }],
    [
      { delegate: "codex", returns: { kind: "exit" as const } },
      { by: "agent", agent: "codex" },
    ],
    [{ delegate: "`make film`" }, { by: "command", command: "make film" }],
    [
      { delegate: "codex", returns: message },
      { by: "outside", owner: "codex", returns: message },
    ],
    [{ delegate: "the docs team" }, null],
  ])("as %j is done by %j", (task, delegated) => {
    expect(delegatedTo(task)).toEqual(delegated);
    expect(laneWanted(task)).toBe(delegated?.by === "agent" || delegated?.by === "command");
  });

  it("names every command that Stint executes for it", () => {
    expect(delegatedCommands({ delegate: "`make film`" })).toEqual(["make film"]);
    expect(delegatedCommands({ delegate: "ada", returns: command })).toEqual(["make ready"]);
    expect(delegatedCommands({ delegate: "ada", returns: message })).toEqual([]);
  });

  it("needs a check, or a person who looks at it", () => {
    expect(isJudged({})).toBe(false);
    expect(isJudged({ approve: "before" })).toBe(false);
    expect(isJudged({ approve: "after" })).toBe(true);
    expect(isJudged({ checks: [{ kind: "review" }] })).toBe(true);
  });
});

describe("when it is looked at", () => {
  it("is every five minutes for a day, where nobody says otherwise", () => {
    expect(timesFrom(minute(0), {})).toEqual({
      checkpoint_at: minute(5),
      look_ms: 300_000,
      deadline_at: minute(24 * 60),
    });
  });

  it("is never after it is given up", () => {
    expect(timesFrom(minute(0), { deadline_ms: 60_000 })).toMatchObject({
      checkpoint_at: minute(1),
      deadline_at: minute(1),
    });
    expect(nextLook(minute(8), 300_000, minute(10))).toBe(minute(10));
  });
});

test.each<[ReturnCondition, string]>([
  [{ kind: "exit" }, "exit"],
  [message, "message"],
  [{ kind: "file", path: "a/b" }, "file a/b"],
  [command, "`make ready`"],
  [{ kind: "url", url: "http://x.test", status: 200 }, "GET http://x.test 200"],
  [
    { kind: "url", url: "http://ada:secret@x.test", status: 200 },
    "GET http://[redacted]@x.test 200",
  ],
  [
    { kind: "url", url: "http://x.test", status: 200, contains: "ok" },
    'GET http://x.test 200 contains "ok"',
  ],
])("%j is written as %j", (returns, text) => {
  expect(returnText(returns)).toBe(text);
});
