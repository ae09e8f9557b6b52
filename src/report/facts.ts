// Lines that begin with what they tell of: `  Next: stint verify`.
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

export function fact(name: string, text: string, paint: Paint): string {
  return `  ${paint.dim(`${name}:`)} ${visibleLine(text)}`;
}

/** What to do after this, ready to be copied: the first step, then those that follow or could be taken instead. */
export function nextFacts(
  steps: readonly string[],
  paint: Paint,
  others: "Then" | "Or" = "Then",
): Block[] {
  return steps.map((step, index) => ({
    commands: fact(index === 0 ? "Next" : others, step, paint),
  }));
}
