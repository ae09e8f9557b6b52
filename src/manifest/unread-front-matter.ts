// Settings at the top of a manifest that are not read, because their block is not where or how front matter is written.
// Without a word, a person's `push: never` would count for nothing.
import { FILE_SETTINGS, SETTING_NAMES } from "./settings.ts";
import { type ManifestDocument, sectionNamed } from "./manifest-document.ts";
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
  const isList = settings[0]?.startsWith("- ") ?? false;
  return [
    errorAt(opening + 1, "unread-front-matter", {
      message: `these settings are not read: ${reason(fence, opening, isClosed)}`,
      example: `---\n${settings.map((line) => asYaml(line, fence, isList)).join("\n")}\n---`,
      found: [fence, ...settings].join("\n"),
    }),
  ];
}

/**
 * The settings that follow at once, up to the last line that is one; none where they do not begin with a key. An empty
 * line or a comment is part of them only before another setting: `# Goal` reads like a comment, too.
 */
function blockBelow(lines: readonly string[], opening: number): readonly string[] {
  const after = lines.slice(opening + 1);
  if (!KEY.test(after[0] ?? "")) return [];
  let length = 1;
  for (const [index, line] of after.entries()) {
    if (index === 0 || (/^\s*(?:#(?!#)|$)/.test(line) && !isHeading(line))) continue;
    const isNext = index === length;
    if (isNext ? !isPartOf(line, after.slice(0, index)) : !isSetting(line)) break;
    length = index + 1;
  }
  return after.slice(0, length);
}

/** A key, or a line of the value of the key above it. */
function isPartOf(line: string, above: readonly string[]): boolean {
  const isList = above[0]?.startsWith("- ") ?? false;
  if (/^\s/.test(line)) return true;
  if (line.startsWith("- ") && !isList) return /:\s*$|^- /.test(above.at(-1) ?? "") && !isBox(line);
  return KEY.test(line);
}

function isHeading(line: string): boolean {
  return /^#+ /.test(line) && sectionNamed(line.replace(/^#+ /, "")) !== undefined;
}

function isBox(line: string): boolean {
  return /^- \[[ xX]\]/.test(line);
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

function asYaml(line: string, fence: string, isList: boolean): string {
  const key = isList ? line.replace(/^- /, "") : line;
  return fence === "---" ? key : key.replace(/\s*=\s*/, ": ");
}
