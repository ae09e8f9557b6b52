import { describe, expect, it } from "vitest";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { agentProblems, newAgentErrors } from "./agent-problems.ts";

const NAMES = ["claude", "codex", "gemini", "scripted"];

function problemsOf(text: string) {
  const document = parseManifest(text);
  return agentProblems(document, normaliseManifest(document).plan, NAMES);
}

function withFront(...lines: string[]): string {
  return `---\n${lines.join("\n")}\n---\n# Goal\n\nGo.\n\n# Steps\n\n- [ ] One\n- [ ] Two\n`;
}

function withKeys(...keys: string[]): string {
  const below = keys.map((key) => `  - ${key}\n`).join("");
  return `# Goal\n\nGo.\n\n# Steps\n\n- [ ] One\n${below}- [ ] Two\n`;
}

describe("an agent in the front matter that nobody has", () => {
  it("is an error at its line, with the line put right", () => {
    expect(problemsOf(withFront("plan: review", "agent: cluade"))).toEqual([
      {
        rule: "unknown-agent",
        severity: "error",
        line: 3,
        message: 'there is no agent "cluade" (did you mean claude?)',
        example: "agent: claude",
        found: "agent: cluade",
      },
    ]);
  });

  it("is told with the names that there are, if it is like none of them", () => {
    expect(problemsOf(withFront("agent: chatgpt"))).toMatchObject([
      {
        line: 2,
        message: 'there is no agent "chatgpt" (known are claude, codex, gemini, scripted)',
        example: "agent: codex",
        sample: true,
      },
    ]);
  });

  it("is found in a list, in one line and in several", () => {
    expect(problemsOf(withFront('"agents": [claud, codex, gemin]'))).toMatchObject([
      { line: 2, example: '"agents": [claude, codex, gemini]' },
      { line: 2, example: '"agents": [claude, codex, gemini]' },
    ]);
    expect(problemsOf(withFront("agents:", "  - codex", "  - claud"))).toMatchObject([
      { line: 4, example: "- claude", found: "- claud" },
    ]);
    const mixed = problemsOf(withFront("agents: [claud, chatgpt]"));
    expect(mixed.map(({ example, sample }) => [example, sample])).toEqual([
      ["agents: [claude, codex]", true],
      ["agents: [claude, codex]", true],
    ]);
  });

  it("is not found where all are known", () => {
    expect(problemsOf(withFront("agent: codex"))).toEqual([]);
    expect(problemsOf(withFront("agents: [gemini, scripted]"))).toEqual([]);
  });

  it("needs a program, if any program would do", () => {
    const [problem] = problemsOf(withFront("agent: acp"));
    expect(problem?.message).toBe(
      "there is no agent \"acp\" (acp needs a program, as in: stint run --agent 'acp:./agent.sh')",
    );
  });
});

it("agent: together with agents: is a warning that says which one counts", () => {
  expect(problemsOf(withFront("agents: [claude]", "agent: codex"))).toEqual([
    {
      rule: "agent-and-agents",
      severity: "warning",
      line: 3,
      message: "agents: counts, and agent: is ignored; remove one of the two lines",
      example: "",
      found: "agent: codex",
    },
  ]);
});

describe("an agent of a task that nobody has", () => {
  it.each([
    ["agent: cluade", "unknown-agent", "- agent: claude", undefined],
    ["agent: emacs", "unknown-agent", "- agent: codex", true],
    ["delegate: codx", "unknown-delegate", "- delegate: codex", undefined],
    ["delegate: bob", "unknown-delegate", "- delegate: bob\n- returns: message", undefined],
    ['check: agent cdoex "Fine?"', "unknown-reviewer", '- check: agent codex "Fine?"', undefined],
    ['check: agent bob "Fine?"', "unknown-reviewer", '- check: agent codex "Fine?"', true],
  ])("%s is an error at the line of the key", (key, rule, example, sample) => {
    const [problem, ...others] = problemsOf(withKeys("timeout: 1h", "check: file a.txt", key));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule, severity: "error", line: 10, example });
    expect([problem?.found, problem?.sample]).toEqual([`- ${key}`, sample]);
  });

  it("is told for each of two reviews, at the line of each", () => {
    const problems = problemsOf(withKeys('check: agent bob "A?"', 'check: agent bob "B?"'));
    expect(problems.map(({ line }) => line)).toEqual([8, 9]);
  });

  it("does not matter when the task is done", () => {
    expect(problemsOf(withKeys("agent: emacs").replace("- [ ] One", "- [x] One"))).toEqual([]);
  });
});

describe("a change of the manifest", () => {
  const before = withKeys("agent: mine");

  it("is judged by the agents that it brings", () => {
    const after = before.replace("- [ ] Two", "- [ ] Two\n  - agent: emacs");
    expect(newAgentErrors({ before, after }, NAMES)).toMatchObject([{ line: 10 }]);
  });

  it("is not judged by those that were there before", () => {
    const after = before.replace("Two", "Three");
    expect(newAgentErrors({ before, after }, NAMES)).toEqual([]);
  });
});
