import { describe, expect, it } from "vitest";
import { formatProblem } from "../manifest/problem.ts";
import { checkSkill } from "./check-skill.ts";

const GOOD =
  "Converts scanned invoices to CSV. Use when an invoice is an image. Not for contracts.";

const TAGGED = "<critical_constraint>\n- Keep every cent.\n</critical_constraint>";

function skill(body: string, description = GOOD, name = "invoices"): string {
  return `---\nname: ${name}\ndescription: '${description}'\n---\n\n${body}\n\n${TAGGED}\n`;
}

/** What is wrong with a skill in the folder `invoices`, as `file:line rule`. */
function found(
  main: string,
  others: Readonly<Record<string, string>> = {},
  siblings: readonly string[] = [],
): string[] {
  const texts = new Map(Object.entries({ "SKILL.md": main, ...others }));
  const source = { folder: "invoices", texts, paths: new Set(texts.keys()), siblings };
  return checkSkill(source).map(({ file, line, rule, severity }) => {
    return `${file}:${line} ${severity} ${rule}`;
  });
}

function ofDescription(description: string, siblings: readonly string[] = []): string[] {
  return found(skill("# Invoices\n\nSums first.", description), {}, siblings);
}

describe("a good skill", () => {
  it("has no problems", () => {
    const main = skill("# Invoices\n\nSums are in [sums](references/sums.md).");
    expect(found(main, { "references/sums.md": "# Sums\n\nNet, then gross.\n" })).toEqual([]);
  });
});

describe("the front of a skill", () => {
  it("is needed, and read where it is", () => {
    expect(found("# Invoices\n")).toContain("SKILL.md:1 error no-front-matter");
    expect(found(`---\nname: a\ndescription: b: c: d\n---\n${TAGGED}\n`)).toEqual([
      "SKILL.md:3 error front-matter",
    ]);
    const none = { folder: "x", texts: new Map(), paths: new Set<string>(), siblings: [] };
    expect(checkSkill(none)).toMatchObject([{ rule: "no-skill", line: 1, example: "x/SKILL.md" }]);
  });

  it.each(["Invoices", "in voices", "in--voices", "-invoices", "bills", "a".repeat(65)])(
    "is refused with the name %s",
    (name) => {
      expect(found(skill("Text.", GOOD, name))).toEqual(["SKILL.md:2 error name"]);
    },
  );

  it("S1-24 says what, when and when not", () => {
    expect(ofDescription(GOOD)).toEqual([]);
    expect(ofDescription("Converts invoices. Not for contracts.")).toEqual([
      "SKILL.md:3 error when",
    ]);
    expect(ofDescription("Converts invoices. Use when there are some.")).toEqual([
      "SKILL.md:3 error when-not",
    ]);
    expect(ofDescription("Use when there are invoices. Not for contracts.")).toEqual([
      "SKILL.md:3 error what",
    ]);
    expect(ofDescription("")).toEqual(["SKILL.md:3 error description"]);
    expect(ofDescription(`${GOOD} ${"x".repeat(1024)}`)).toEqual(["SKILL.md:3 error description"]);
  });

  it("S1-24 speaks in the third person, except where it quotes what somebody says", () => {
    const rest = "Use when there are invoices. Not for contracts.";
    for (const begin of ["Convert invoices.", "Helps you with invoices.", "I sum invoices."]) {
      expect(ofDescription(`${begin} ${rest}`)).toEqual(["SKILL.md:3 error third-person"]);
    }
    expect(ofDescription(`Invoice toolkit. ${rest}`)).toEqual([]);
    expect(
      ofDescription(`Sums invoices. Use when somebody says "sum my bills". Not else, not for you.`),
    ).toEqual(["SKILL.md:3 error third-person"]);
    expect(
      ofDescription(`Sums bills. Use when somebody says "sum my bills". Not for taxes.`),
    ).toEqual([]);
  });

  it("S1-24 names no other component, installed beside it or not", () => {
    const using = "Sums invoices. Use when pdf-reader is done. Not for contracts.";
    expect(ofDescription(using)).toEqual([]);
    expect(ofDescription(using, ["pdf-reader"])).toEqual(["SKILL.md:3 error names-component"]);
    expect(
      ofDescription("Sums invoices. Use when the pdf-reader skill is done. Not for contracts."),
    ).toEqual(["SKILL.md:3 error names-component"]);
  });

  it("is told with the line, what was found and how it is written right", () => {
    const texts = new Map([
      ["SKILL.md", skill("Text.", "Define and enforce sums. Use when adding. Not for words.")],
    ]);
    const [problem] = checkSkill({
      folder: "invoices",
      texts,
      paths: new Set(["SKILL.md"]),
      siblings: [],
    });
    expect(problem && formatProblem(problem.file, problem)).toBe(
      `SKILL.md:3: error: its description begins with an order ("Define"), not in the third person [third-person]
  write: description: Defines and enforces sums. Use when adding. Not for words.
  found: description: Define and enforce sums. Use when adding. Not for words.`,
    );
  });
});

describe("the body of a skill", () => {
  it("S1-22 needs nothing from outside its folder", () => {
    expect(found(skill("See .claude/rules/sums.md."))).toEqual(["SKILL.md:6 error outside-rules"]);
    expect(found(skill("Needs nothing of .claude/rules: no dependency."))).toEqual([]);
    for (const target of ["../other/SKILL.md", "/etc/sums.md", "~/sums.md"]) {
      expect(found(skill(`See [sums](${target}).`))).toEqual(["SKILL.md:6 error outside-link"]);
    }
    expect(found(skill("See [sums](references/sums.md) and `scripts/add.sh`."))).toEqual([
      "SKILL.md:6 error broken-link",
      "SKILL.md:6 warning no-such-file",
    ]);
    expect(found(skill("See [it](https://example.com/a.md), [here](#sums), `[x](y.md)`."))).toEqual(
      [],
    );
    expect(found(skill("```\n[x](nowhere.md)\n```"))).toEqual([]);
  });

  it("S1-25 keeps detail in references, and leads to each", () => {
    const sums = { "references/sums.md": "# Sums\n\nNet.\n" };
    expect(found(skill("Text."), sums)).toEqual(["references/sums.md:1 error unreachable"]);
    expect(found(skill("See `references/sums.md`."), sums)).toEqual([]);
    const further = {
      "references/sums.md": "See [tax](tax.md).\n",
      "references/tax.md": "Seven.\n",
    };
    expect(found(skill("See [sums](references/sums.md)."), further)).toEqual([]);
    const long = Array.from({ length: 200 }, (_, index) => `Line ${index}.`).join("\n");
    expect(found(skill(long))).toEqual(["SKILL.md:5 warning no-references"]);
    expect(found(skill(`${long}\n${long}\n${long}`))).toEqual(["SKILL.md:5 error too-long"]);
  });

  it("S1-26 has control in tags that end, and data in Markdown", () => {
    const plain = `---\nname: invoices\ndescription: '${GOOD}'\n---\n\nYou MUST sum.\n`;
    expect(found(plain)).toEqual(["SKILL.md:6 warning no-control"]);
    expect(found(skill("<mission_control>\nSum."))).toEqual(["SKILL.md:6 error tags"]);
    expect(found(skill("Sum.\n</mission_control>"))).toEqual(["SKILL.md:7 error tags"]);
    expect(found(skill("<mission_control>Sum.</mission_control>"))).toEqual([]);
    expect(found(skill("<table><tr><td>1</td></tr></table>"))).toEqual([
      "SKILL.md:6 warning html-data",
    ]);
    expect(found(skill("`<table>` and\n\n```html\n<mission>\n```"))).toEqual([]);
  });

  it("S1-27 says only what is not known, once, and is written to its end", () => {
    expect(found(skill("You are an expert accountant."))).toEqual([
      "SKILL.md:6 warning known-already",
    ]);
    expect(found(skill("TODO: sums"))).toEqual(["SKILL.md:6 error unfinished"]);
    expect(found(skill("# Sums\n\n# Taxes\n\nSeven."))).toEqual([
      "SKILL.md:6 warning empty-section",
    ]);
    const long = "An invoice without a number is sent back before anything of it is added up.";
    expect(
      found(skill(`[sums](references/sums.md)\n${long}`), { "references/sums.md": long }),
    ).toEqual(["references/sums.md:1 warning said-twice"]);
  });

  it.each(["[", "`", "<a ", "[a](", "a-", "a and "])(
    "is judged in time when it is nothing but %j",
    (piece) => {
      const long = piece.repeat(100_000);
      expect(found(skill(long, long.replaceAll("'", "")))).toContain(
        "SKILL.md:3 error description",
      );
    },
  );

  it("is judged the same with any line ends", () => {
    const main = skill("See [sums](gone.md).").replaceAll("\n", "\r\n");
    expect(found(main)).toEqual(["SKILL.md:6 error broken-link"]);
  });
});
