// A run in the background, from three sides: `run --detach` starts it, the run itself keeps what it tells, and `watch`
// shows that. Ctrl-C ends the watching and nothing else.
import type { ErrorView, RunView } from "../core/schema/views.ts";
import type { News } from "../core/news.ts";
import { StintError } from "../core/stint-error.ts";
import { detach, DETACHED_VARIABLE, detachedRecord } from "../operations/run/detach.ts";
import { watchRun as watchOperation } from "../operations/run/watch-run.ts";
import type { System } from "../operations/system.ts";
import { detachedText, leftText } from "../report/detached-text.ts";
import { newsLine, runText } from "../report/run-text.ts";
import { statusText } from "../report/status-text.ts";
import { EXIT, exitCodeOfError, exitCodeOfState } from "./exit-codes.ts";
import { type RunWatch, watchRun } from "./live-view.ts";
import { typedSettings } from "./run-options.ts";
import { printJson, show, type Terminal } from "./terminal.ts";
import { isSet, type VerbCall, type VerbRunner } from "./verb.ts";

/** The runner of `run` and `resume`, in the background where that is wanted, or where this is that very process. */
export function detachable(run: VerbRunner): VerbRunner {
  return async (system, call, terminal) => {
    if (system.env[DETACHED_VARIABLE] !== undefined)
      return await runAside(run, system, call, terminal);
    return isSet(call, "detach")
      ? await startAside(system, call, terminal)
      : await run(system, call, terminal);
  };
}

async function startAside(system: System, call: VerbCall, terminal: Terminal): Promise<number> {
  const words = (call.words ?? []).filter((word) => word !== "--detach" && word !== "--json");
  const detached = await detach(system, {
    ...typedSettings(call),
    target: call.arguments[0],
    resumes: words[0] === "resume",
    words,
  });
  if (detached.kind === "started") {
    if (call.json) printJson(terminal, detached.view);
    else show(terminal, detachedText(detached.view, terminal.paint));
    return EXIT.done;
  }
  const { document, exit_code } = detached.end;
  if (call.json) printJson(terminal, document as object);
  else show(terminal, runText(document as RunView, terminal.paint));
  return exit_code;
}

/** Beyond it nothing more is logged of what agents say. */
const LONGEST_LOG = 32 * 1024 * 1024;

/** The run in the background: its output is the log, and its news are kept for whoever watches. */
async function runAside(
  run: VerbRunner,
  system: System,
  call: VerbCall,
  terminal: Terminal,
): Promise<number> {
  const record = await detachedRecord(system);
  const { [DETACHED_VARIABLE]: _own, ...env } = system.env;
  let written = 0;
  const told = (news: News): void => {
    record?.tell(news);
    const line = newsLine(news);
    if (line === null || (news.kind === "session" && written > LONGEST_LOG)) return;
    written += line.length;
    terminal.out(line);
  };
  // What it would print as its last word is the document of how it ended.
  const printed: string[] = [];
  const inside: Terminal = {
    ...terminal,
    screen: undefined,
    out: (text) => void printed.push(text),
    told,
  };
  try {
    const exit_code = await run({ ...system, env }, { ...call, json: true }, inside);
    const document = JSON.parse(printed.join("\n")) as RunView;
    record?.end({ exit_code, document });
    show(terminal, ["", ...runText(document, terminal.paint)]);
    return exit_code;
  } catch (error) {
    if (error instanceof StintError) {
      const { code, message, hint } = error;
      const document: ErrorView = { error: { code, message, hint } };
      record?.end({ exit_code: exitCodeOfError(code), document });
    }
    throw error;
  }
}

/** Lines of before that are shown again to whoever comes to watch. */
const SHOWN_BEFORE = 10;

export const runWatch: VerbRunner = async (system, call, terminal) => {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  const shown: Terminal = isSet(call, "plain") ? { ...terminal, screen: undefined } : terminal;
  let watch: RunWatch | undefined;
  process.on("SIGINT", leave);
  // Nobody reads it any more: `stint watch | head`.
  const unhear = terminal.onLost?.(leave);
  try {
    const view = await watchOperation(system, {
      project: call.arguments[0],
      signal: leaving.signal,
      tell: {
        begin(sinceMs, earlier) {
          const watching = call.json ? "silent" : "lines";
          const nowMs = (): number => system.host.nowMs();
          watch = watchRun(shown, watching, nowMs, sinceMs);
          const lines = earlier.filter((news) => newsLine(news) !== null);
          const last = new Set(lines.slice(-SHOWN_BEFORE));
          for (const news of earlier) {
            if (last.has(news)) watch.tell(news);
            else watch.remember(news);
          }
        },
        news: (news) => watch?.tell(news),
      },
    });
    watch?.end();
    if (call.json) printJson(terminal, view);
    else if (view.left) show(terminal, leftText(view, terminal.paint));
    else if (view.run !== null) show(terminal, ["", ...runText(view.run, terminal.paint)]);
    else {
      const what = view.was_live ? "The run has ended." : "No run is at work.";
      show(terminal, [what, ...statusText(view.status, terminal.paint)]);
    }
    return view.left ? EXIT.done : exitCodeOfState(view.status);
  } finally {
    watch?.end();
    unhear?.();
    process.off("SIGINT", leave);
  }
};
