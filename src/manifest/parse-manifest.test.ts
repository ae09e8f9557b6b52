import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ManifestDocument, ManifestTask } from "./manifest-document.ts";
import { parseManifest } from "./parse-manifest.ts";

function fixture(name: string): ManifestDocument {
  const url = new URL(`../../test/fixtures/manifests/${name}`, import.meta.url);
  return parseManifest(readFileSync(url, "utf8"));
}

function steps(text: string): ManifestDocument {
  return parseManifest(`# Steps\n\n${text}`);
}

function titles(document: ManifestDocument): string[] {
  return document.tasks.map((task) => task.title);
}

function onlyTask(document: ManifestDocument): ManifestTask {
  const [task, ...others] = document.tasks;
  if (task === undefined || others.length > 0) throw new Error(`${document.tasks.length} tasks`);
  return task;
}

describe("a section", () => {
  test("is found by its heading in any level and any case, a colon allowed", () => {
    const document = fixture("no-title.md");
    expect(document.sections.map(({ name, level, line }) => [name, level, line])).toEqual([
      ["Goal", 2, 1],
      ["Steps", 2, 5],
    ]);
    expect(titles(document)).toEqual(["Read the old format", "Collect the files"]);
  });

  test.each(["Goal\n====\n", "### gOaL  :  \n", "# Goal #\n", "Goal\n---\n"])(
    "is opened by %j",
    (heading) => {
      expect(parseManifest(`${heading}text\n`).sections.map((section) => section.name)).toEqual([
        "Goal",
      ]);
    },
  );

  test("runs over deeper headings to the next of its own or a higher level", () => {
    const document = parseManifest(
      "## Steps\n### Part one\n- [ ] a\n### Part two\n- [ ] b\n## Other\n- [ ] c\n",
    );
    expect(titles(document)).toEqual(["a", "b"]);
    expect(document.text.slice(document.sections[0]?.start, document.sections[0]?.end)).toBe(
      "## Steps\n### Part one\n- [ ] a\n### Part two\n- [ ] b\n",
    );
  });

  test("ends where a heading names another section, even a deeper one", () => {
    const document = parseManifest("# Goal\ntext\n## Steps\n- [ ] a\n### Notes\n- [ ] no task\n");
    expect(document.sections.map((section) => section.name)).toEqual(["Goal", "Steps", "Notes"]);
    expect(titles(document)).toEqual(["a"]);
  });

  test("is not opened by a heading inside a list or a quote", () => {
    expect(parseManifest("> # Goal\n\n- # Steps\n  - [ ] a\n").sections).toEqual([]);
  });
});

describe("a task", () => {
  test.each([
    ["- [ ] a", false],
    ["* [x] a", true],
    ["+ [X] a", true],
    ["1. [ ] a", false],
    ["7) [x] a", true],
    ["-\t[ ]\ta", false],
    ["   - [ ] a", false],
    ["- - [ ] a", false],
    ["-\n  [ ] a", false],
    ["- [ ]\n  a", false],
  ])("S0-9 is an item that begins with a box: %j", (text, checked) => {
    const task = onlyTask(steps(text));
    expect([task.title, task.box.checked]).toEqual(["a", checked]);
  });

  test.each([
    "- a",
    "- []",
    "- [  ] a",
    "- [-] a",
    "- [x]a",
    "- [x](link) a",
    "- [x]: definition",
    "- \\[ ] a",
    "- `[ ]` a",
    "- # [ ] a",
    "[ ] a",
    "-[ ] a",
    "> - [ ] a",
    "    - [ ] a",
    "- ```\n  [ ] a\n  ```",
  ])("S0-10 an item without a box is never a task: %j", (text) => {
    expect(steps(text).tasks).toEqual([]);
  });

  test("is not found in code, comments, HTML or quotes", () => {
    const document = fixture("boxes-that-are-no-tasks.md");
    expect(titles(document)).toEqual(["The only task"]);
    expect(document.strayBoxes).toEqual([
      { line: 5, text: "[ ] not under Steps", section: "Goal", where: "outside-steps" },
      { line: 28, text: "- [ ] in HTML", section: "Steps", where: "html" },
      { line: 31, text: "[ ] quoted", section: "Steps", where: "block-quote" },
    ]);
  });

  test("keeps its wrapped title as one line", () => {
    const [first, second] = fixture("wrapped-and-loose.md").tasks;
    expect(first?.title).toBe("Group alarms that have the same cause, even across services");
    expect(first?.keys).toEqual([{ key: "check", value: "`npm test --\nalarms`", line: 13 }]);
    expect(first?.source).toMatch(/^1\) \[ \] Group[^]*A second paragraph[^]*alarms`$/);
    expect(second).toMatchObject({ title: "Silence the known false alarm", box: { mark: "X" } });
  });

  test("nested in another is a task of its own and no part of the other", () => {
    const [outer, inner, last] = fixture("nested.md").tasks;
    expect(outer).toMatchObject({
      title: "Outer",
      substeps: [
        { text: "a sub-step of Outer", line: 8, depth: 1 },
        { text: "another sub-step of Outer", line: 12, depth: 1 },
      ],
      keys: [{ key: "check", value: "`outer`", line: 13 }],
      source:
        "- [ ] Outer\n  - a sub-step of Outer\n  - another sub-step of Outer\n  - check: `outer`",
    });
    expect(inner).toMatchObject({
      title: "Inner",
      parent: 0,
      substeps: [{ text: "a sub-step of Inner" }],
      keys: [{ key: "check", value: "`inner`" }],
    });
    expect(last).toMatchObject({
      title: "In a list of lists",
      parent: undefined,
      box: { column: 5 },
    });
  });

  test("has the keys that its items begin with, in any case and at any depth", () => {
    const task = onlyTask(
      steps(
        "- [ ] a\n  - CHECK : `x`\n  - Docs-Only\n  - Exclusive:\n  - text\n    - After: none\n  - checking: b\n  - run the tests",
      ),
    );
    expect(task.keys.map(({ key, value }) => [key, value])).toEqual([
      ["check", "`x`"],
      ["docs-only", ""],
      ["exclusive", ""],
      ["after", "none"],
    ]);
    expect(task.substeps.map((substep) => substep.text)).toEqual([
      "text",
      "checking: b",
      "run the tests",
    ]);
  });

  test("ends before the blank lines that follow it", () => {
    const text = "# Steps\n\n- [ ] a\n\n  more\n\n\n- [ ] b\n\n\nafter\n";
    const [first, second] = parseManifest(text).tasks;
    expect(text.slice(first?.start, first?.end)).toBe("- [ ] a\n\n  more");
    expect(text.slice(second?.start, second?.end)).toBe("- [ ] b");
  });
});

describe("a box", () => {
  test.each([
    [
      "bom-crlf.md",
      [
        [7, 3],
        [9, 3],
      ],
    ],
    [
      "lone-cr.md",
      [
        [7, 3],
        [8, 3],
      ],
    ],
    [
      "unicode.md",
      [
        [7, 3],
        [8, 3],
        [9, 3],
        [10, 3],
      ],
    ],
  ])("is exactly where it stands in %s", (name, places) => {
    const { tasks, text } = fixture(name);
    expect(tasks.map(({ box }) => [box.line, box.column])).toEqual(places);
    for (const { box } of tasks)
      expect(text.slice(box.offset, box.offset + 3)).toBe(`[${box.mark}]`);
  });

  test("is found in ten thousand tasks", () => {
    const text = `# Steps\n${Array.from({ length: 10_000 }, (_, n) => `- [ ] task ${n}\n`).join("")}`;
    const { tasks } = parseManifest(text);
    expect(tasks).toHaveLength(10_000);
    expect(tasks.at(-1)?.box).toEqual({
      offset: text.length - "[ ] task 9999\n".length,
      line: 10_001,
      column: 3,
      checked: false,
      mark: " ",
    });
  });

  test("that is indented into code is reported, not lost", () => {
    expect(steps("    - [ ] a\n    - [x] b\n").strayBoxes).toEqual([
      { line: 3, text: "- [ ] a", section: "Steps", where: "indented-code" },
      { line: 4, text: "- [x] b", section: "Steps", where: "indented-code" },
    ]);
  });

  test("below a nesting that is too deep is reported, not lost", () => {
    expect(steps(`${"- ".repeat(300)}[ ] deep\n- [ ] after`).tooDeepAt).toBe(3);
    expect(steps(`${"- ".repeat(50)}[ ] deep\n- [ ] after`)).toMatchObject({
      tooDeepAt: undefined,
      tasks: [{ title: "deep" }, { title: "after" }],
    });
  });
});

describe("front matter", () => {
  test("is no part of the text, and lines still count from the top", () => {
    const document = parseManifest("---\nplan: review\n# Steps\n---\n# Steps\n- [ ] a\n");
    expect(document.frontMatter?.source).toBe("plan: review\n# Steps\n");
    expect(document.sections).toHaveLength(1);
    expect(onlyTask(document).box).toMatchObject({ line: 6, offset: 39 });
  });

  test.each([
    "---\n\n# Steps\n- [ ] a\n\n---\n",
    "---\n# Steps\n- [ ] a\n---\n",
    "---\nplan: review\n# Steps\n- [ ] a\n",
  ])("is not seen in %j", (text) => {
    expect(parseManifest(text).frontMatter).toBeUndefined();
    expect(titles(parseManifest(text))).toEqual(["a"]);
  });

  test("may be empty, close with dots, and follow a byte order mark", () => {
    expect(parseManifest("---\n---\n").frontMatter?.source).toBe("");
    const document = parseManifest("\uFEFF---\r\nplan: auto\r\n...\r\n# Steps\r\n- [ ] a");
    expect(document.frontMatter?.source).toBe("plan: auto\r\n");
    expect(titles(document)).toEqual(["a"]);
  });
});

test("a byte order mark belongs to no line and no section", () => {
  expect(parseManifest("\uFEFF# Steps\n- [ ] a").sections).toMatchObject([
    { start: 1, contentStart: 9 },
  ]);
});

test("an empty text has nothing in it", () => {
  expect(parseManifest("")).toMatchObject({ sections: [], tasks: [], headings: [] });
});
