import { describe, expect, it } from "vitest";
import { refusal } from "../../test/support/refusal.ts";
import { request, sessionFacts } from "../../test/support/session-fixture.ts";
import { commandAgent } from "./agents.ts";

describe("a program as an agent", () => {
  it.each([
    ["./agent.sh --flag 'two words'", "/home/ada/agent.sh", ["--flag", "two words"]],
    ["../bin/agent", "/home/bin/agent", []],
    ["/opt/agent $HOME", "/opt/agent", ["$HOME"]],
    ["agent -x", "agent", ["-x"]],
  ])("%s is found from where the person stood, and sees no shell", (line, program, args) => {
    const command = commandAgent(line, "/home/ada").buildCommand(request());
    expect(command).toMatchObject({ program, args });
  });

  it("is refused with an unbalanced quote, and told how to quote", () => {
    const error = refusal(() => commandAgent("./agent.sh 'x", "/"));
    expect(error).toMatchObject({
      code: "bad-input",
      message:
        "The agent command cannot be split into words: the quote ' at character 12 is never closed: ./agent.sh 'x",
      hint: `Quote it like this: --agent 'command:./agent.sh --flag "two words"'`,
    });
  });

  it.each(["", "  ", "''"])("is refused without a program: %j", (line) => {
    expect(refusal(() => commandAgent(line, "/")).message).toBe(
      "The agent command names no program",
    );
  });

  it("crashes with its exit code and its last words", () => {
    const agent = commandAgent("agent", "/");
    const facts = sessionFacts({ exitCode: 4, stderrTail: "starting\nno such model\n" });
    expect(agent.outcome(facts)).toEqual({
      kind: "crashed",
      exitCode: 4,
      reason: "it exited with code 4: no such model",
    });
  });

  it("needs no particular output to finish", () => {
    expect(commandAgent("true", "/").outcome(sessionFacts())).toEqual({ kind: "finished" });
  });
});
