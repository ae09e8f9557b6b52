import { describe, expect, it } from "vitest";
import { renderMachine } from "./render-machine.ts";
import { TRANSITIONS } from "./transitions.ts";

describe("the rendered machine", () => {
  it("S3-14 names every transition with its guard, in a diagram and in tables", () => {
    const text = renderMachine();
    for (const { from, event, to, guard } of TRANSITIONS.filter((row) => row.from !== row.to)) {
      expect(text).toContain(`| ${from} | ${event} | ${to} | ${guard} |`);
      expect(text).toContain(`  ${from} --> ${to}\n`);
    }
    for (const { event } of TRANSITIONS) expect(text).toContain(`| ${event} |`);
  });
});
