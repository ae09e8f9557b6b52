// The text of a manifest to start from: a goal, two tasks to be replaced, and the checks that the repository has.
// Lint names what is to be replaced, and nothing else.

export interface Template {
  /** Null: the person has not said it yet. */
  readonly goal: string | null;
  readonly setup: readonly string[];
  readonly checks: readonly string[];
  /** Where below the root the checks start; "": at the root. */
  readonly dir: string;
  /** What was looked for, where no check was found. */
  readonly lookedFor: string;
  /** Whoever only prints the text reads it nowhere else. */
  readonly leftOut: readonly {
    readonly what: string;
    readonly where: string;
    readonly why: string;
  }[];
}

export const TEMPLATE_GOAL = "Say here, in a sentence or two, what the work should achieve.";
export const TEMPLATE_TITLE = "Replace this line with";
export const TEMPLATE_CHECK = 'grep -q "a text that only the finished work has" path/to/file';

export function manifestTemplate(template: Template): string {
  const { goal, checks } = template;
  return [
    ...frontMatter(template),
    "## Goal",
    "",
    goal === null ? TEMPLATE_GOAL : goalText(goal),
    "",
    "## Steps",
    "",
    "<!--",
    "A box is one task: one piece of work, one commit. Replace these two with yours.",
    "",
    "The first check of a task fails today and passes when the work is done: it",
    "proves the work. Replace the grep with your own.",
    ...(checks.length > 0 ? OTHER_CHECKS : nothingFound(template)),
    ...template.leftOut.flatMap(({ what, where, why }) => [
      "",
      `Left out: ${what} (${where}):`,
      `${why}.`,
    ]),
    "",
    "Is it right? stint lint <this file>. What would happen? stint plan <this file>.",
    "-->",
    "",
    ...task("first", "the first piece of work", template),
    ...task("second", "the next piece of work", template),
    "",
  ].join("\n");
}

const OTHER_CHECKS = [
  "The others were found in this repository. Most of them pass today: they show",
  "that nothing else broke.",
];

function nothingFound({ lookedFor }: Template): string[] {
  return [
    "",
    "No command that tests, lints or builds this repository was found. Looked for:",
    lookedFor,
    "If there is one, add it to each task as another check:",
    "  - check: `./run-the-tests.sh`",
  ];
}

function task(name: string, what: string, { checks }: Template): string[] {
  return [
    `- [ ] ${name} - ${TEMPLATE_TITLE} ${what}`,
    `  - check: \`${TEMPLATE_CHECK}\``,
    ...checks.map((command) => `  - check: \`${command}\``),
  ];
}

function frontMatter({ setup, dir }: Template): string[] {
  const lines = [
    ...(setup.length === 0
      ? []
      : [
          "# Run in a new workspace first, and again when a lock file changes.",
          setup.length === 1
            ? `setup: ${yaml(setup[0] ?? "")}`
            : `setup: [${setup.map(yaml).join(", ")}]`,
        ]),
    ...(dir === "" ? [] : ["# Where sessions and checks start.", `dir: ${yaml(dir)}`]),
  ];
  return lines.length === 0 ? [] : ["---", ...lines, "---", ""];
}

/** Plain where YAML reads it as it is; else in quotes, as JSON writes them. */
function yaml(text: string): string {
  return /^[A-Za-z][\w ./-]*$/.test(text) ? text : JSON.stringify(text);
}

/** One line that Markdown reads as a sentence, whatever it begins with. */
function goalText(goal: string): string {
  const line = goal.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  if (/^[\p{L}\p{Nd}"'(]/u.test(line))
    return line.replace(/^(\d+)([.)])(?=\s|$)/, String.raw`$1\$2`);
  return /^[!-/:-@[-`{-~]/.test(line) ? `\\${line}` : line;
}
