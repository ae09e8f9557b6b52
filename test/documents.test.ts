// Documents that are written by hand and must name everything there is.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVENT_KINDS } from "../src/core/step/rules.ts";
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
