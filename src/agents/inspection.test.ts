// What can be asked of installed agents, against what the real ones answered.
import { describe, expect, it } from "vitest";
import type { Agent } from "./agent.ts";
import { CODING_AGENTS } from "./agents.ts";

const program = (name: string) =>
  (CODING_AGENTS.find((agent) => agent.name === name) as Agent).program;

describe("the version of an installed agent", () => {
  it.each([
    ["claude", "2.1.325 (Claude Code)\n", "2.1.325"],
    ["codex", "codex-cli 0.166.0\n", "0.166.0"],
    ["gemini", "0.61.0\n", "0.61.0"],
    ["opencode", "1.18.33\n", "1.18.33"],
    ["copilot", "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check.\n", "1.0.102"],
    ["qwen", "0.24.4\n", "0.24.4"],
    ["qwen", "0.25.0-nightly.20261101.abc\n", "0.25.0-nightly.20261101.abc"],
    ["qwen", "command not found\n", null],
  ])("of %s is read from %j", (name, stdout, version) => {
    expect(program(name)?.versionIn(stdout)).toBe(version);
  });
});

describe("whether somebody is logged in", () => {
  it.each([
    ["claude", 0, '{\n  "loggedIn": true,\n  "authMethod": "api_key"\n}\n', true],
    ["claude", 1, '{\n  "loggedIn": false,\n  "authMethod": "none"\n}\n', false],
    ["claude", 1, "error: unknown command 'auth'\n", null],
    ["codex", 0, "Logged in using ChatGPT\n", true],
    ["codex", 1, "", false],
    ["opencode", 0, "└  2 credentials\n", true],
    ["opencode", 0, "└  0 credentials\n└  1 environment variable\n", true],
    ["opencode", 0, "└  0 credentials\n", null],
  ])("%s tells by exit code %i and %j", (name, exitCode, stdout, wanted) => {
    expect(program(name)?.login?.isLoggedIn({ exitCode, stdout })).toBe(wanted);
  });

  it("the others have no command for it", () => {
    for (const name of ["gemini", "copilot", "qwen"]) expect(program(name)?.login).toBeNull();
  });
});
