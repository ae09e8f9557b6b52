import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { refusal } from "../../test/support/refusal.ts";
import { agentSuite } from "./agent.testsuite.ts";
import { AGENT_NAMES, chooseAgent } from "./agents.ts";

const HERE = { calledFrom: "/home/ada", scriptedProgram: "/stint/scripted-agent.cjs" };

const claudeText = (text: string) => ({
  type: "assistant",
  message: { content: [{ type: "text", text }] },
});
const codexText = (text: string) => ({
  type: "item.completed",
  item: { type: "agent_message", text },
});

agentSuite({
  agent: chooseAgent("claude", HERE),
  goodLines: streamLines("claude/tool-use"),
  saying: (text) => JSON.stringify(claudeText(text)),
});
agentSuite({
  agent: chooseAgent("codex", HERE),
  goodLines: streamLines("codex/tool-use"),
  saying: (text) => JSON.stringify(codexText(text)),
});
agentSuite({
  agent: chooseAgent("command:./agent.sh --flag", HERE),
  goodLines: ["hello"],
  saying: (text) => text,
});
agentSuite({
  agent: chooseAgent("scripted:demo.json", HERE),
  goodLines: ['{"kind":"text","text":"hi"}', '{"kind":"result","ok":true}'],
  saying: (text) => JSON.stringify({ kind: "text", text }),
});

describe("choosing an agent", () => {
  it("covers every agent by the suite", () => {
    expect(AGENT_NAMES).toEqual(["claude", "codex", "command", "scripted"]);
  });

  it("suggests the nearest of the known ones", () => {
    const error = refusal(() => chooseAgent("cladue", HERE));
    expect(error).toMatchObject({
      code: "bad-input",
      message: 'There is no agent "cladue"; did you mean "claude"?',
      hint: "Agents: claude, codex, command:<program> [args], scripted:<script.json>",
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

function streamLines(name: string): string[] {
  const file = new URL(`../../test/fixtures/agent-streams/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8").split("\n");
}
