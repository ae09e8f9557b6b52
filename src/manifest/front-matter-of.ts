// The front matter of a text alone: a manifest of ten thousand tasks need not be read for it.
import { findFrontMatter } from "./front-matter.ts";
import { lineTable } from "./line-table.ts";
import { readSettings } from "./settings.ts";

/** Its known keys, as `Plan.settings` has them; what cannot be read is left out. */
export function frontMatterOf(text: string): Readonly<Record<string, unknown>> {
  if (!/^\uFEFF?---/.test(text)) return {};
  return readSettings(findFrontMatter(text, lineTable(text)), []);
}
