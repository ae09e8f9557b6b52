// The generated parts of docs/agents.md: what the code says of each agent, and what the captured
// sessions of the real programs are judged to be.
import type { Agent } from "../../src/agents/agent.ts";
import { CODING_AGENTS } from "../../src/agents/agents.ts";
import type { Expected } from "../fixtures/agent-streams/expectation.ts";
import { RECORDED, SITUATIONS } from "../fixtures/agent-streams/expected.ts";

/** The document with its two generated parts made anew. */
export function withAgents(text: string): string {
  return between(between(text, "modes", modes()), "outcomes", outcomes());
}

function between(text: string, name: string, part: string): string {
  const [start, end] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from === -1 || to === -1) return `the markers of the generated part ${name} are missing`;
  return `${text.slice(0, from + start.length)}\n\n${part}\n\n${text.slice(to)}`;
}

function modes(): string {
  return table(
    ["agent", "install", "log in", "default", "read-only", "dangerous"],
    CODING_AGENTS.map(({ name, installHint, loginHint, modes: mode }: Agent) => [
      `\`${name}\``,
      installHint,
      loginHint,
      mode.default,
      mode["read-only"],
      mode.dangerous,
    ]),
  );
}

function outcomes(): string {
  const names = Object.keys(RECORDED);
  return table(
    ["what happens", ...names],
    Object.entries(SITUATIONS).map(([situation, words]) => [
      words,
      ...names.map((name) => cell(RECORDED[name]?.sessions[situation])),
    ]),
  );
}

function cell(expected: Expected | undefined): string {
  if (expected === undefined) return "";
  const { kind, until } = expected.outcome;
  return typeof until === "string" ? `${kind}, until known` : kind;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
