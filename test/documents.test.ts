// Documents that are written by hand and must name everything there is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SETTING_NAMES } from "../src/manifest/settings.ts";
import { TASK_KEYS } from "../src/manifest/task-key.ts";
import { REPOSITORY } from "./support/generated-files.ts";

const text = readFileSync(join(REPOSITORY, "docs/manifest.md"), "utf8");
/** What stands in the first cell of a row, up to the end of its word. */
const rows = [...text.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`` ?([\w-]+)|`([\w-]+)/g)].map(([, long, short]) => long ?? short),
);

it.each([...TASK_KEYS, ...SETTING_NAMES])("docs/manifest.md explains %s", (name) => {
  expect(rows).toContain(name);
});
