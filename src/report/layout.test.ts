import { describe, expect, it } from "vitest";
import { layOut, renderTable } from "./layout.ts";
import { columnsOf, withoutColours } from "./visible.ts";

const WORDS = "words that go on and on until nobody knows where they began or why they did";

describe("what a verb shows", () => {
  it("has its words broken between words, indented below where they began", () => {
    expect(layOut([`- ${WORDS}`, `    - ${WORDS}`], 30).split("\n")).toEqual([
      "- words that go on and on",
      "  until nobody knows where",
      "  they began or why they did",
      "    - words that go on and on",
      "      until nobody knows",
      "      where they began or why",
      "      they did",
    ]);
  });

  it("has no line broken where nobody knows a width", () => {
    expect(layOut([WORDS, { commands: WORDS }, "", { whole: WORDS }], undefined)).toBe(
      [WORDS, WORDS, "", WORDS].join("\n"),
    );
  });

  it("takes every line of a text for itself", () => {
    expect(layOut(["one two\n      → three four"], 14)).toBe(
      "one two\n      → three\n        four",
    );
  });

  it("leaves whole what is a difference, a script or an example", () => {
    expect(layOut([{ whole: `+${WORDS}` }], 20)).toBe(`+${WORDS}`);
  });

  it("breaks commands only between one and the next", () => {
    expect(layOut([{ commands: "  Next: stint diff a1  then  stint approve a1" }], 24)).toBe(
      "  Next: stint diff a1\n    then  stint approve a1",
    );
    expect(layOut([{ commands: "  Then: when it is answered: stint resume p-1" }], 40)).toBe(
      "  Then: when it is answered:\n    stint resume p-1",
    );
  });

  it("breaks the words before a command, in a column as in a line", () => {
    const step = 'check its box in the manifest, or leave it out: stint skip t2 --reason "…"';
    expect(layOut([{ commands: `  Next: ${step}` }], 30).split("\n")).toEqual([
      "  Next: check its box in the",
      "    manifest, or leave it",
      "    out:",
      '    stint skip t2 --reason "…"',
    ]);
    const row = [{ text: "Go on" }, { text: step, breaks: "commands" as const }];
    expect(layOut([{ rows: [row], indent: "  " }], 44).split("\n")).toEqual([
      "  Go on  check its box in the manifest, or",
      "         leave it out:",
      '         stint skip t2 --reason "…"',
    ]);
  });

  it("keeps a check in one line, and finds where commands begin behind a colour", () => {
    expect(layOut(["attempt 1 failed: `test -f hallo.txt` there"], 30)).toBe(
      "attempt 1 failed:\n  `test -f hallo.txt` there",
    );
    const dim = "  \u001b[2mThen:\u001b[22m when it is answered: stint resume p-1";
    expect(withoutColours(layOut([{ commands: dim }], 40))).toBe(
      "  Then: when it is answered:\n    stint resume p-1",
    );
  });

  it.each([
    ["Look first: ", "stint diff a1 p-4k2j9x8m1q", ", then say so"],
    ["Look first: ", "stint doctor p-ehhivgvbnl --repair", ", then say so"],
    ["For example: ", 'stint deny a1 --reason "the names are wrong"', ""],
    ["Go on: ", "stint resume p-4k2j9x8m1q --agent 'command:./agent.sh --fast'", ""],
    ["Say yes: ", "stint approve plan p-4k2j9x8m1q", " or no"],
    ["Let it end: ", "stint pause p-4k2j9x8m1q && stint shell", ""],
    ["It is there: ", "git -C /repo/here show 0123456789", " shows it"],
    ["Make it yours: ", "chmod u+r '/a folder/with spaces'", "."],
    ["", "stint doctor --repair p-4k2j9x8m1q", " ends it"],
    ["the item is not a task; a box is ", "[ ]", " or [x] and a space"],
  ])("keeps the command in %j%s%s in one line", (before, command, after) => {
    for (let width = 10; width < 90; width += 1) {
      const line = `${before}${command}${after}`;
      const shown = layOut([line], width);
      expect(shown).toContain(command);
      expect(shown.replace(/\n */g, " ")).toBe(line);
    }
  });

  it("leaves no sign alone in a line, where what follows it is too long for any", () => {
    const path = "a/path/that/is/wider/than/the/terminal/is.md";
    expect(layOut([`! ${path} is not there`], 20)).toBe(`! ${path}\n  is not there`);
    const failed = `  \u001b[31m✗\u001b[39m \`${path}\``;
    expect(layOut([failed], 20)).toBe(failed);
  });

  it("does not count colours", () => {
    const red = `\u001b[31m${WORDS}\u001b[39m`;
    const lines = layOut([red], 30).split("\n");
    expect(lines.map((line) => columnsOf(withoutColours(line)) < 30)).toEqual([true, true, true]);
    expect(withoutColours(lines.join(" ")).replace(/ +/g, " ")).toBe(WORDS);
  });

  it("has tables whose last column is broken between words, and nothing of it lost", () => {
    const rows = [[{ text: "t1" }, { text: WORDS }]];
    expect(layOut([{ rows, indent: "  " }], 40).split("\n")).toEqual([
      "  t1  words that go on and on until",
      "      nobody knows where they began or",
      "      why they did",
    ]);
  });

  it("has text without spaces broken between its characters, never inside one", () => {
    const text = "日本語で挨拶を書く、👩‍👩‍👧👩‍👩‍👧世界中の人々が読む。Plain 日本";
    const family = "👩‍👩‍👧";
    for (let width = 8; width < 60; width += 1) {
      const lines = layOut([text], width).split("\n");
      expect(lines.every((line) => columnsOf(line) <= width)).toBe(true);
      const whole = lines.map((line) => line.trim()).join("");
      expect(whole.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      expect(lines.filter((line) => line.includes("\u200d") && !line.includes(family))).toEqual([]);
      expect(lines.some((line) => /^\s*[、。]/.test(line))).toBe(false);
    }
  });
});

const cells = (...texts: string[]) => texts.map((text) => ({ text }));

const red = (text: string) => `<${text}>`;

describe("a table", () => {
  it("aligns columns by what is seen, whatever colours and scripts", () => {
    expect(renderTable([[{ text: "a", paint: red }, { text: "x" }], cells("日本", "y")])).toEqual([
      "<a   >  x",
      "日本  y",
    ]);
  });

  it("cuts no word, in a terminal or in a pipe", () => {
    const row = cells("id", "x".repeat(50));
    expect(renderTable([row], { width: 20 })).toEqual([`id  ${"x".repeat(50)}`]);
    expect(renderTable([row])).toEqual([`id  ${"x".repeat(50)}`]);
  });

  it("tells its rows as lines of words where its columns leave no room", () => {
    const row = cells("p-4k2j9x8m1q", "", "shop", "Running", "/home/ada/shop/prompt.md");
    expect(renderTable([row], { width: 28 })).toEqual([
      "p-4k2j9x8m1q  shop  Running\n    /home/ada/shop/prompt.md",
    ]);
  });

  it("gives a command that is too wide for its column a line of its own", () => {
    const row = (text: string) => [
      { text: "t1" },
      { text: "long name" },
      { text, breaks: "commands" as const },
    ];
    const options = { indent: " ", width: 24 };
    expect(renderTable([row("npm i x")], options)).toEqual([" t1  long name  npm i x"]);
    expect(renderTable([row("npm install x")], options)).toEqual([
      " t1  long name\n     npm install x",
    ]);
    const wide = "npm install -g something";
    expect(renderTable([row(wide)], options)).toEqual([` t1  long name\n     ${wide}`]);
  });

  it("gives words that have hardly any room lines of their own", () => {
    const row = (text: string) => cells("x".repeat(20), text);
    const text = "words that are told to their end, whatever there is of them";
    expect(renderTable([row("few words")], { width: 40 })).toEqual([
      `${"x".repeat(20)}  few words`,
    ]);
    expect(renderTable([row(text)], { width: 40 })).toEqual([
      `${"x".repeat(20)}\n    words that are told to their end,\n    whatever there is of them`,
    ]);
  });

  it("leaves no empty line above a last cell that has a line of its own", () => {
    const rows = [cells("a longer name", "x"), cells("", "/home/ada/shop/of/hers/prompt.md")];
    expect(renderTable(rows, { width: 30 })).toEqual([
      "a longer name  x",
      "    /home/ada/shop/of/hers/prompt.md",
    ]);
  });

  it("indents, leaves no spaces at the end, and takes rows of different length", () => {
    expect(renderTable([cells("a", ""), cells("bb", "c", "d"), []], { indent: "  " })).toEqual([
      "  a",
      "  bb  c  d",
      "",
    ]);
  });

  it("holds very many rows", () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => cells(String(n), "x"));
    expect(renderTable(rows).at(-1)).toBe("199999  x");
  });

  it("without rows is nothing", () => {
    expect(renderTable([])).toEqual([]);
  });
});
