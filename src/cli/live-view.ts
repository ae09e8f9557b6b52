// What a person sees of a run while it works: a live view on a terminal, plain lines in a pipe, nothing where a program
// reads JSON. The view are lines at the bottom of a terminal that are drawn again in place, below lines that stay.
// Nothing of the terminal is changed (no hidden cursor, no second screen, no raw input), so that even a process that
// is killed leaves a terminal that works.
import { columnsOf, withoutColours } from "../report/visible.ts";
import { liveFrame, liveModel, withNews } from "../report/live-frame.ts";
import type { News } from "../core/news.ts";
import { newsLine, newsSigns } from "../report/run-text.ts";
import { layOut } from "../report/layout.ts";
import { show, showAside, type Terminal } from "./terminal.ts";

export interface Screen {
  write(text: string): void;
  columns(): number;
  rows(): number;
}

const ESC = "\u001b";
/** Terminals that know it show everything in between at once; the others ignore it. */
const BEGIN = `${ESC}[?2026h`;
const END = `${ESC}[?2026l`;
const CLEAR_LINE = `${ESC}[K`;
const CLEAR_BELOW = `${ESC}[J`;

export class LiveView {
  readonly #screen: Screen;
  readonly #frame: (width: number) => readonly string[];
  #shown: readonly string[] = [];
  #columns = 0;
  #ended = false;

  constructor(screen: Screen, frame: (width: number) => readonly string[]) {
    this.#screen = screen;
    this.#frame = frame;
  }

  /** Shows the frame as it is now; writes nothing when nothing changed. */
  draw(): void {
    if (this.#ended) return;
    const next = this.#next();
    const isSame = next.length === this.#shown.length && next.every((l, i) => l === this.#shown[i]);
    if (isSame && this.#columns === this.#screen.columns()) return;
    const body = next.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    this.#screen.write(`${BEGIN}${this.#home()}${body}${CLEAR_BELOW}${END}`);
    this.#remember(next);
  }

  /** A line that stays, above the frame. */
  line(text: string): void {
    const next = this.#ended ? [] : this.#next();
    const body = next.map((line) => `${line}\n`).join("");
    this.#screen.write(`${BEGIN}${this.#home()}${CLEAR_BELOW}${text}\n${body}${END}`);
    this.#remember(next);
  }

  /** Takes the frame away. Safe to repeat. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#shown.length > 0) this.#screen.write(`${this.#home()}${CLEAR_BELOW}`);
    this.#shown = [];
  }

  #next(): readonly string[] {
    const lines = this.#frame(this.#screen.columns());
    return lines.slice(0, Math.max(0, this.#screen.rows() - 1));
  }

  #remember(lines: readonly string[]): void {
    this.#shown = lines;
    this.#columns = this.#screen.columns();
  }

  /** To the first column of the frame's first line, also after the terminal became narrower. */
  #home(): string {
    const columns = Math.max(1, this.#screen.columns());
    const rows = this.#shown
      .map((line) => Math.max(1, Math.ceil(columnsOf(withoutColours(line)) / columns)))
      .reduce((sum, count) => sum + count, 0);
    return rows === 0 ? "\r" : `\r${ESC}[${rows}A`;
  }
}

export interface RunWatch {
  tell(news: News): void;
  /** What was told before anybody watched: no line of it is shown. */
  remember(news: News): void;
  /** The run was asked to end and does so in order. */
  ending(why: string): void;
  /** Leaves the terminal as it was found, with every line that stays. */
  end(): void;
}

/** `lines`: every piece of news. `quiet`: only what passes, and only on a terminal. */
export type Watching = "lines" | "quiet" | "silent";

const REDRAW_MS = 100;

export function watchRun(
  terminal: Terminal,
  watching: Watching,
  nowMs: () => number,
  sinceMs = nowMs(),
): RunWatch {
  const { screen, told } = terminal;
  if (watching === "silent") {
    return { tell: (news) => told?.(news), remember() {}, ending() {}, end() {} };
  }
  if (screen === undefined) return plainWatch(terminal, watching);
  let model = liveModel(sinceMs);
  const view = new LiveView(screen, (width) =>
    liveFrame(model, { nowMs: nowMs(), width, paint: terminal.paint }),
  );
  const timer = setInterval(() => view.draw(), REDRAW_MS);
  return {
    tell(news) {
      model = withNews(model, news);
      const line = watching === "lines" ? newsSigns(news, terminal.paint) : null;
      if (line !== null) view.line(layOut([line], screen.columns()));
    },
    remember(news) {
      model = withNews(model, news);
    },
    ending(why) {
      model = { ...model, ending: why };
      view.draw();
    },
    end() {
      clearInterval(timer);
      view.end();
    },
  };
}

function plainWatch(terminal: Terminal, watching: Watching): RunWatch {
  return {
    tell(news) {
      const line = watching === "lines" ? newsLine(news) : null;
      if (line !== null) show(terminal, [line]);
    },
    remember() {},
    ending: (why) => showAside(terminal, [why]),
    end() {},
  };
}
