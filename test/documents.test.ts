// Documents that are written by hand and must name everything there is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
const avoided = (words: string): string[] =>
  AVOIDED.filter((phrase) =>
    new RegExp(`(?<!there )(?<!\\w)${phrase}(?!\\w)`, "i").test(words.replaceAll(/\s+/g, " ")),
  );

it("docs/style.md lists the phrases to avoid, and they are found", () => {
  expect(AVOIDED.length).toBeGreaterThan(40);
  expect(avoided("prompt.md is no file")).toEqual(["is no file"]);
  expect(avoided("Mend\nthe cause")).toEqual(["mend the cause"]);
  expect(avoided("there is no file prompt.md, for every task")).toEqual([]);
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
