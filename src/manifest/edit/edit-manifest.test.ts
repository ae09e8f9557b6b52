import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyManifest, goodManifest } from "../../../test/support/manifest-arbitrary.ts";
import { appendToSection, insertTask, setMarks, type Edited } from "./edit-manifest.ts";
import type { ManifestTask } from "../manifest-document.ts";
import { parseManifest } from "../parse-manifest.ts";

function done(edited: Edited): string {
  if (!edited.ok) throw new Error(edited.reason);
  return edited.text;
}

function taskOf(text: string, index: number): ManifestTask {
  const task = parseManifest(text).tasks[index];
  if (task === undefined) throw new Error(`no task ${index}`);
  return task;
}

function bare(text: string): string {
  return text.replace(/[\r\n]+/g, "\n").trim();
}

const taskAndManifest = anyManifest
  .map((text) => ({ text, tasks: parseManifest(text).tasks }))
  .filter(({ tasks }) => tasks.length > 0)
  .chain(({ text, tasks }) =>
    fc.record({ text: fc.constant(text), task: fc.constantFrom(...tasks) }),
  );

describe("flipping a box", () => {
  test("S0-20 changes exactly one character of any manifest and one box", () => {
    fc.assert(
      fc.property(taskAndManifest, ({ text, task }) => {
        const flipped = done(setMarks(text, [task], !task.box.checked));
        expect(flipped).toHaveLength(text.length);
        const changed = Array.from({ length: text.length }, (_, at) => at).filter(
          (at) => text[at] !== flipped[at],
        );
        expect(changed).toEqual([task.box.offset + 1]);
        const before = parseManifest(text).tasks;
        const after = parseManifest(flipped).tasks;
        expect(after.map((one) => one.title)).toEqual(before.map((one) => one.title));
        expect(after.filter((one, i) => one.box.checked !== before[i]?.box.checked)).toHaveLength(
          1,
        );
      }),
      { numRuns: 500 },
    );
  });

  test("un-flips [X] to [ ] and leaves a box that is already so", () => {
    const text = "# Goal\nx\n# Steps\n- [X] a\n";
    expect(done(setMarks(text, [taskOf(text, 0)], false))).toBe("# Goal\nx\n# Steps\n- [ ] a\n");
    expect(done(setMarks(text, [taskOf(text, 0)], true))).toBe(text);
  });

  test("is refused when the text is no longer the one that was parsed", () => {
    const text = "# Goal\nx\n# Steps\n- [ ] a\n";
    const task = taskOf(text, 0);
    expect(setMarks(`new line\n${text}`, [task], true)).toEqual({
      ok: false,
      reason: 'the box of "a" is no longer on line 4',
    });
    expect(setMarks(text.replace("a\n", "b\n"), [task], true)).toEqual({
      ok: false,
      reason: 'the box of "a" is no longer on line 4',
    });
  });
});

describe("appending to a section", () => {
  test.each([
    [
      "# Steps\n- [ ] a\n\n# Notes\n\n- one\n\n# Tools\nx\n",
      "- two",
      "# Steps\n- [ ] a\n\n# Notes\n\n- one\n- two\n\n# Tools\nx\n",
    ],
    ["# Notes\ntext\n", "- two", "# Notes\ntext\n\n- two\n"],
    ["# Notes\n", "- two", "# Notes\n\n- two\n"],
    ["# Notes", "- two", "# Notes\n\n- two\n"],
    ["# Notes\n- one", "- two", "# Notes\n- one\n- two\n"],
    ["# Notes\n\n# Steps\n- [ ] a", "- two", "# Notes\n\n- two\n\n# Steps\n- [ ] a"],
    ["# Steps\r\n- [ ] a\r\n", "- two", "# Steps\r\n- [ ] a\r\n\r\n## Notes\r\n\r\n- two\r\n"],
    ["# Steps\n- [ ] a", "- two", "# Steps\n- [ ] a\n\n## Notes\n\n- two\n"],
  ])("turns %j with %j into %j", (text, line, expected) => {
    expect(done(appendToSection(text, "Notes", line))).toBe(expected);
  });

  test.each(["# Steps", "a\nb", "", "## Other"])(
    "refuses %j, which is no line of a section",
    (line) => {
      expect(appendToSection("# Steps\n- [ ] a\n# Notes\n", "Notes", line).ok).toBe(false);
    },
  );

  test("says why it refuses", () => {
    expect(appendToSection("# Steps\n- [ ] a\n# Notes\n", "Notes", "# Goal")).toEqual({
      ok: false,
      reason: 'the line would not become a part of Notes: "# Goal"',
    });
  });

  test("keeps every other character of any well formed manifest", () => {
    fc.assert(
      fc.property(goodManifest, fc.constantFrom("References", "Notes"), ({ text }, name) => {
        const grown = done(appendToSection(text, name, "- see UNIQUE"));
        const withoutLine = grown
          .replace("- see UNIQUE", "")
          .replace(/## (?:Notes|References)(?=\s+$)/, "");
        expect(bare(withoutLine)).toBe(bare(text));
        expect(
          grown.match(/\r\n|\n|\r/g)?.every((one) => one === /\r\n|\n|\r/.exec(text)?.[0]),
        ).toBe(true);
      }),
    );
  });
});

describe("inserting a task", () => {
  test.each([
    ["# Steps\n- [ ] a\n- [ ] b\n", "# Steps\n- [ ] a\n- [ ] new\n- [ ] b\n"],
    ["# Steps\n* [x] a\n  - sub\n\n* [ ] b", "# Steps\n* [x] a\n  - sub\n* [ ] new\n\n* [ ] b"],
    ["# Steps\n1. [ ] a", "# Steps\n1. [ ] a\n2. [ ] new"],
    ["# Steps\n- - [ ] a\n", "# Steps\n- - [ ] a\n  - [ ] new\n"],
    ["# Steps\r\n-\t[ ] a\r\n", "# Steps\r\n-\t[ ] a\r\n-\t[ ] new\r\n"],
    ["# Steps\n- [ ] a\n  - [ ] nested\n", "# Steps\n- [ ] a\n  - [ ] nested\n- [ ] new\n"],
  ])("turns %j into %j", (text, expected) => {
    expect(done(insertTask(text, taskOf(text, 0), "new"))).toBe(expected);
  });

  test("keeps every other character of any well formed manifest", () => {
    fc.assert(
      fc.property(goodManifest, fc.nat(), ({ text, tasks }, seed) => {
        const index = seed % tasks.length;
        const grown = done(insertTask(text, taskOf(text, index), "UNIQUE title"));
        expect(grown.replace(/(?:\r\n|\n|\r)- \[ \] UNIQUE title/, "")).toBe(text);
        expect(taskOf(grown, index + 1).title).toBe("UNIQUE title");
      }),
    );
  });

  test("is refused for a title of two lines", () => {
    const text = "# Steps\n- [ ] a\n";
    expect(insertTask(text, taskOf(text, 0), "a\nb")).toEqual({
      ok: false,
      reason: "a task is one line, with text in it",
    });
  });
});
