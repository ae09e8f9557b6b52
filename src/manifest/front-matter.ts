// The optional YAML block at the top of a manifest. Only its place is found while parsing; the
// YAML library is loaded when somebody asks for the values, because most manifests have none.
import { createRequire } from "node:module";
import type { LineTable } from "./line-table.ts";

export interface FrontMatter {
  /** The text between the two fences. */
  readonly source: string;
  /** The line of the opening fence. */
  readonly line: number;
  /** Offset just after the closing fence. */
  readonly end: number;
  /** How many lines the block takes, fences included. */
  readonly lineCount: number;
}

export type FrontMatterValues =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly line: number; readonly reason: string };

const OPEN = /^---[ \t]*$/;
const CLOSE = /^(?:---|\.\.\.)[ \t]*$/;
const KEY_LINE = /^["']?[\p{L}_][\p{L}\p{N}_. -]*["']?[ \t]*:/u;

/** A rule (`---`) that merely opens a document is told apart: front matter begins with a key at once. */
export function findFrontMatter(text: string, lines: LineTable): FrontMatter | undefined {
  if (lines.count < 2 || !OPEN.test(lines.textOf(0))) return undefined;
  let sawKey = false;
  for (let line = 1; line < lines.count; line++) {
    const written = lines.textOf(line);
    if (CLOSE.test(written)) {
      if (!sawKey && line > 1) return undefined;
      return {
        source: text.slice(lines.startOf(1), lines.startOf(line)),
        line: 1,
        end: lines.endOf(line),
        lineCount: line + 1,
      };
    }
    if (sawKey || written.startsWith("#")) continue;
    if (!KEY_LINE.test(written)) return undefined;
    sawKey = true;
  }
  return undefined;
}

export function readFrontMatter(frontMatter: FrontMatter): FrontMatterValues {
  // Loaded here and synchronously: most manifests never need it, and reading stays a plain function.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- require() gives any
  const yaml = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const source = frontMatter.source.replace(/\r\n?/g, "\n");
  const document = yaml.parseDocument(source, { prettyErrors: false });
  const refused = ({ pos, message }: (typeof document)["errors" | "warnings"][number]) => ({
    ok: false as const,
    line: frontMatter.line + source.slice(0, pos[0]).split("\n").length,
    reason: message,
  });
  const [error] = document.errors;
  if (error !== undefined) return refused(error);
  let values: unknown;
  try {
    values = document.toJS();
  } catch (cause) {
    // Aliases that multiply without end are refused here, not by the parser.
    return { ok: false, line: frontMatter.line, reason: String(cause) };
  }
  // A tag (`!x`) is only warned of, and its value would be lost.
  const tag = document.warnings.find(({ code }) => code === "TAG_RESOLVE_FAILED");
  if (tag !== undefined) return refused(tag);
  if (values === null) return { ok: true, values: {} };
  if (typeof values !== "object" || Array.isArray(values)) {
    return { ok: false, line: frontMatter.line, reason: "it is not a list of keys with values" };
  }
  return { ok: true, values: { ...values } };
}
