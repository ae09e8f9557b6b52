// Documents that are written by hand and must name everything there is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { expect, it } from "vitest";
import { CODING_AGENTS } from "../src/agents/agents.ts";
import { derivedFields } from "../src/core/project-state.ts";
import { EVENT_KINDS } from "../src/core/step/rules.ts";
import { SETTING_NAMES } from "../src/manifest/settings.ts";
import { TASK_KEYS } from "../src/manifest/manifest-document.ts";
import { T1 } from "./support/events.ts";
import { REPOSITORY } from "./support/generated-files.ts";
import { running } from "./support/machine.ts";

const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

const text = read("docs/manifest.md");
/** What stands in the first cell of a row, up to the end of its word. */
const rows = [...text.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`` ?([\w-]+)|`([\w-]+)/g)].map(([, long, short]) => long ?? short),
);

it.each([...TASK_KEYS, ...SETTING_NAMES])("docs/manifest.md explains %s", (name) => {
  expect(rows).toContain(name);
});

it.each(CODING_AGENTS.map(({ name }) => name))("README.md and docs/agents.md name %s", (name) => {
  expect(read("README.md")).toMatch(new RegExp(`\\b${name}\\b`, "i"));
  const [which = "", may = "", destructive = ""] = read("docs/agents.md").split(/^## /m).slice(1);
  for (const part of [which, may, destructive]) expect(part).toContain(`\n| \`${name}\` |`);
});

it("ARCHITECTURE.md lists the events that nothing sends", () => {
  const source = readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .filter((path) => path !== join("core", "events.ts") && !path.startsWith(join("core", "step")))
    .map((path) => readFileSync(join(REPOSITORY, "src", path), "utf8"))
    .join("\n");
  const unsent = EVENT_KINDS.filter((kind) => !source.includes(`kind: "${kind}"`));
  const [, section = ""] = readFileSync(join(REPOSITORY, "ARCHITECTURE.md"), "utf8").split(
    "### Rules that no door reaches yet",
  );
  const listed = [...section.matchAll(/^- `([a-z-]+)`$/gm)].map(([, kind = ""]) => kind);
  expect(listed.toSorted()).toEqual(unsent.toSorted());
});

const DOCUMENTS = ["ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "SPEC.md"].concat(
  readdirSync(join(REPOSITORY, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
);

it.each([...DOCUMENTS, "README.md"])("%s numbers its lists without a gap or a double", (name) => {
  const open: { count: number; readonly first: number }[] = [];
  const wrong: string[] = [];
  for (const token of new MarkdownIt().parse(read(name), {})) {
    const { type, info, map } = token;
    if (type === "ordered_list_open") {
      open.push({ count: 0, first: Number(token.attrGet("start") ?? 1) });
    }
    if (type === "bullet_list_open") open.push({ count: 0, first: Number.NaN });
    if (type === "ordered_list_close" || type === "bullet_list_close") open.pop();
    const list = open.at(-1);
    if (type !== "list_item_open" || list === undefined || Number.isNaN(list.first)) continue;
    const due = list.first + list.count++;
    if (Number(info) !== due)
      wrong.push(`line ${(map?.[0] ?? 0) + 1}: ${info}. instead of ${due}.`);
  }
  expect(wrong).toEqual([]);
});

it.each(DOCUMENTS)("%s names no file of the source that is not there", (name) => {
  const document = readFileSync(join(REPOSITORY, name), "utf8");
  const named = [...document.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs))`/g)].map(
    ([, at]) => at,
  );
  const missing = named.filter(
    (path = "") => !["", "src", "test"].some((top) => existsSync(join(REPOSITORY, top, path))),
  );
  expect(missing).toEqual([]);
});

it("every decision has a number of its own, in its name and in its heading", () => {
  const names = readdirSync(join(REPOSITORY, "docs/decisions"));
  const numbers = names.map((name) => Number(/^(\d{4})-/.exec(name)?.[1]));
  expect(new Set(numbers).size).toBe(names.length);
  const headed = names.map((name) => /^# (\d+)\. /.exec(read(`docs/decisions/${name}`))?.[1]);
  expect(headed.map(Number)).toEqual(numbers);
});

it("S4-1 S4-2 S4-27 docs/coordination.md says when to use it and when not, the workflow, a state template and a recovery checklist", () => {
  const reference = read("docs/coordination.md");
  const headings = [...reference.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    "When to use it, and when not",
    "Workflow",
    "State template",
    "Recovery checklist",
  ]);
  const [, , , template = "", checklist = ""] = reference.split(/^## /m);
  const fields = [...template.matchAll(/^\| [\w ]+ \| (`.+?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
  );
  const state = running([T1]);
  expect(fields.length).toBeGreaterThan(8);
  expect(Object.keys({ ...state, ...derivedFields(state) })).toEqual(
    expect.arrayContaining(fields),
  );
  const events = [...checklist.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, event = ""]) => event);
  const sources = readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(REPOSITORY, "src", path), "utf8"))
    .join("\n");
  expect(events.length).toBeGreaterThan(3);
  expect(events.filter((event) => !sources.includes(`"${event}"`))).toEqual([]);
});

/** The first column of the table of words in docs/style.md. */
const AVOIDED = (read("docs/style.md").split(/^## /m)[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)])
  .map(([, phrase = ""]) => phrase);

/** "There is no file x" is good English; "x is no file" is not. */
const AVOIDED_ANYWHERE = new RegExp(`(?<!there )(?<!\\w)(?:${AVOIDED.join("|")})(?!\\w)`, "gi");

const avoided = (words: string): string[] =>
  (words.replaceAll(/\s+/g, " ").match(AVOIDED_ANYWHERE) ?? []).map((each) => each.toLowerCase());

it("docs/style.md lists the phrases to avoid, and they are found", () => {
  expect(AVOIDED.length).toBeGreaterThan(40);
  expect(avoided("prompt.md is no file")).toEqual(["is no file"]);
  expect(avoided("Mend\nthe cause")).toEqual(["mend the cause"]);
  expect(avoided("there is no file prompt.md, for every task")).toEqual([]);
  expect(avoided("it lies in a folder beside the work tree")).toEqual(["lies in", "beside the"]);
});

const SOURCES = readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|testsuite)\.ts$/.test(path))
  .map((path) => join("src", path));

it("no text in the source uses a phrase that docs/style.md avoids", () => {
  const found = SOURCES.flatMap((path) =>
    linesOf(path).flatMap((line) => avoided(line).map((phrase) => `${path}: ${phrase}: ${line}`)),
  );
  expect(SOURCES.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

const GUIDES = ["README.md", ...DOCUMENTS, ...pagesIn("skills"), ...pagesIn("examples")].filter(
  (path) => !/docs\/(?:style|requirements|traceability)\.md$/.test(path),
);

it.each(GUIDES)("%s uses no phrase that docs/style.md avoids", (path) => {
  expect(avoided(read(path))).toEqual([]);
});

it.each(GUIDES.filter((path) => path.startsWith("docs/") && path !== "docs/states.md"))(
  "%s names no requirement by its number",
  (path) => {
    expect(read(path).match(/\bS[0-4]-\d+\b/g)).toBeNull();
  },
);

const READ_ALOUD = ["CHANGELOG.md", ...GUIDES].filter((path) => path !== "docs/states.md");

/** Its paragraphs, list items and cells of tables, with § for code, and without marks and addresses. */
function partsOf(text: string): string[] {
  const prose = text
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/^(?: {4,}|<!--).*$/gm, (line) => (/^ *(?:[-*]|\d+\.) /.test(line) ? line : ""));
  return prose
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, "\n")
    .split(/\n\s*\n|^#.*$|^\||\|\n?|·/m)
    .map((part) =>
      part
        .replaceAll(/`` .*? ``|`[^`]*`/g, "§")
        .replaceAll(/\]\([^)]*\)|\*\*/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
}

const sentencesOf = (part: string): string[] => part.split(/(?<=[.!?])\)? (?=[A-Z0-9"([§])/);
const words = (part: string): number => part.split(" ").filter((each) => /\w/.test(each)).length;

it("parts and sentences of a document are told apart", () => {
  const text =
    "# Title\n\nOne `a b c` two. Three\nfour.\n- five\n  - six\n\n| a | b |\n|---|---|\n| c d | e |\n";
  expect(partsOf(text).filter((part) => words(part) > 0)).toEqual([
    "One § two. Three four.",
    "five",
    "six",
    "a",
    "b",
    "c d",
    "e",
  ]);
  expect(sentencesOf("One two. Three four.")).toEqual(["One two.", "Three four."]);
});

it.each(READ_ALOUD)("%s has short paragraphs and sentences", (path) => {
  const parts = partsOf(read(path));
  expect(parts.filter((part) => sentencesOf(part).length > 6 || words(part) > 95)).toEqual([]);
  expect(parts.flatMap(sentencesOf).filter((sentence) => words(sentence) > 40)).toEqual([]);
});

function pagesIn(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

/** The lines of a file that are no comment: a phrase of several words can only stand in a text there. */
function linesOf(path: string): string[] {
  return read(path)
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\/\*|\*)/.test(line));
}
