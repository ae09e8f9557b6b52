// A destructive command that the agent's own gate refused: asked about only where the work needed it.
import { afterAll, describe, expect, it } from "vitest";
import { type Act, english, german, KEPT, Scenario } from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => scenes.forEach((made) => made.close()));

function scene(): Scenario {
  const made = new Scenario();
  scenes.push(made);
  return made;
}

const COMMAND = "git clean -fdx build";
const refused: Act = { act: "emit", event: { kind: "denied", command: COMMAND } };

describe.concurrent("a destructive command that was refused", () => {
  it("becomes a request with the exact command, where the checks then fail", async () => {
    const s = scene();
    const result = await s.play({ english: [refused], german: [german] });
    expect(s.judge(result)).toEqual({
      ...KEPT,
      code: 3,
      status: "AwaitingApproval",
      done: [],
    });
    const [item, ...others] = result.state.approval_items;
    expect(others).toEqual([]);
    expect(item).toMatchObject({ kind: "destructive", status: "open", subject: COMMAND });
    expect(s.task("english")).toMatchObject({ status: "awaiting_approval", attempts: 1 });
    expect(result.out).toContain(`was refused a destructive command: ${COMMAND}`);
  });

  it("interrupts nobody where the work got done without it", async () => {
    const s = scene();
    const result = await s.play({ english: [refused, english], german: [german] });
    expect(s.judge(result)).toEqual({
      ...KEPT,
      code: 0,
      status: "Done",
      done: ["english", "german"],
    });
    expect(result.state.approval_items).toEqual([]);
  });

  it("is no request when it destroys nothing: the next brief asks for smaller pieces", async () => {
    const s = scene();
    const denied: Act = { act: "emit", event: { kind: "denied", command: "python huge.py" } };
    const result = await s.play({ english: [[denied], [english]], german: [german] });
    expect(s.judge(result)).toMatchObject({ code: 0, status: "Done" });
    expect(result.state.approval_items).toEqual([]);
  });
});
