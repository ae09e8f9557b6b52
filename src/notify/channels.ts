// The ways to reach a person: a program of their choice, their desktop, an address of theirs. A channel delivers
// a notice, or throws an error whose message says why not. Nothing of a notice ever becomes a word of a command
// or part of one, and no shell or script takes its texts apart.
import { createHmac } from "node:crypto";
import type { Config } from "../core/schema/config.ts";
import type { Notice } from "../core/schema/notice.ts";
import { withinTime } from "../process/call-server.ts";

export interface Channel {
  readonly name: "desktop" | "command" | "webhook";
  /** For people, before anything is sent: what will be run or called. */
  readonly describe: string;
  deliver(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** Runs a program by its words, without a shell, and ends everything it started. */
export type RunWords = (call: {
  readonly words: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) => Promise<{
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly output: string;
}>;

export interface NotifySurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute path of a program, or undefined. */
  readonly find: (program: string) => string | undefined;
  readonly run: RunWords;
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type NotifySettings = NonNullable<Config["notify"]>;

export interface Channels {
  readonly channels: readonly Channel[];
  /** What is wanted and cannot be had, and why; a run goes on without it. */
  readonly missing: readonly string[];
}

export function openChannels(settings: NotifySettings, around: NotifySurroundings): Channels {
  const channels: Channel[] = [];
  const missing: string[] = [];
  if (settings.desktop === true) {
    const desktop = desktopChannel(around);
    if (desktop === undefined) {
      missing.push("notify: desktop is off: neither notify-send nor osascript is installed");
    } else channels.push(desktop);
  }
  if (settings.command !== undefined) channels.push(commandChannel(settings.command, around.run));
  if (settings.webhook !== undefined) {
    const { url, secret_env } = settings.webhook;
    const secret = around.env[secret_env];
    if (secret === undefined || secret === "") {
      missing.push(
        `notify: webhook is off: ${secret_env} is not set, and Stint sends nothing unsigned`,
      );
    } else channels.push(webhookChannel({ ...around, url, secret }));
  }
  return { channels, missing };
}

const COMMAND_MS = 30_000;

/** The words of the program stand in the settings; the notice comes on stdin as JSON. */
export function commandChannel(words: readonly string[], run: RunWords): Channel {
  return {
    name: "command",
    describe: words.join(" "),
    async deliver(notice, signal) {
      const { exitCode, timedOut, output } = await run({
        words,
        stdin: `${JSON.stringify(notice)}\n`,
        env: {
          STINT_NOTICE: notice.kind,
          STINT_NOTICE_ID: notice.id,
          STINT_PROJECT: notice.project,
          ...(notice.quiet === true ? { STINT_NOTICE_QUIET: "1" } : {}),
        },
        timeoutMs: COMMAND_MS,
        signal,
      });
      if (exitCode === 0) return;
      const how = timedOut
        ? `did not end within ${COMMAND_MS / 1000} s`
        : `exited with ${exitCode}`;
      throw new Error(`${words[0]} ${how}${lastWords(output)}`);
    },
  };
}

/** What a program that failed said last, as one line. */
function lastWords(output: string): string {
  const line = output.trim().split("\n").at(-1)?.trim() ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}

const DESKTOP_MS = 10_000;

const APPLE_SCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** notify-send, or osascript on macOS; undefined where there is no program that shows a notice. */
export function desktopChannel({
  find,
  run,
}: Pick<NotifySurroundings, "find" | "run">): Channel | undefined {
  const words = wordsFor(find);
  if (words === undefined) return undefined;
  return {
    name: "desktop",
    describe: "the desktop",
    async deliver(notice, signal) {
      const said = words(notice);
      const { exitCode, timedOut, output } = await run({
        words: said,
        timeoutMs: DESKTOP_MS,
        signal,
      });
      if (exitCode === 0) return;
      const how = timedOut ? "did not end" : `exited with code ${exitCode}`;
      throw new Error(`${said[0]} ${how}${lastWords(output)}`);
    },
  };
}

function wordsFor(
  find: NotifySurroundings["find"],
): ((notice: Notice) => readonly string[]) | undefined {
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

interface Webhook extends Pick<NotifySurroundings, "nowMs" | "sleep"> {
  readonly url: string;
  readonly secret: string;
}

const ANSWER_MS = 10_000;
/** Before the second and the third try. */
const WAITS_MS = [1_000, 5_000];

/**
 * A notice as JSON to one address, signed, so that the receiver knows who sent it and when. Bounded: three
 * tries, each of ten seconds, with a wait between them.
 */
export function webhookChannel(webhook: Webhook): Channel {
  return {
    name: "webhook",
    describe: `POST ${webhook.url}`,
    async deliver(notice, signal) {
      const body = JSON.stringify(notice);
      for (let attempt = 0; ; attempt++) {
        // Each try waits for the one before.
        // oxlint-disable-next-line no-await-in-loop
        const failure = await post(webhook, notice, body, signal);
        if (failure === undefined) return;
        const waitMs = WAITS_MS[attempt];
        if (!failure.mayPass || waitMs === undefined || signal.aborted) {
          const tries = attempt === 0 ? "1 try" : `${attempt + 1} tries`;
          throw new Error(`POST ${webhook.url}: ${failure.why} (${tries})`);
        }
        // oxlint-disable-next-line no-await-in-loop
        await webhook.sleep(waitMs, signal);
      }
    },
  };
}

interface Failure {
  readonly why: string;
  /** Another try could go better. */
  readonly mayPass: boolean;
}

async function post(
  { url, secret, nowMs }: Webhook,
  { id, kind, quiet }: Notice,
  body: string,
  ending: AbortSignal,
): Promise<Failure | undefined> {
  const seconds = Math.floor(nowMs() / 1000);
  try {
    const answer = await withinTime(ANSWER_MS, ending, async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "stint-event": kind,
          ...(quiet === true ? { "stint-quiet": "true" } : {}),
          "idempotency-key": id,
          "stint-signature": signature(secret, seconds, body),
        },
        body,
        // A redirect would take the notice to an address that nobody allowed.
        redirect: "manual",
        signal,
      });
      // The status says it all; what else a receiver sends is not waited for.
      void response.body?.cancel().catch(() => {});
      return response;
    });
    if (answer.ok) return undefined;
    return { why: `HTTP ${answer.status}`, mayPass: isPassing(answer.status) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { message?: string } };
    return { why: `no answer: ${cause?.message ?? message}`, mayPass: true };
  }
}

/** The time is signed with the body, so that an old notice cannot be sent again as a new one. */
function signature(secret: string, seconds: number, body: string): string {
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
