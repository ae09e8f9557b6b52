// Settings at the top of a manifest that are not read, because their block is not where or how front matter is written.
// Without a word, a person's `push: never` would count for nothing.
import { lineTable } from "./line-table.ts";
import { findFrontMatter } from "./front-matter.ts";
import { FILE_SETTINGS, ORDINARY_SETTINGS, readSettings, SETTING_NAMES } from "./settings.ts";
import { type ManifestDocument, sectionNamed } from "./manifest-document.ts";
import { errorAt, type Problem } from "./problem.ts";
import { shownHtml } from "./stray-lines.ts";

/** A line that was meant to open or close front matter: too few or too many dashes, TOML, or a block of code. */
const FENCE = /^ {0,3}(-{2,}|[–—]-?|\+{3,}|(?:`{3,}|~{3,})[ \t]*(?:ya?ml|toml)?)[ \t]*$/i;
const CODE = /^(?:`{3}|~{3})/;
const KEY = /^\s*(?:- )?["']?([A-Za-z_]+)["']?\s*[:=]/;
const KNOWN: ReadonlySet<string> = new Set([...SETTING_NAMES, ...Object.keys(FILE_SETTINGS)]);

/** A block of settings begins no later than this. */
const LOOKED_AT = 60;

interface Block {
  /** Counted from 0: its opening fence, or its first setting. */
  readonly at: number;
  /** Absent: nothing is written before the settings. */
  readonly opening: string | undefined;
  readonly closing: string | undefined;
  readonly settings: readonly string[];
}

export function unreadFrontMatter({ text, frontMatter, sections }: ManifestDocument): Problem[] {
  if (frontMatter !== undefined) return [];
  const lines = shownHtml(linesAtTop(text).join("\n")).split("\n");
  const body = (sections[0]?.line ?? LOOKED_AT + 1) - 1;
  const block = fencedBlock(lines, body) ?? bareBlock(lines.slice(0, body));
  if (block === undefined) return [];
  const { at, opening, closing, settings } = block;
  const example = `---\n${asYaml(settings).join("\n")}\n---`;
  return [
    errorAt(at + 1, "unread-front-matter", {
      message: `these settings are not read: ${reason(block)}`,
      example,
      ...(valuesIn(example).isWrong && { sample: true }),
      found: [opening, ...settings, closing].filter((line) => line !== undefined).join("\n"),
    }),
  ];
}

function linesAtTop(text: string): readonly string[] {
  return text.replace("\uFEFF", "").split(/\r\n|\n|\r/, LOOKED_AT);
}

function fencedBlock(lines: readonly string[], body: number): Block | undefined {
  const at = lines.findIndex((line, index) => {
    if (!FENCE.test(line)) return false;
    const settings = blockAt(lines, index + 1);
    if (!settings.some(isSetting)) return false;
    // Below a section, code shows something.
    return !CODE.test(line.trim()) || (index < body && areMeant(settings));
  });
  if (at === -1) return undefined;
  const settings = blockAt(lines, at + 1);
  const opening = lines[at]?.trim() ?? "";
  const after = lines[at + 1 + settings.length]?.trim() ?? "";
  const isClosed = FENCE.test(after) && CODE.test(after) === CODE.test(opening);
  return { at, opening, settings, closing: isClosed ? after : undefined };
}

/** Lines of settings with nothing before them, above the first section. */
function bareBlock(lines: readonly string[]): Block | undefined {
  for (const at of lines.keys()) {
    const above = lines[at - 1] ?? "";
    const isStart = above.trim() === "" || /^#+ /.test(above);
    const settings = isStart ? blockAt(lines, at) : [];
    if (!settings.some(isSetting) || !areMeant(settings)) continue;
    const after = lines[at + settings.length]?.trim() ?? "";
    const closing = FENCE.test(after) && !CODE.test(after) ? after : undefined;
    return { at, opening: undefined, settings, closing };
  }
  return undefined;
}

/** A sentence may begin with such a word: one of them has a value that it takes, or the form of one. */
function areMeant(settings: readonly string[]): boolean {
  const { keys } = valuesIn(`---\n${asYaml(settings).join("\n")}\n---`);
  return keys.some((key) => key !== "title") || settings.some(hasValue);
}

function hasValue(line: string): boolean {
  const key = KEY.exec(line)?.[1] ?? "";
  const value = line.replace(KEY, "").trim();
  if (!isSetting(line) || ORDINARY_SETTINGS.has(key)) return false;
  return /^[[{`"']/.test(value) || value.split(/\s+/).length <= 2;
}

/** What would be read of it as front matter. */
function valuesIn(text: string): { readonly keys: readonly string[]; readonly isWrong: boolean } {
  const problems: Problem[] = [];
  const settings = readSettings(findFrontMatter(text, lineTable(text)), problems);
  return { keys: Object.keys(settings), isWrong: problems.length > 0 };
}

/**
 * The settings that begin at a line, up to the last line that is one; none where it is not a key. An empty line or a
 * comment is part of them only before another setting: `# Goal` reads like a comment, too.
 */
function blockAt(lines: readonly string[], start: number): readonly string[] {
  const after = lines.slice(start);
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
  const isList = isItem(above[0]);
  if (/^\s/.test(line)) return true;
  if (line.startsWith("- ") && !isList) return /:\s*$|^- /.test(above.at(-1) ?? "") && !isBox(line);
  return KEY.test(line);
}

function isItem(line = ""): boolean {
  return /^\s*- /.test(line);
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

function reason({ at, opening, closing, settings }: Block): string {
  if (at > 0) return "front matter begins in the first line of the file, with a line ---";
  if (opening !== "---" || (closing !== undefined && closing !== "---")) {
    return "front matter is YAML between two lines ---";
  }
  if (closing === undefined) return "a line --- must close them";
  const [first = ""] = settings;
  if (isItem(first)) return "front matter has keys, not a list";
  return isAssignment(first)
    ? "in front matter a colon is between a key and its value"
    : "in front matter keys begin in the first column";
}

function isAssignment(line: string): boolean {
  return /^\s*(?:- )?["']?[A-Za-z_]+["']?\s*=/.test(line);
}

/** With colons, and its keys in the first column. */
function asYaml(settings: readonly string[]): string[] {
  const [first = ""] = settings;
  const indent = /^\s*/.exec(first)?.[0] ?? "";
  return settings.map((written) => {
    const line = written.startsWith(indent) ? written.slice(indent.length) : written.trimStart();
    const bare = isItem(first) ? line.replace(/^- /, "").replace(/^ {2}/, "") : line;
    const spaced = bare.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length));
    return isAssignment(spaced) ? spaced.replace(/\s*=\s*/, ": ") : spaced;
  });
}
