import { describe, expect, it } from "vitest";
import { EXPECTED } from "../../test/fixtures/agent-streams/expected.ts";
import { capturedLines } from "../../test/support/agent-streams.ts";
import { refusal } from "../../test/support/refusal.ts";
import { agentSuite } from "../../test/suites/agent.testsuite.ts";
import { AGENT_NAMES, chooseAgent, CODING_AGENTS } from "./agents.ts";

const HERE = { calledFrom: "/home/ada", scriptedProgram: "/stint/scripted-agent.cjs" };

const SAYING: Readonly<Record<string, (text: string) => object>> = {
  claude: (text) => ({ type: "assistant", message: { content: [{ type: "text", text }] } }),
  qwen: (text) => ({ type: "assistant", message: { content: [{ type: "text", text }] } }),
  codex: (text) => ({ type: "item.completed", item: { type: "agent_message", text } }),
  gemini: (text) => ({ type: "message", role: "assistant", content: text, delta: true }),
  opencode: (text) => ({ type: "text", part: { type: "text", text } }),
  copilot: (text) => ({ type: "assistant.message", data: { content: text } }),
};

for (const agent of CODING_AGENTS) {
  agentSuite({
    agent,
    goodLines: capturedLines(agent.name, "tool-use"),
    saying: (text) => JSON.stringify(SAYING[agent.name]?.(text)),
  });
}
agentSuite({
  agent: chooseAgent("command:./agent.sh --flag", HERE),
  goodLines: ["hello"],
  saying: (text) => text,
  endsByExit: true,
});
agentSuite({
  agent: chooseAgent("scripted:demo.json", HERE),
  goodLines: ['{"kind":"text","text":"hi"}', '{"kind":"result","ok":true}'],
  saying: (text) => JSON.stringify({ kind: "text", text }),
});

describe("choosing an agent", () => {
  it("covers every agent by the suite", () => {
    expect(AGENT_NAMES).toEqual([...Object.keys(EXPECTED), "command", "scripted"]);
    expect(Object.keys(SAYING).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it("suggests the nearest of the known ones", () => {
    const error = refusal(() => chooseAgent("cladue", HERE));
    expect(error).toMatchObject({
      code: "bad-input",
      message: 'There is no agent "cladue"; did you mean "claude"?',
      hint: "Agents: claude, codex, gemini, opencode, copilot, qwen, command:<program> [args], scripted:<script.json>",
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
