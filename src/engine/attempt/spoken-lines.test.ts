import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../agents/agent.ts";
import { SpokenLines } from "./spoken-lines.ts";

const piece = (text: string): AgentEvent => ({ kind: "text", text, isPiece: true });
const USED: AgentEvent = { kind: "usage", input: 1, output: 1, cached: 0, costUsd: null };

function told(...events: readonly AgentEvent[]): readonly string[] {
  const lines = new SpokenLines();
  return [...events.flatMap((event) => lines.hear(event)), ...lines.end()];
}

describe("what an agent says", () => {
  it("is told text by text where the texts are whole", () => {
    expect(told({ kind: "text", text: "a\nb" }, { kind: "text", text: "c" })).toEqual([
      "a\nb",
      "c",
    ]);
  });

  it("is joined from its pieces, line by line", () => {
    expect(told(piece("I be"), piece("gin.\nThe"), USED, piece("n"), piece("\n\n"))).toEqual([
      "I begin.",
      "Then",
    ]);
  });

  it("ends its line where something else happens, and at the end", () => {
    const call: AgentEvent = { kind: "tool-call", tool: "shell", detail: "ls" };
    expect(told(piece("a"), call, piece("b"))).toEqual(["a", "b"]);
    expect(told(piece("a"), { kind: "text", text: "b" })).toEqual(["a", "b"]);
  });

  it("is bounded, however long a line is", () => {
    const [line = "", ...others] = told(...Array.from({ length: 60_000 }, () => piece("xxxx")));
    expect([line.length, others]).toEqual([4096, []]);
  });
});
