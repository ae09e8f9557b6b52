import { describe, expect, test } from "vitest";
import { settleLog } from "./resolve-tasks.ts";

const BASE = "# Log\n\n## Resolution Log\n\n- A-1: x\n";
const THEIRS = `${BASE}- DOC-2: y (\`a.ts\`)\n`;

function settled(base: string | null, ours: string | null, theirs: string | null): string | null {
  return settleLog({ path: "docs/_feedback.md", base, ours, theirs, tasks: ["t1"] });
}

describe("S2-21 a log on a branch that moved", () => {
  test("gets the line of the commit once", () => {
    expect(settled(BASE, BASE, THEIRS)).toBe(THEIRS);
    expect(settled(BASE, THEIRS, THEIRS)).toBe(THEIRS);
  });

  test("keeps every line of the person's, also at the same place and with other line ends", () => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      const ours = `${BASE}- B-1: z\n`.replaceAll("\n", newline);
      const after = settled(BASE, ours, THEIRS);
      expect(after).toBe(`${ours}- DOC-2: y (\`a.ts\`)${newline}`);
      expect(settled(BASE, after, THEIRS)).toBe(after);
    }
  });

  test("is made anew where the branch has none, and left where the commit has none", () => {
    expect(settled(BASE, null, THEIRS)).toBe("## Resolution Log\n\n- DOC-2: y (`a.ts`)\n");
    expect(settled(null, null, THEIRS)).toContain("- A-1: x\n- DOC-2: y");
    expect(settled(BASE, BASE, null)).toBe(BASE);
  });
});
