// Every verb with long titles, paths, commands, Chinese characters and pictures: at 80 and at 40 columns no line is
// wider than the terminal, but one that holds a word, a path or a command that cannot be broken; and nothing is lost.
import { beforeAll, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { columnsOf, withoutColours } from "../report/visible.ts";
import { VERBS } from "./verbs.ts";

const LONG = "with a title that goes on and on until it has left every terminal behind it, twice";
const CJK =
  "日本語で挨拶を書く。世界中の人々が読むことができるように、とても長い題名のタスクにする🎉🎉👩‍👩‍👧🎉";
const PATH =
  "documents/of-this-project/that-lie-deep/below-other-folders/and-have-long-names/prompt.md";
const COMMAND =
  "test -f hello.txt && grep -q Hello hello.txt && echo 'a command that nobody would type by hand'";

const MANIFEST = `## Goal
Say hello ${LONG} ${CJK}

## Steps
- [ ] english - Write hello.txt ${LONG}
  - check: \`${COMMAND}\`
- [ ] japanese - ${CJK}
  - check: file documents/of-this-project/that-lie-deep/below-other-folders/and-have-long-names/ja.txt
- [ ] asking - Ask which colour is wanted ${LONG}
  - check: file colour.txt
- [ ] release - Publish it 🎉 ${LONG}
  - after: none
  - approve: before
  - check: file released.txt
`;

const SCRIPT = {
  tasks: {
    english: [
      [
        { act: "say", text: `I do it ${LONG}` },
        { act: "emit", event: { kind: "usage", input: 12_000, output: 345, costUsd: 0.015 } },
      ],
      [{ act: "write", path: "hello.txt", text: "Hello\n" }],
    ],
    japanese: [
      [
        { act: "say", text: CJK },
        { act: "exit", code: 3 },
      ],
    ],
    asking: [[{ act: "marker", keys: { question: `Which colour ${LONG}? ${CJK}` } }]],
  },
};

const REASON = `because it is not wanted any more ${LONG} ${CJK}`;
const RUN = ["--agent", "scripted:script.json"];

/** In this order, in one repository. */
const CALLS: readonly (readonly string[])[] = [
  ["init", "documents/new.md", `A goal ${LONG}`],
  ["lint", "bad.md", PATH],
  ["plan", PATH, ...RUN],
  ["new", PATH],
  ["config", PATH],
  ["run", PATH, ...RUN],
  ["status"],
  ["status", "--verbose", "--all"],
  ["list"],
  ["log"],
  ["show", "t1"],
  ["show", "s1"],
  ["show", "t2"],
  ["diff", "a1"],
  ["verify"],
  ["verify", "--sessions"],
  ["verify", "--branch", "main"],
  ["deliver"],
  ["doctor"],
  ["agents"],
  ["skills", "list"],
  ["mcp", "list"],
  ["mcp", "install", "--agent", "nobody"],
  ["watchdog", "status"],
  ["watch"],
  ["dispatch"],
  ["results"],
  ["answer", "q1", REASON],
  ["deny", "a1", "--reason", REASON],
  ["approve", "a9"],
  ["accept", "a9"],
  ["skip", "t4", "--reason", REASON],
  ["retry", "t2"],
  ["reopen", "t1", "--reason", REASON],
  ["pause"],
  ["stop"],
  ["edit", "--file", "bad.md"],
  ["iterate"],
  ["resume", ...RUN, "--sessions", "1"],
  ["abandon", "--reason", REASON],
  ["status"],
  ["clean"],
  ["brief", "small.md"],
  ["note", REASON],
  ["propose", `french - Write salut.txt ${LONG}`],
  ["ask", `Which ${LONG}?`],
  ["block", REASON],
  ["done"],
];

/** What they print is not theirs: your own shell; a script for a shell; exact lines that a method prescribes. */
const ELSEWHERE = ["shell", "demo", "completion"];

interface Told {
  readonly call: string;
  readonly text: string;
}

async function play(width: number | undefined): Promise<readonly Told[]> {
  const bench = new CommandLineBench();
  try {
    bench.write(PATH, MANIFEST);
    bench.write("bad.md", `## Goal\n${LONG}\n\n## Steps\n- [ ] ${CJK}\n  - check: ${COMMAND}\n`);
    bench.write(
      "small.md",
      `## Goal\nSmall.\n\n## Steps\n- [ ] Write a.txt\n  - check: file a.txt\n`,
    );
    bench.write("script.json", JSON.stringify(SCRIPT));
    git(bench.root, "add", "-A");
    git(bench.root, "commit", "-q", "-m", "start");
    const told: Told[] = [];
    for (const words of CALLS) {
      // A colour takes no room, and hides no place where a line may be broken.
      const options = width === undefined ? {} : { width, colours: true };
      // oxlint-disable-next-line no-await-in-loop
      const { out, err } = await bench.runWith(options, ...words);
      told.push({
        call: words.slice(0, 2).join(" "),
        text: withoutColours(out === "" ? err : out),
      });
    }
    return told;
  } finally {
    bench.close();
  }
}

/** A command to copy, a line of a manifest, or a word that is wider than what is left beside its indentation. */
function isUnbreakable(line: string, width: number): boolean {
  if (/\b(?:stint|git|cd|npm|npx|grep|export) /.test(line)) return true;
  // Text of a manifest, as it stands there or is to be written.
  if (/^ +(?:found|write):/.test(line)) return true;
  return line.split(/\s+/).some((word) => !isWide(word) && columnsOf(word) > width - 30);
}

function isWide(word: string): boolean {
  return /\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}|\p{Emoji_Presentation}/u.test(word);
}

/** Of a run how it ended: what it tells meanwhile depends on how fast the machine is. */
function ending(call: string, text: string): string {
  return /^(?:run|resume) /.test(call) ? text.slice(text.lastIndexOf("\n\n")) : text;
}

/** Without spaces, and without what differs from one time to the next. */
function content(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[pr]-[0-9a-z]{10}/g, "ID")
    .replaceAll(/stint-test-\w{6}/g, "FOLDER")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "TIME")
    .replaceAll(/\w{3} \d+ \w{3}, \d\d:\d\d/g, "TIME")
    .replaceAll(/\b[0-9a-f]{10,64}\b/g, "DIGEST")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min|kB|MB)\b/g, "AMOUNT")
    .replaceAll(/pid \d+/g, "PID")
    .replaceAll(/\s+/g, "");
}

describe("what a verb shows", () => {
  it("is looked at of every verb", () => {
    const called = new Set(CALLS.map(([verb]) => verb));
    expect(VERBS.map(({ name }) => name).filter((name) => !called.has(name))).toEqual(ELSEWHERE);
  });

  let whole: readonly Told[];
  beforeAll(async () => {
    whole = await play(undefined);
  }, 120_000);

  it.each([80, 40])(
    "fits into %i columns, and loses nothing",
    async (width) => {
      const told = await play(width);
      const tooWide = told.flatMap(({ call, text }) =>
        text
          .split("\n")
          .filter((line) => columnsOf(line) > width && !isUnbreakable(line, width))
          .map((line) => `${call}: ${line}`),
      );
      expect(tooWide).toEqual([]);
      for (const [index, { call, text }] of told.entries()) {
        const all = whole[index]?.text ?? "";
        expect(content(call + ending(call, text))).toBe(content(call + ending(call, all)));
      }
    },
    120_000,
  );

  it.each([80, 40])("is explained within %i columns", async (width) => {
    const bench = new CommandLineBench();
    for (const { name } of VERBS) {
      // oxlint-disable-next-line no-await-in-loop
      const { out } = await bench.runWith({ width }, name, "--help");
      const tooWide = out.split("\n").filter((line) => columnsOf(line) > width);
      expect(tooWide.filter((line) => !isUnbreakable(line, width))).toEqual([]);
    }
    bench.close();
  });
});
