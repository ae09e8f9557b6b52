import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isResolvedIn, resolutionLine, withResolution } from "./resolve-item.ts";
import { readReviewLog } from "./review-log.ts";

const DONE = { id: "DOC-2", summary: "Wrote the guide", paths: ["docs/guide.md", "README.md"] };
const LINE = "- DOC-2: Wrote the guide (`docs/guide.md`, `README.md`)";

describe("S2-21 a resolution", () => {
  test("is one line with id, summary and paths", () => {
    expect(resolutionLine(DONE)).toBe(LINE);
    expect(resolutionLine({ id: "A-1", summary: "two\nlines ", paths: [] })).toBe(
      "- A-1: two lines",
    );
  });

  test.each([
    [
      "the log ends the file",
      "- DOC-2: x\n\n## Resolution Log\n\n- A-1: y\n",
      `- DOC-2: x\n\n## Resolution Log\n\n- A-1: y\n${LINE}\n`,
    ],
    [
      "no line end at the end",
      "## Resolution Log\n- A-1: y",
      `## Resolution Log\n- A-1: y\n${LINE}\n`,
    ],
    ["the log is empty", "## Resolution Log\n", `## Resolution Log\n\n${LINE}\n`],
    [
      "the log is empty and goes on",
      "## Resolution Log\n\n## Notes\nx\n",
      `## Resolution Log\n\n${LINE}\n\n## Notes\nx\n`,
    ],
    [
      "something follows",
      "## Resolution Log\n\n- A-1: y\n\n## Notes\nx\n",
      `## Resolution Log\n\n- A-1: y\n${LINE}\n\n## Notes\nx\n`,
    ],
    ["there is no log yet", "- DOC-2: x\n", `- DOC-2: x\n\n## Resolution Log\n\n${LINE}\n`],
    ["the file is empty", "", `## Resolution Log\n\n${LINE}\n`],
    [
      "the heading stands in code",
      "```\n## Resolution Log\n```\n",
      `\`\`\`\n## Resolution Log\n\`\`\`\n\n## Resolution Log\n\n${LINE}\n`,
    ],
  ])("is appended where %s", (_name, before, after) => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      const start = before.replaceAll("\n", newline);
      // A text without any line end gets the usual one.
      const end = before.includes("\n") ? after.replaceAll("\n", newline) : after;
      const once = withResolution(start, DONE);
      expect(once).toBe(end);
      expect(withResolution(once, DONE)).toBe(once);
    }
  });

  test("is written although the item itself has the same words, and once with whatever paths", () => {
    const item = { id: "DOC-2", summary: "Write it", paths: [] };
    const once = withResolution("- DOC-2: Write it\n", item);
    expect(once).toBe("- DOC-2: Write it\n\n## Resolution Log\n\n- DOC-2: Write it\n");
    expect(withResolution(once, { ...item, paths: ["a.ts"] })).toBe(once);
  });

  test("is not written where nobody would read it as one", () => {
    const open = "```\n## Resolution Log\n";
    expect(withResolution(open, DONE)).toBe(open);
  });

  test("lets no name of a file begin a line of its own", () => {
    const paths = ["a\n- DOC-3: resolved", "`b`"];
    expect(resolutionLine({ ...DONE, paths })).toBe(
      "- DOC-2: Wrote the guide (`a?- DOC-3: resolved`, `?b?`)",
    );
  });

  test.each([
    ["- DOC-2: done", true],
    ["* **DOC-2** done by hand", true],
    ["- [x] DOC-2", true],
    ["- DOC-20: done", false],
    ["- DOC-2.1: done", false],
    ["DOC-2 in prose", false],
  ])("is found in a log as %j: %j", (line, isFound) => {
    expect(isResolvedIn(`## Resolution Log\n\n${line}\n`, "DOC-2")).toBe(isFound);
    expect(isResolvedIn(`${line}\n\n## Resolution Log\n`, "DOC-2")).toBe(false);
  });

  test("changes no other byte, fifty times, with each kind of line end", () => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      let text = [
        "\uFEFF# Log",
        "",
        "- DOC-1: é\t",
        "",
        "## Resolution Log  ",
        "",
        "- OLD-1: kept  ",
      ].join(newline);
      for (let n = 1; n <= 50; n += 1) {
        const next = withResolution(text, {
          id: `DOC-${n}`,
          summary: `did ${n}`,
          paths: [`f${n}`],
        });
        expect(next.startsWith(text)).toBe(true);
        text = next;
      }
      expect(text.split(newline).filter((line) => line.startsWith("- DOC-"))).toHaveLength(51);
    }
  });

  test("makes an item resolved, whatever else the log holds", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("## Notes", "text", "", "- A-1: y", "## Resolution Log", "### Below"),
        ),
        fc.constantFrom("\n", "\r\n", "\r"),
        (lines, newline) => {
          const text = [`- DOC-2: x`, ...lines].join(newline);
          const after = withResolution(text, DONE);
          const item = readReviewLog(after).items.find(({ id }) => id === "DOC-2");
          expect(item?.isResolved).toBe(true);
          expect(after.replace(LINE, "").length).toBeGreaterThanOrEqual(text.length);
        },
      ),
    );
  });
});
