// What a person sees of a run while it works: a live view on a terminal, plain lines in a pipe,
// nothing where a program reads JSON.
import { liveFrame, liveModel, withNews } from "../report/live-frame.ts";
import type { News } from "../core/news.ts";
import { newsLine, newsSigns } from "../report/run-text.ts";
import { layOut } from "../report/layout.ts";
import { LiveView } from "./live-view.ts";
import { show, showAside } from "./show.ts";
import type { Terminal } from "./terminal.ts";

export interface RunWatch {
  tell(news: News): void;
  /** The run was asked to end and does so in order. */
  ending(why: string): void;
  /** Leaves the terminal as it was found, with every line that stays. */
  end(): void;
}

/** `lines`: every piece of news. `quiet`: only what passes, and only on a terminal. */
export type Watching = "lines" | "quiet" | "silent";

const REDRAW_MS = 100;

export function watchRun(terminal: Terminal, watching: Watching, nowMs: () => number): RunWatch {
  if (watching === "silent") return { tell() {}, ending() {}, end() {} };
  const { screen } = terminal;
  if (screen === undefined) return plainWatch(terminal, watching);
  let model = liveModel(nowMs());
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
    ending: (why) => showAside(terminal, [why]),
    end() {},
  };
}
