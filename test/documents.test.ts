// Documents that are written by hand and must name everything there is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CODING_AGENTS } from "../src/agents/agents.ts";
import { SETTING_NAMES } from "../src/manifest/settings.ts";
import { TASK_KEYS } from "../src/manifest/task-key.ts";
import { REPOSITORY } from "./support/generated-files.ts";

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
