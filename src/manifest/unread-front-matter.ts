// Settings at the top of a manifest that are not read, because their block is not where or how front matter is written.
// Without a word, a person's `push: never` would count for nothing.
import { FILE_SETTINGS, SETTING_NAMES } from "./settings.ts";
import type { ManifestDocument } from "./manifest-document.ts";
import { errorAt, type Problem } from "./problem.ts";

const FENCE = /^(?:---|\+\+\+)[ \t]*$/;
const KEY = /^\s*(?:- )?["']?([A-Za-z_]+)["']?\s*[:=]/;
const KNOWN: ReadonlySet<string> = new Set([...SETTING_NAMES, ...Object.keys(FILE_SETTINGS)]);

/** A block of settings begins no later than this. */
const LOOKED_AT = 60;

export function unreadFrontMatter({ text, frontMatter }: ManifestDocument): Problem[] {
  if (frontMatter !== undefined) return [];
  const lines = text.replace("\uFEFF", "").split(/\r\n|\n|\r/, LOOKED_AT);
  const opening = lines.findIndex(
    (line, index) => FENCE.test(line) && blockBelow(lines, index).some(isSetting),
  );
  const fence = lines[opening]?.trim();
  if (fence === undefined) return [];
  const after = lines.slice(opening + 1);
  const settings = blockBelow(lines, opening);
  const isClosed = after.some((line) => line.trim() === fence);
  return [
    errorAt(opening + 1, "unread-front-matter", {
      message: `these settings are not read: ${reason(fence, opening, isClosed)}`,
      example: `---\n${settings.map((line) => asYaml(line, fence)).join("\n")}\n---`,
      found: [fence, ...settings].join("\n"),
    }),
  ];
}

/** The lines that follow at once, up to the next fence or an empty line; none where they do not begin with a key. */
function blockBelow(lines: readonly string[], opening: number): readonly string[] {
  const after = lines.slice(opening + 1);
  const end = after.findIndex((line) => FENCE.test(line) || line.trim() === "");
  const block = after.slice(0, end === -1 ? after.length : end);
  return KEY.test(block[0] ?? "") ? block : [];
}

function isSetting(line: string): boolean {
  return KNOWN.has(KEY.exec(line)?.[1] ?? "");
}

function reason(fence: string, opening: number, isClosed: boolean): string {
  if (fence !== "---") return "front matter is YAML between two lines ---";
  if (!isClosed) return "a line --- must close them";
  return opening > 0
    ? "front matter begins in the first line of the file"
    : "front matter has keys, not a list";
}

function asYaml(line: string, fence: string): string {
  const key = line.replace(/^- /, "");
  return fence === "---" ? key : key.replace(/\s*=\s*/, ": ");
}
