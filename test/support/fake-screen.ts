// A terminal that a test can look at: it understands exactly the control sequences that the live view
// may use, and fails on any other.
import type { Screen } from "../../src/cli/live-view.ts";
import { columnsOf } from "../../src/report/visible.ts";

export class FakeScreen implements Screen {
  readonly writes: string[] = [];
  #lines: string[] = [""];
  #row = 0;
  /** What was typed into the row since the cursor came to its first column. */
  #typed = "";
  #width: number;
  readonly #height: number;

  constructor(width: number, height = 24) {
    this.#width = width;
    this.#height = height;
  }

  columns(): number {
    return this.#width;
  }

  rows(): number {
    return this.#height;
  }

  /** Without reflow: what was written keeps its rows. */
  resize(width: number): void {
    this.#width = width;
  }

  write(text: string): void {
    this.writes.push(text);
    for (const [token] of text.matchAll(TOKENS)) this.#take(token);
  }

  /** What a person sees, without the empty line of the cursor. */
  get lines(): string[] {
    const shown = this.#lines.map((line) => line.trimEnd());
    return shown.at(-1) === "" ? shown.slice(0, -1) : shown;
  }

  #take(token: string): void {
    const up = UP.exec(token)?.[1];
    if (up !== undefined) this.#row = Math.max(0, this.#row - Number(up));
    else if (token === "\n") this.#down();
    else if (token === "\u001b[K") this.#lines[this.#row] = this.#typed;
    else if (token === "\u001b[J") this.#lines.splice(this.#row, Infinity, this.#typed);
    else if (token === "\r") this.#typed = "";
    else if (token.startsWith("\u001b[?2026") || COLOUR.test(token)) return;
    else if (token.startsWith("\u001b")) throw new Error(`unknown: ${JSON.stringify(token)}`);
    else this.#type(token);
  }

  #type(text: string): void {
    this.#typed += text;
    const before = this.#lines[this.#row] ?? "";
    this.#lines[this.#row] = this.#typed + before.slice(this.#typed.length);
  }

  #down(): void {
    // A line that is wider than the screen takes more rows than one.
    const wrapped = Math.max(1, Math.ceil(columnsOf(this.#typed) / this.#width)) - 1;
    if (wrapped > 0) throw new Error(`wider than ${this.#width}: ${this.#typed}`);
    this.#row += 1;
    this.#typed = "";
    this.#lines[this.#row] ??= "";
  }
}

/* oxlint-disable no-control-regex -- control sequences are what it understands */
const UP = /^\u001b\[(\d+)A$/;
const COLOUR = /^\u001b\[[0-9;]*m$/;
const TOKENS = /\u001b\[[?0-9;]*[A-Za-z]|\u001b.?|\r|\n|[^\u001b\r\n]+/g;
