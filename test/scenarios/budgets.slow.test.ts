// Tokens and money: told by sessions, added up, limited before and inside a session. Real sessions of
// the scripted agent.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statusText } from "../../src/report/status-text.ts";
import { runText } from "../../src/report/run-text.ts";
import { layOut } from "../../src/report/layout.ts";
import { PLAIN } from "../support/plain-paint.ts";
import { type Acts, ENGLISH, LimitedRun } from "../support/limited-run.ts";

const TWO_TASKS = `## Goal
Say hello.

## Steps
- [ ] english - Write hello.txt
  - check: file hello.txt
- [ ] german - Write hallo.txt
  - check: file hallo.txt
`;
const GERMAN: Acts = [{ act: "write", path: "hallo.txt", text: "Hallo\n" }];

function used(tokens: number, costUsd?: number): object {
  const price = costUsd === undefined ? {} : { costUsd };
  return { act: "emit", event: { kind: "usage", input: tokens, output: 0, cached: 0, ...price } };
}

let scene: LimitedRun;

beforeEach(() => {
  scene = new LimitedRun(TWO_TASKS);
});
afterEach(() => scene.close());

describe("what sessions cost", () => {
  it("is shown for each task and the project, and what is not told as unknown", async () => {
    const agent = scene.play("a", {
      english: [[used(1000, 0.5)], [used(500, 0.25), ...ENGLISH]],
      german: [GERMAN],
    });
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Done");
    expect(view.status.tasks.map(({ spent }) => spent)).toEqual([
      { tokens: 1500, cost_usd: 0.75 },
      { tokens: null, cost_usd: null, unknown_tokens: 1, unknown_cost: 1 },
    ]);
    expect(view.status.budget).toMatchObject({
      tokens: { used: 1500, unknown: 1 },
      cost_usd: { used: 0.75, unknown: 1 },
    });
    const words =
      "1.5k tokens, $0.75, and 1 session of unknown cost";
    expect(layOut(runText(view, PLAIN), undefined)).toContain(words);
    expect(layOut(statusText(view.status, PLAIN), undefined)).toContain(words);
    const lines = scene.told("notice").map(({ text }) => text);
    expect(lines).toContainEqual(expect.stringMatching(/^spent 1k tokens, \$0\.50, \d+ ms$/));
  });
});

describe("a budget", () => {
  it("stops before the next session, and the command that goes on grants enough", async () => {
    const agent = scene.play("a", { english: [[...ENGLISH, used(10, 7.5)]], german: [GERMAN] });
    const view = await scene.run({ agent, budgets: { cost_usd: 5 } });
    expect(view.status).toMatchObject({
      status: "Paused",
      pause: { kind: "budget", reason: "the $5.00 are used" },
      progress: { done: 1 },
    });
    expect(view.next[0]).toMatch(/ --grant usd=13$/);
    const more = await scene.run({ agent, grant: { usd: 13 } });
    expect(more.status.status).toBe("Done");
  });

  it("ends a session that tells of its use, and what it did still counts", async () => {
    const greedy = [...ENGLISH, used(600), used(600), { act: "hang" }];
    const agent = scene.play("a", { english: [greedy], german: [GERMAN] });
    const view = await scene.run({ agent, budgets: { tokens: 1000 } });
    expect(view.status).toMatchObject({
      status: "Paused",
      pause: { kind: "budget", reason: "the 1k tokens are used" },
      budget: { tokens: { used: 1200, allowed: 1000 } },
      progress: { done: 1 },
    });
    const ended = scene.system.store
      .journal(scene.project)
      .find(({ kind }) => kind === "session-ended");
    expect(ended?.summary).toMatch(
      /^session 1 went over its budget: the 1k tokens that were left are used; .*; spent 1\.2k tokens, /,
    );
  });

  it("of money cannot hold an agent that tells no price: said once", async () => {
    const agent = scene.play("a", {
      english: [[used(10), ...ENGLISH]],
      german: [[used(10), ...GERMAN]],
    });
    const view = await scene.run({ agent, budgets: { cost_usd: 1 } });
    expect(view.status.status).toBe("Done");
    const notices = scene.told("notice").filter(({ text }) => text.includes("budget"));
    expect(notices.map(({ text }) => text)).toEqual([
      "session 1 did not tell what it cost: the budget for it cannot be enforced with this agent",
    ]);
    expect(layOut(runText(view, PLAIN), undefined)).toContain(
      "20 tokens, price unknown, so the $1.00 cannot be enforced",
    );
  });

  it("comes from the settings for a new project, from the manifest before them", async () => {
    scene.write("stint.config.yaml", "budgets:\n  cost: 20\n  wall: 8h\n");
    scene.write("prompt.md", `---\nbudgets: { cost: 3.50, sessions: 7 }\n---\n${TWO_TASKS}`);
    const agent = scene.play("a", { english: [ENGLISH], german: [GERMAN] });
    const view = await scene.run({ agent });
    expect(view.status.budget).toMatchObject({
      cost_usd: { allowed: 3.5 },
      sessions: { allowed: 7 },
      wall_ms: { allowed: 28_800_000 },
    });
  });
});
