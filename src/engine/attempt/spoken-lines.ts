// What an agent says, as lines for a person. Some agents tell a text in pieces of a few letters: those are joined until
// their line is whole, or until something else happens.
import type { AgentEvent } from "../../agents/agent.ts";

/** More of a line is not shown anywhere. */
const LONGEST = 4096;

/** They come between the pieces of one text. */
const BETWEEN: ReadonlySet<AgentEvent["kind"]> = new Set<AgentEvent["kind"]>([
  "usage",
  "unreadable",
]);

export class SpokenLines {
  #begun = "";

  /** @returns the lines that are whole now */
  hear(event: AgentEvent): readonly string[] {
    if (BETWEEN.has(event.kind)) return [];
    if (event.kind !== "text" || event.isPiece !== true) {
      const begun = this.end();
      return event.kind === "text" ? [...begun, event.text] : begun;
    }
    const [first = "", ...others] = event.text.split("\n");
    const lines = [this.#begun + first, ...others];
    this.#begun = (lines.pop() ?? "").slice(0, LONGEST);
    return lines.filter((line) => line.trim() !== "");
  }

  /** @returns the line that nothing ended */
  end(): readonly string[] {
    const begun = this.#begun;
    this.#begun = "";
    return begun.trim() === "" ? [] : [begun];
  }
}
