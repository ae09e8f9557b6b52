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
  type LooseItem,
  type ManifestDocument,
  type ManifestItem,
  type ManifestTask,
  type Paragraph,
  type Section,
  type StrayBox,
  type StrayLine,
  type Unclosed,
  sectionNamed,
  readKey,
} from "./manifest-document.ts";
import {
  isOpenComment,
  keysInCode,
  linesIn,
  linesOfHtml,
  linesOfParagraph,
  linesWrapped,
  type RawLine,
  shownHtml,
} from "./stray-lines.ts";
import { firstLineOf, firstLines, trimmedEnd, unindented, widthOf } from "./text-lines.ts";

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

type OpenLoose = { -readonly [K in keyof LooseItem]: LooseItem[K] };

type OpenSection = { -readonly [K in keyof Section]: Section[K] };

/** One pass over the block tokens, with the list items that are open at each point. */
class Walk {
  private readonly headings: Heading[] = [];
  private readonly sections: OpenSection[] = [];
  private readonly tasks: OpenTask[] = [];
  private readonly looseItems: OpenLoose[] = [];
  private readonly strayBoxes: StrayBox[] = [];
  private readonly strayLines: StrayLine[] = [];
  private readonly unclosed: Unclosed[] = [];
  private readonly paragraphs: Paragraph[] = [];
  private readonly quotes: Paragraph[] = [];
  private tooDeepAt: number | undefined;

  private section: OpenSection | undefined;
  private quoteDepth = 0;
  /** One entry per open list item: the task it is or belongs to. */
  private readonly openItems: (OpenTask | undefined)[] = [];
  private readonly openLoose: OpenLoose[] = [];
  /** Something else than a list stands after the last task: an item below it is none of that task. */
  private isApart = true;

  constructor(
    private readonly text: string,
    private readonly lines: LineTable,
    private readonly frontMatter: FrontMatter | undefined,
  ) {}

  walk(tokens: readonly Token[]): ManifestDocument {
    for (const [index, token] of tokens.entries()) {
      if (token.level >= MAX_NESTING - 1) this.tooDeepAt ??= lineOf(token) + 1;
      this.read(token, index, tokens);
      if (token.level === 0 && token.block && token.nesting <= 0) this.isApart ||= !isList(token);
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
      strayLines: this.strayLines,
      unclosed: this.unclosed,
      paragraphs: this.paragraphs,
      quotes: this.quotes,
      tooDeepAt: this.tooDeepAt,
    };
  }

  private read(token: Token, index: number, tokens: readonly Token[]): void {
    const next = tokens[index + 1];
    switch (token.type) {
      case "heading_open":
        if (token.level === 0) this.openHeading(token, next);
        this.addHeadingLines(token, next);
        break;
      case "paragraph_open":
        if (token.level === 0) this.addParagraph(next);
        // The first paragraph of an item is read with the item.
        else if (tokens[index - 1]?.type !== "list_item_open") this.addInner(next);
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
        if (token.level === 0) this.addQuote(token, tokens[index + 2]);
        break;
      case "blockquote_close":
        this.quoteDepth--;
        break;
      case "list_item_open":
        this.openItems.push(
          this.openItem(token, next?.type === "paragraph_open" ? tokens[index + 2] : undefined),
        );
        break;
      case "list_item_close":
        this.openItems.pop();
        this.closeLoose();
        break;
      default:
        break;
    }
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
    this.addLines(linesOfParagraph(inline.content, lineOf(inline)), "paragraph", inline);
    for (const [index, text] of inline.content.split("\n").entries()) {
      if (/^\s*\|.*\[[ xX]\]/.test(text))
        this.addStrayBox(lineOf(inline) + index, text.trim(), "table");
    }
  }

  /** A paragraph below the first of an item: the session reads it, Stint does not. */
  private addInner(inline: Token | undefined): void {
    if (inline === undefined || (this.quoteDepth === 0 && this.openItems.at(-1) === undefined))
      return;
    this.addLines(linesOfParagraph(inline.content, lineOf(inline)), "paragraph", inline);
  }

  private addQuote(token: Token, inline: Token | undefined): void {
    const text = inline?.type === "inline" ? inline.content : "";
    this.quotes.push({ text, line: lineOf(token) + 1, section: this.section?.name });
  }

  private addHeadingLines(token: Token, inline: Token | undefined): void {
    if (inline === undefined || this.section?.name !== "Steps") return;
    this.addLines(linesIn(inline.content, lineOf(inline)), "heading", token);
    const isBox = token.level > 0 && this.quoteDepth === 0 && BOX.test(inline.content);
    if (isBox) this.addStrayBox(lineOf(inline), inline.content, "heading");
  }

  /** Of Steps: elsewhere such lines are nobody's keys. */
  private addLines(lines: readonly RawLine[], where: StrayLine["where"], block: Token): void {
    if (lines.length === 0 || this.section?.name !== "Steps") return;
    const isInItem = this.openItems.at(-1) !== undefined;
    for (const line of lines) {
      const isPlace = isInItem || (!this.isApart && line.line === lineOf(block) + 1);
      const task = isPlace ? (this.openItems.at(-1)?.index ?? this.tasks.length - 1) : undefined;
      const place = this.quoteDepth > 0 ? "block-quote" : (line.where ?? where);
      this.strayLines.push({ ...line, where: place, task });
    }
  }

  /** Its text is the value of the key right above it, where that has none; and one that is open takes all that follows. */
  private addFence(token: Token, before: Token | undefined): void {
    const [firstLine, afterLast] = token.map ?? [0, 0];
    const key = this.openItems.at(-1)?.keys.at(-1);
    if (key !== undefined && key.value === "" && before !== undefined) {
      if (key.line === lineOf(before) + 1) key.block = token.content;
    }
    const read = this.quoteDepth > 0 ? linesIn : keysInCode;
    this.addLines(read(token.content, firstLine + 1), "code-block", token);
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
    this.addLines(linesOfHtml(token.content, firstLine), "html", token);
    for (const [index, text] of shownHtml(token.content).split("\n").entries()) {
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
    this.addLines(linesIn(token.content, lineOf(token)), "indented-code", token);
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
      this.addUnreadItem(item, inline, box !== null);
      return owner;
    }
    if (box !== null) return this.openTask(item, inline, owner);
    const text = unindented(inline.content);
    if (owner === undefined) this.addLoose(text, line);
    else this.addSubItem(owner, text, inline);
    return owner;
  }

  private addUnreadItem(item: Token, inline: Token, isBox: boolean): void {
    const line = lineOf(inline);
    const text = unindented(inline.content);
    if (this.quoteDepth > 0) {
      if (isBox) this.addStrayBox(line, firstLineOf(inline.content), "block-quote");
      const [first, ...wrapped] = linesIn(text, line);
      const lines = first?.line === line + 1 ? [{ ...first, isItem: true }, ...wrapped] : wrapped;
      this.addLines(lines, "block-quote", item);
    } else if (isBox) this.addStrayBox(line, firstLineOf(inline.content), "outside-steps");
    else if (this.section !== undefined) {
      const where = "outside-steps";
      const rest = { isItem: true, task: undefined };
      this.strayLines.push({ text, written: text, line: line + 1, where, ...rest });
    }
  }

  private addLoose(text: string, line: number): void {
    const depth = this.openItems.length + 1;
    const isKey = readKey(text) !== undefined;
    const isNext = !this.isApart && this.tasks.at(-1)?.depth === depth - 1;
    const task = isNext ? this.tasks.length - 1 : undefined;
    const item: OpenLoose = { text, line: line + 1, depth, isGroup: false, task };
    this.looseItems.push(item);
    this.openLoose.push(item);
    this.isApart ||= !isKey;
  }

  private closeLoose(): void {
    while ((this.openLoose.at(-1)?.depth ?? 0) > this.openItems.length) this.openLoose.pop();
  }

  /** A line that is indented so far that it continues the value above it is a key of its own, and not read. */
  private addSubItem(owner: OpenTask, text: string, inline: Token): void {
    const wrapped = linesWrapped(text, lineOf(inline));
    this.addLines(wrapped, "wrapped", inline);
    const swallowed = wrapped.find((each) => each.isItem && readKey(each.text) !== undefined);
    const own =
      swallowed === undefined ? text : firstLines(text, swallowed.line - lineOf(inline) - 1);
    const key = readKey(own);
    const depth = this.openItems.length - owner.depth;
    if (key === undefined) owner.substeps.push({ text, line: lineOf(inline) + 1, depth });
    else owner.keys.push({ ...key, line: lineOf(inline) + 1 });
  }

  private openTask(item: Token, inline: Token, parent: OpenTask | undefined): OpenTask {
    const [firstLine, afterLast] = item.map ?? [0, 0];
    let lastLine = afterLast - 1;
    while (lastLine > firstLine && this.lines.isBlank(lastLine)) lastLine--;
    parent?.nested.push([firstLine, afterLast]);
    for (const loose of this.openLoose) loose.isGroup = true;
    this.isApart = false;
    const titleLines = unindented(inline.content.slice(3)).split("\n");
    const keys: OpenTask["keys"] = [];
    const substeps: ManifestItem[] = [];
    const box = this.boxAt(lineOf(inline), inline.content);
    const task: ManifestTask = {
      box,
      title: titleLines.join(" ").trim(),
      wrappedLines: titleLines.slice(1),
      line: lineOf(inline) + 1,
      indent: " ".repeat(widthOf(this.lines.textOf(lineOf(inline)).slice(0, box.column - 1))),
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

function isList({ type }: Token): boolean {
  return type === "bullet_list_close" || type === "ordered_list_close";
}

function lineOf(token: Token): number {
  return token.map?.[0] ?? 0;
}

function isMark(character: string | undefined): character is Box["mark"] {
  return character === " " || character === "x" || character === "X";
}
