import { describe, expect, it } from "vitest";
import { RECORDED } from "../../test/fixtures/agent-streams/expected.ts";
import { capturedLines } from "../../test/support/agent-streams.ts";
import { refusal } from "../../test/support/refusal.ts";
import { agentSuite } from "../../test/suites/agent.testsuite.ts";
import type { Agent } from "./agent.ts";
import { chooseAgent, CODING_AGENTS } from "./agents.ts";

const HERE = { calledFrom: "/home/ada", scriptedProgram: "/stint/scripted-agent.cjs" };

for (const agent of CODING_AGENTS) {
  agentSuite({
    agent,
    goodLines: capturedLines(RECORDED[agent.name]?.goodSession ?? agent.name, "tool-use"),
    saying: (text) => JSON.stringify(RECORDED[agent.name]?.saying(text)),
  });
}
agentSuite({
  agent: chooseAgent("command:./agent.sh --flag", HERE),
  goodLines: ["hello"],
  saying: (text) => text,
  endsByExit: true,
});
agentSuite({
  agent: chooseAgent("acp:goose acp", HERE),
  goodLines: capturedLines("kimi", "tool-use"),
  saying: (text) => JSON.stringify(RECORDED["kimi"]?.saying(text)),
});
agentSuite({
  agent: chooseAgent("scripted:demo.json", HERE),
  goodLines: ['{"kind":"text","text":"hi"}', '{"kind":"result","ok":true}'],
  saying: (text) => JSON.stringify({ kind: "text", text }),
});

describe("choosing an agent", () => {
  it("finds one that a program brought along, and names it among the others", () => {
    const [first] = CODING_AGENTS as readonly [Agent];
    const own = [{ ...first, name: "mine" }];
    expect(chooseAgent("mine", { ...HERE, own })).toBe(own[0]);
    const error = refusal(() => chooseAgent("mien", { ...HERE, own }));
    expect(error.message).toBe('There is no agent "mien"; did you mean "mine"?');
    expect(error.hint).toMatch(/, scripted:<script.json>, mine$/);
  });

  it("suggests the nearest of the known ones", () => {
    const names = CODING_AGENTS.map(({ name }) => name).join(", ");
    const error = refusal(() => chooseAgent("cladue", HERE));
    expect(error).toMatchObject({
      code: "bad-input",
      message: 'There is no agent "cladue"; did you mean "claude"?',
      hint: `Agents: ${names}, acp:<program> [args], command:<program> [args], scripted:<script.json>`,
    });
  });

  it("lists the known ones when none is near", () => {
    const error = refusal(() => chooseAgent("emacs", HERE));
    expect(error.message).toBe('There is no agent "emacs"');
  });

  it("refuses arguments where none belong", () => {
    const error = refusal(() => chooseAgent("claude:--yolo", HERE));
    expect(error.message).toBe('The agent claude takes nothing after its name, but got "--yolo"');
  });
});
