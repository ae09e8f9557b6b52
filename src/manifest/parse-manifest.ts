// Markdown to a ManifestDocument. markdown-it finds the blocks and their line numbers; columns are
// recovered from the original text, because the parser drops indentation and line breaks:
// the first line of a block's content is always the end of the source line it stands on.
import MarkdownIt, { type Token } from "markdown-it";
import { findFrontMatter, type FrontMatter } from "./front-matter.ts";
import { lineTable, startsWithByteOrderMark, type LineTable } from "./line-table.ts";
import {
  type Box,
  type Heading,
  type KeyLine,
  type ManifestDocument,
  type ManifestItem,
  type ManifestTask,
  type Paragraph,
  type Section,
  type StrayBox,
  type StrayKey,
  type Unclosed,
  sectionNamed,
  readKey,
} from "./manifest-document.ts";

/** Beyond this depth markdown-it silently drops the rest of the document, so it is reported. */
const MAX_NESTING = 400;

/** A box is followed by a space or the end of its line; `[x](link)` and `[x]: definition` are none. */
const BOX = /^\[([ xX])\](?=[ \t\n]|$)/;

const BOXED_ITEM = /^(?:[-*+]|\d+[.)])[ \t]+\[[ xX]\](?=[ \t]|$)/;

/** Between two sessions the same two texts, with and without a box, are read many times over. */
const REMEMBERED = 2;
let remembered: readonly ManifestDocument[] = [];

export function parseManifest(text: string): ManifestDocument {
  const known = remembered.find((document) => document.text === text);
  const document = known ?? parse(text);
  const others = remembered.filter((other) => other !== document);
  remembered = [document, ...others].slice(0, REMEMBERED);
  return document;
}

function parse(text: string): ManifestDocument {
  const lines = lineTable(text);
  const frontMatter = findFrontMatter(text, lines);
  return new Walk(text, lines, frontMatter).walk(blocksOf(text, frontMatter));
}

function blocksOf(text: string, frontMatter: FrontMatter | undefined): Token[] {
  const markdown = new MarkdownIt("commonmark", { maxNesting: MAX_NESTING });
  markdown.core.ruler.enableOnly(["normalize", "block", "strip_references"]);
  if (frontMatter !== undefined) {
    return markdown.parse("\n".repeat(frontMatter.lineCount - 1) + text.slice(frontMatter.end), {});
  }
  return markdown.parse(startsWithByteOrderMark(text) ? text.slice(1) : text, {});
}

interface OpenTask {
  readonly index: number;
  readonly depth: number;
  readonly task: { -readonly [K in keyof ManifestTask]: ManifestTask[K] };
  readonly keys: { -readonly [K in keyof KeyLine]: KeyLine[K] }[];
  readonly substeps: ManifestItem[];
  /** Line ranges of the tasks nested in this one. */
  readonly nested: [number, number][];
}

type OpenSection = { -readonly [K in keyof Section]: Section[K] };

/** One pass over the block tokens, with the list items that are open at each point. */
class Walk {
  private readonly headings: Heading[] = [];
  private readonly sections: OpenSection[] = [];
  private readonly tasks: OpenTask[] = [];
  private readonly looseItems: ManifestItem[] = [];
  private readonly strayBoxes: StrayBox[] = [];
  private readonly strayKeys: StrayKey[] = [];
  private readonly unclosed: Unclosed[] = [];
  private readonly paragraphs: Paragraph[] = [];
  private tooDeepAt: number | undefined;

  private section: OpenSection | undefined;
  private quoteDepth = 0;
  /** One entry per open list item: the task it is or belongs to. */
  private readonly openItems: (OpenTask | undefined)[] = [];

  constructor(
    private readonly text: string,
    private readonly lines: LineTable,
    private readonly frontMatter: FrontMatter | undefined,
  ) {}

  walk(tokens: readonly Token[]): ManifestDocument {
    for (const [index, token] of tokens.entries()) {
      if (token.level >= MAX_NESTING - 1) this.tooDeepAt ??= lineOf(token) + 1;
      switch (token.type) {
        case "heading_open":
          if (token.level === 0) this.openHeading(token, tokens[index + 1]);
          break;
        case "paragraph_open":
          if (token.level === 0) this.addParagraph(tokens[index + 1]);
          // The first paragraph of an item is read with the item.
          else if (tokens[index - 1]?.type !== "list_item_open") this.addInner(tokens[index + 1]);
          break;
        case "code_block":
          this.addCode(token);
          break;
        case "fence":
          this.addFence(token, tokens[index - 2]);
          break;
        case "html_block":
          this.addHtml(token);
          break;
        case "blockquote_open":
          this.quoteDepth++;
          break;
        case "blockquote_close":
          this.quoteDepth--;
          break;
        case "list_item_open": {
          const first =
            tokens[index + 1]?.type === "paragraph_open" ? tokens[index + 2] : undefined;
          this.openItems.push(this.openItem(token, first));
          break;
        }
        case "list_item_close":
          this.openItems.pop();
          break;
        default:
          break;
      }
    }
    for (const section of this.sections) if (section.end < 0) section.end = this.text.length;
    return {
      text: this.text,
      frontMatter: this.frontMatter,
      headings: this.headings,
      sections: this.sections,
      tasks: this.tasks.map((task) => this.closeTask(task)),
      looseItems: this.looseItems,
      strayBoxes: this.strayBoxes,
      strayKeys: this.strayKeys,
      unclosed: this.unclosed,
      paragraphs: this.paragraphs,
      tooDeepAt: this.tooDeepAt,
    };
  }

  private openHeading(token: Token, inline: Token | undefined): void {
    const firstLine = lineOf(token);
    const level = Number(token.tag.slice(1));
    const text = inline?.content ?? "";
    const name = sectionNamed(text);
    // A heading that names a section always opens it, even below a deeper or shallower one.
    if (this.section !== undefined && (name !== undefined || level <= this.section.level)) {
      this.section.end = this.lines.startOf(firstLine);
      this.section = undefined;
    }
    this.headings.push({ text, level, line: firstLine + 1, section: name ?? this.section?.name });
    if (name === undefined) return;
    this.section = {
      name,
      level,
      line: firstLine + 1,
      start: this.lines.startOf(firstLine),
      contentStart: this.lines.startOf(token.map?.[1] ?? firstLine + 1),
      end: -1,
    };
    this.sections.push(this.section);
  }

  private addParagraph(inline: Token | undefined): void {
    if (inline === undefined) return;
    this.paragraphs.push({
      text: inline.content,
      line: lineOf(inline) + 1,
      section: this.section?.name,
    });
    if (this.section?.name !== "Steps") return;
    this.addKeysOfParagraph(inline);
    for (const [index, text] of inline.content.split("\n").entries()) {
      if (/^\s*\|.*\[[ xX]\]/.test(text))
        this.addStrayBox(lineOf(inline) + index, text.trim(), "table");
    }
  }

  /** A paragraph below the first of an item: the session reads it, Stint does not. */
  private addInner(inline: Token | undefined): void {
    const isInTask = this.openItems.at(-1) !== undefined && this.quoteDepth === 0;
    if (inline !== undefined && isInTask) this.addKeysOfParagraph(inline);
  }

  private addKeysOfParagraph(inline: Token): void {
    for (const [index, text] of inline.content.split("\n").entries()) {
      this.addStrayKey(text.trim(), lineOf(inline) + index, "paragraph");
    }
  }

  private addStrayKey(text: string, line: number, where: StrayKey["where"]): void {
    const key = readKey(text);
    if (key !== undefined) this.strayKeys.push({ ...key, text, line: line + 1, where });
  }

  /** Its text is the value of the key right above it, where that has none; and one that is open takes all that follows. */
  private addFence(token: Token, before: Token | undefined): void {
    const [firstLine, afterLast] = token.map ?? [0, 0];
    const key = this.openItems.at(-1)?.keys.at(-1);
    if (key !== undefined && key.value === "" && before !== undefined) {
      if (key.line === lineOf(before) + 1) key.block = token.content;
    }
    const isClosed = this.lines
      .textOf(afterLast - 1)
      .trim()
      .startsWith(token.markup);
    if (!isClosed || afterLast - 1 === firstLine) this.addUnclosed("code block", token);
  }

  private addHtml(token: Token): void {
    if (isOpenComment(token.content)) {
      this.addUnclosed("comment", token);
      return;
    }
    if (this.section?.name !== "Steps") return;
    const firstLine = lineOf(token);
    const shown = token.content.replace(/<!--[^]*?-->/g, (comment) => comment.replace(/.+/g, ""));
    for (const [index, text] of shown.split("\n").entries()) {
      if (BOXED_ITEM.test(text.trim())) this.addStrayBox(firstLine + index, text.trim(), "html");
    }
  }

  /** Nothing is said of one that takes neither a task nor a section. */
  private addUnclosed(what: Unclosed["what"], token: Token): void {
    const lines = token.content.split("\n").map((line) => line.trim());
    const boxes = lines.filter((line) => BOXED_ITEM.test(line)).length;
    const takesSection = lines.some((line) => sectionNamed(/^#+ (.*)$/.exec(line)?.[1] ?? ""));
    if (boxes > 0 || takesSection) this.unclosed.push({ what, line: lineOf(token) + 1, boxes });
  }

  /** A list that is indented too far becomes code; its boxes would be lost without a word. */
  private addCode(token: Token): void {
    if (this.quoteDepth > 0 || this.section?.name !== "Steps") return;
    const [firstLine, afterLast] = token.map ?? [0, 0];
    for (let line = firstLine; line < afterLast; line++) {
      const text = this.lines.textOf(line).trim();
      if (BOXED_ITEM.test(text)) this.addStrayBox(line, text, "indented-code");
    }
  }

  private addStrayBox(line: number, text: string, where: StrayBox["where"]): void {
    this.strayBoxes.push({ line: line + 1, text, section: this.section?.name, where });
  }

  private openItem(item: Token, inline: Token | undefined): OpenTask | undefined {
    const owner = this.openItems.at(-1);
    if (inline === undefined) return owner;
    const line = lineOf(inline);
    const box = BOX.exec(inline.content);
    if (this.quoteDepth > 0 || this.section?.name !== "Steps") {
      const where = this.quoteDepth > 0 ? "block-quote" : "outside-steps";
      if (box !== null) this.addStrayBox(line, firstLineOf(inline.content), where);
      else if (where === "outside-steps" && this.section !== undefined) {
        this.addStrayKey(unindented(inline.content), line, where);
      }
      return owner;
    }
    if (box !== null) return this.openTask(item, inline, owner);
    const text = unindented(inline.content);
    const key = readKey(text);
    const depth = this.openItems.length - (owner?.depth ?? -1);
    if (owner === undefined) this.looseItems.push({ text, line: line + 1, depth });
    else if (key !== undefined) owner.keys.push({ ...key, line: line + 1 });
    else owner.substeps.push({ text, line: line + 1, depth });
    return owner;
  }

  private openTask(item: Token, inline: Token, parent: OpenTask | undefined): OpenTask {
    const [firstLine, afterLast] = item.map ?? [0, 0];
    let lastLine = afterLast - 1;
    while (lastLine > firstLine && this.lines.isBlank(lastLine)) lastLine--;
    parent?.nested.push([firstLine, afterLast]);
    const titleLines = unindented(inline.content.slice(3)).split("\n");
    const keys: OpenTask["keys"] = [];
    const substeps: ManifestItem[] = [];
    const task: ManifestTask = {
      box: this.boxAt(lineOf(inline), inline.content),
      title: titleLines.join(" ").trim(),
      wrappedLines: titleLines.slice(1),
      line: lineOf(inline) + 1,
      start: this.lines.startOf(firstLine),
      end: this.lines.endOf(lastLine),
      source: "",
      keys,
      substeps,
      parent: parent?.index,
    };
    const { length: index } = this.tasks;
    const open = { index, depth: this.openItems.length, task, keys, substeps, nested: [] };
    this.tasks.push(open);
    return open;
  }

  private boxAt(line: number, content: string): Box {
    const written = trimmedEnd(this.lines.textOf(line));
    const column = written.length - trimmedEnd(firstLineOf(content)).length;
    const offset = this.lines.startOf(line) + column;
    const mark = this.text[offset + 1];
    if (this.text[offset] !== "[" || this.text[offset + 2] !== "]" || !isMark(mark)) {
      throw new Error(
        `no box at line ${line + 1}, column ${column + 1}: ${JSON.stringify(written)}`,
      );
    }
    return { offset, line: line + 1, column: column + 1, checked: mark !== " ", mark };
  }

  private closeTask({ task, nested }: OpenTask): ManifestTask {
    let source = "";
    let from = task.start;
    for (const [firstLine, afterLast] of nested) {
      source += this.text.slice(from, this.lines.startOf(firstLine));
      from = this.lines.startOf(afterLast);
    }
    task.source = source + this.text.slice(from, Math.max(from, task.end));
    return task;
  }
}

function isOpenComment(html: string): boolean {
  return html.lastIndexOf("<!--") > html.lastIndexOf("-->");
}

function lineOf(token: Token): number {
  return token.map?.[0] ?? 0;
}

function isMark(character: string | undefined): character is Box["mark"] {
  return character === " " || character === "x" || character === "X";
}

function firstLineOf(content: string): string {
  const end = content.indexOf("\n");
  return end < 0 ? content : content.slice(0, end);
}

/** Without the indentation that wrapped lines may have; it carries no meaning in a paragraph. */
function unindented(content: string): string {
  if (!content.includes("\n")) return content.trim();
  return content
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return text.slice(0, end);
}
