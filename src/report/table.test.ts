import { describe, expect, it } from "vitest";
import { renderTable } from "./table.ts";

const cells = (...texts: string[]) => texts.map((text) => ({ text }));

const red = (text: string) => `<${text}>`;

describe("a table", () => {
  it("aligns columns by what is seen, whatever colours and scripts", () => {
    expect(renderTable([[{ text: "a", paint: red }, { text: "x" }], cells("日本", "y")])).toEqual([
      "<a   >  x",
      "日本  y",
    ]);
  });

  it("cuts its last column where the terminal ends, and not in a pipe", () => {
    const row = cells("id", "x".repeat(50));
    expect(renderTable([row], { width: 20 })).toEqual([`id  ${"x".repeat(15)}…`]);
    expect(renderTable([row])).toEqual([`id  ${"x".repeat(50)}`]);
  });

  it("keeps the end of what says more there", () => {
    const row = [{ text: "id" }, { text: "/home/ada/日本/shop/prompt.md", keeps: "end" as const }];
    expect(renderTable([row], { width: 24 })).toEqual(["id  …日本/shop/prompt.md"]);
  });

  it("gives a command that is too wide for its column a line of its own, if that helps", () => {
    const row = (text: string) => [
      { text: "t1" },
      { text: "long name" },
      { text, whole: "commands" as const },
    ];
    const options = { indent: " ", width: 24 };
    expect(renderTable([row("npm i x")], options)).toEqual([" t1  long name  npm i x"]);
    expect(renderTable([row("npm install x")], options)).toEqual([
      " t1  long name\n     npm install x",
    ]);
    const wide = "npm install -g something";
    expect(renderTable([row(wide)], options)).toEqual([` t1  long name  ${wide}`]);
  });

  it("gives words that have hardly any room lines of their own", () => {
    const row = (text: string) => [{ text: "x".repeat(20) }, { text, whole: "words" as const }];
    const text = "words that are told to their end, whatever there is of them";
    expect(renderTable([row("few words")], { width: 40 })).toEqual([
      `${"x".repeat(20)}  few words`,
    ]);
    expect(renderTable([row(text)], { width: 40 })).toEqual([
      `${"x".repeat(20)}\n    words that are told to their end,\n    whatever there is of them`,
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
