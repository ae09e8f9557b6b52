// Generates manifests as people write them: every bullet, box, nesting, line break and trap.
import * as fc from "fast-check";

const INDENTS = ["", "", "", " ", "  ", "  ", "  ", "    ", "      ", "\t"];
const BULLETS = ["- ", "- ", "* ", "+ ", "1. ", "1) ", "-\t", "-   ", "- - ", "- 1. "];
const BOXES = ["[ ] ", "[ ] ", "[x] ", "[X] ", "[ ]\t", "", "", "[] ", "[  ] ", "[x]", "[ ](u) "];
const WORDS = [
  "Add",
  "tests",
  "café",
  "מטלה",
  "🚀",
  "`a [ ] b`",
  "**b**",
  "a_b",
  "a <b> b",
  "\\[x\\]",
  "&amp;",
  "x",
];
const KEYS = [
  "check: `npm test`",
  "after: none",
  "id: thing",
  "timeout: 30m",
  "chekc: `x`",
  "docs-only",
];
const BLOCKS = [
  "",
  "",
  "   ",
  "```",
  "~~~",
  "<!--",
  "-->",
  "<div>",
  "</div>",
  "> - [ ] quoted",
  ">",
  "---",
  "===",
  "# Notes",
  "### Steps",
  "## Other",
  "plain text",
  "[ ] no bullet",
  "    - [ ] deep",
  "> # Steps",
];

const item = fc
  .record({
    indent: fc.constantFrom(...INDENTS),
    bullet: fc.constantFrom(...BULLETS),
    box: fc.constantFrom(...BOXES),
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
    trailing: fc.constantFrom("", "", "", " ", "  ", "\t"),
  })
  .map(
    ({ indent, bullet, box, words, trailing }) =>
      indent + bullet + box + words.join(" ") + trailing,
  );

const indented = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...INDENTS), fc.constantFrom(...texts)).map(([a, b]) => a + b);

const line = fc.oneof(
  { weight: 6, arbitrary: item },
  { weight: 2, arbitrary: indented(WORDS) },
  { weight: 2, arbitrary: indented(KEYS.map((key) => `- ${key}`)) },
  { weight: 2, arbitrary: indented(BLOCKS) },
);

const FRONT_MATTERS = [
  "",
  "",
  "---\nplan: review\n---\n",
  "---\n# c\nagent: codex\n...\n",
  "---\n\ntext\n---\n",
];

const newlines = fc.constantFrom("\n", "\n", "\r\n", "\r");

/** Any text that resembles a manifest, well formed or not. */
export const anyManifest: fc.Arbitrary<string> = fc
  .record({
    mark: fc.constantFrom("", "", "\uFEFF"),
    frontMatter: fc.constantFrom(...FRONT_MATTERS),
    goal: fc.constantFrom("# Goal\n\nIt works.\n\n", "", "Goal\n====\nText\n"),
    heading: fc.constantFrom("## Steps", "# STEPS:", "Steps\n-----"),
    lines: fc.array(line, { maxLength: 14 }),
    lastBreak: fc.boolean(),
    newline: newlines,
  })
  .map(({ mark, frontMatter, goal, heading, lines, lastBreak, newline }) => {
    const text = `${frontMatter}${goal}${heading}\n${lines.join("\n")}${lastBreak ? "\n" : ""}`;
    return mark + text.replaceAll("\n", newline);
  });

const title = fc
  .array(
    fc.constantFrom("Add", "Write", "tests", "parser", "café", "מטלה", "🚀", "docs", "cache", "of"),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((words) => words.join(" "));

export interface WrittenTask {
  readonly title: string;
  readonly checked: boolean;
  readonly lines: readonly string[];
}

export const writtenTask: fc.Arbitrary<WrittenTask> = fc.record({
  title,
  checked: fc.boolean(),
  lines: fc.array(
    fc.constantFrom("  - a sub-step", "  - check: `true`", "    - deeper", "  wrapped", ""),
    { maxLength: 3 },
  ),
});

/** A well formed manifest: the tasks it holds and its text. */
export const goodManifest: fc.Arbitrary<{ tasks: WrittenTask[]; text: string }> = fc
  .record({
    tasks: fc.array(writtenTask, { minLength: 1, maxLength: 8 }),
    notes: fc.constantFrom(
      "",
      "\n## Notes\n\n- remember\n",
      "\n## References\n\nsee x\n\n## Tools\n\nmake\n",
    ),
    mark: fc.constantFrom("", "\uFEFF"),
    newline: newlines,
  })
  .map(({ tasks, notes, mark, newline }) => ({
    tasks,
    text: mark + manifestText(tasks, notes).replaceAll("\n", newline),
  }));

export function manifestText(tasks: readonly WrittenTask[], rest = ""): string {
  const items = tasks.map(({ title: written, checked, lines }) =>
    [`- [${checked ? "x" : " "}] ${written}`, ...lines].join("\n"),
  );
  return `# Goal\n\nIt works.\n\n# Steps\n\n${items.join("\n")}\n${rest}`;
}
