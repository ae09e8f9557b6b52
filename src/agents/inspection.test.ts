// What can be asked of installed agents, against what the real ones answered.
import { describe, expect, it } from "vitest";
import type { Agent } from "./agent.ts";
import { CODING_AGENTS } from "./agents.ts";

const program = (name: string) =>
  (CODING_AGENTS.find((agent) => agent.name === name) as Agent).program;

describe("whether somebody is logged in", () => {
  const told: readonly [string, number, string, boolean | null][] = [
    ["claude", 0, '{\n  "loggedIn": true,\n  "authMethod": "api_key"\n}\n', true],
    ["claude", 1, '{\n  "loggedIn": false,\n  "authMethod": "none"\n}\n', false],
    ["claude", 0, 'Warning: slow disk\n{ "loggedIn": true }\n', true],
    ["claude", 1, "error: unknown command 'auth'\n", null],
    ["codex", 0, "Logged in using ChatGPT\n", true],
    ["codex", 1, "", false],
    ["opencode", 0, "└  2 credentials\n", true],
    ["opencode", 0, "└  0 credentials\n└  1 environment variable\n", true],
    ["opencode", 0, "└  0 credentials\n", null],
  ];

  it.each(told)("%s tells by exit code %i and %j", (name, exitCode, stdout, wanted) => {
    expect(program(name)?.login?.isLoggedIn({ exitCode, stdout })).toBe(wanted);
  });

  it("the others have no command for it", () => {
    const others = CODING_AGENTS.filter((agent) => !told.some(([name]) => name === agent.name));
    for (const { name } of others) expect(program(name)?.login).toBeNull();
  });
});

describe("the file in which copilot tells what it used", () => {
  const copilot = CODING_AGENTS.find(({ name }) => name === "copilot") as Agent;
  const told = (modelMetrics: unknown) =>
    copilot.readUsageFile?.(JSON.stringify({ totalNanoAiu: 0, modelMetrics }));

  it("is added up over its models", () => {
    const usage = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 10 };
    expect(told({ "gpt-5.1": { usage }, "gpt-5-mini": { usage } })).toEqual({
      input: 2000,
      output: 100,
      cached: 20,
      costUsd: null,
    });
  });

  it("tells nothing when it is damaged, and nothing absurd", () => {
    const absurd = { inputTokens: -5, outputTokens: 1e300, cacheReadTokens: "x" };
    for (const metrics of [undefined, null, [], { a: 1 }, { a: { usage: absurd } }]) {
      expect(told(metrics)).toBeNull();
    }
    expect(copilot.readUsageFile?.("{cut")).toBeNull();
  });
});
