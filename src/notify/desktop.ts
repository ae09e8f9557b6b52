// A notice on the desktop of whoever started the run: notify-send, or osascript on macOS. The texts are
// words of their own; no shell and no script takes them apart.
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
    describe: words("", "")[0] ?? "",
    async deliver(notice, signal) {
      const said = words(notice.title, `${notice.text}\n${notice.next}`);
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

function wordsFor(
  find: Desktop["find"],
): ((title: string, text: string) => readonly string[]) | undefined {
  const notifySend = find("notify-send");
  if (notifySend !== undefined) {
    // The text is read as markup.
    return (title, text) => [notifySend, "--app-name=Stint", "--", title, escaped(text)];
  }
  const osascript = find("osascript");
  if (osascript === undefined) return undefined;
  const script = APPLE_SCRIPT.flatMap((line) => ["-e", line]);
  return (title, text) => [osascript, ...script, title, text];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
