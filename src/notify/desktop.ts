// A notice on the desktop of whoever started the run: notify-send, or osascript on macOS. The texts are
// words of their own; no shell and no script takes them apart.
import type { Notice } from "../core/schema/notice.ts";
import { type Channel, lastWords, type RunWords } from "./channel.ts";

export interface Desktop {
  /** The absolute path of a program, or undefined. */
  readonly find: (program: string) => string | undefined;
  readonly run: RunWords;
}

const TIMEOUT_MS = 10_000;

const APPLE_SCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** Undefined where there is no program that shows a notice. */
export function desktopChannel({ find, run }: Desktop): Channel | undefined {
  const words = wordsFor(find);
  if (words === undefined) return undefined;
  return {
    name: "desktop",
    describe: "the desktop",
    async deliver(notice, signal) {
      const said = words(notice);
      const { exitCode, timedOut, output } = await run({
        words: said,
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      if (exitCode === 0) return;
      const how = timedOut ? "did not end" : `exited with code ${exitCode}`;
      throw new Error(`${said[0]} ${how}${lastWords(output)}`);
    },
  };
}

function wordsFor(find: Desktop["find"]): ((notice: Notice) => readonly string[]) | undefined {
  const notifySend = find("notify-send");
  if (notifySend !== undefined) {
    return (notice) => [
      notifySend,
      "--app-name=Stint",
      // Neither a sound nor a lit screen.
      ...(notice.quiet === true ? ["--urgency=low"] : []),
      "--",
      printable(notice.title),
      // The text is read as markup.
      escaped(textOf(notice)),
    ];
  }
  const osascript = find("osascript");
  if (osascript === undefined) return undefined;
  const script = APPLE_SCRIPT.flatMap((line) => ["-e", line]);
  return (notice) => [osascript, ...script, printable(notice.title), textOf(notice)];
}

function textOf({ text, next }: Notice): string {
  return printable(`${text}\n${next}`);
}

/** What no program can be given as a word, and no screen shows. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\uFFFD");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
