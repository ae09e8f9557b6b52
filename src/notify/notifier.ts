// Sends notices while a run goes on, and remembers which were sent. The order:
//
//   1. the revision is durable
//   2. the notice is kept as to be sent
//   3. it is sent, in the background; the run never waits for it and never fails by it
//   4. it is kept as sent
//
// A crash between 1 and 2 is found in the journal by the next run, one between 3 and 4 sends it once
// more under the same id. In quiet hours notices wait as long as there is a run to send them afterwards;
// when it ends before, they are sent then, marked as quiet. What a run that had to end at once left is
// sent by the next one, unless it has become old news.
import { msOf } from "../core/instant.ts";
import { type NoticedEntry, noticeOf } from "../core/words/notice.ts";
import { parseQuietHours, type QuietHours, quietMinutesLeft } from "../core/written/times.ts";
import type { Notice, NoticeKind, NoticeMemory } from "../core/schema/notice.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Channel, NotifySettings } from "./channels.ts";

export interface NotifierPorts {
  /** What was kept by `keep`, by this run or an earlier one. */
  readonly kept: () => NoticeMemory | undefined;
  readonly keep: (memory: NoticeMemory) => void;
  /** A line of the journal, and to whoever watches. */
  readonly note: (kind: "notice-failed" | "notice-held" | "notice-dropped", text: string) => void;
  /** The last event of the journal before this run. */
  readonly lastEvent: () => NoticedEntry | undefined;
  readonly nowMs: () => number;
  /** Minutes after midnight, where the person is. */
  readonly minuteOfDay: () => number;
  readonly redact: (text: string) => string;
}

type Waiting = NoticeMemory["waiting"][number];

/** Who was not told within a day has seen it otherwise. */
export const OLD_NEWS_MS = 24 * 60 * 60_000;

/** Every step of the work is told only to whoever asks for it. */
const UNLESS_SAID: readonly NoticeKind[] = ["person-needed", "blocked", "done", "paused"];

const MINUTE_MS = 60_000;

/** How often the clock is asked for the end of quiet hours: it may be put forward, or the machine sleep. */
const LOOK_AGAIN_MS = 10 * MINUTE_MS;

/** Longer texts are cut: a notice says that something is to be read, not all of it. */
const LONGEST_TEXT = 500;

/** How often it is asked whether time presses. */
const WATCH_MS = 100;

export class Notifier {
  readonly #ports: NotifierPorts;
  readonly #channels: readonly Channel[];
  readonly #kinds: readonly NoticeKind[];
  readonly #quiet: QuietHours | undefined;
  readonly #ending = new AbortController();
  #memory: NoticeMemory;
  /** Written at the next moment when the run itself writes. */
  #failures: string[] = [];
  #sending: Promise<void> = Promise.resolve();
  #afterQuiet: NodeJS.Timeout | undefined;

  constructor(
    ports: NotifierPorts,
    channels: readonly Channel[],
    { on, quiet }: Pick<NotifySettings, "on" | "quiet">,
    state: ProjectState,
  ) {
    this.#ports = ports;
    this.#channels = channels;
    this.#kinds = on ?? UNLESS_SAID;
    this.#quiet = quiet === undefined ? undefined : parseQuietHours(quiet);
    const kept = ports.kept();
    this.#memory = kept ?? { seen: state.revision, waiting: [] };
    this.#recover(state);
    if (kept === undefined) this.#keep(this.#memory);
    this.#send();
  }

  /** To be called with every revision, once it is durable. */
  persisted(state: ProjectState): void {
    this.#writeFailures();
    const { last_event: entry } = state;
    if (entry === null || entry.revision <= this.#memory.seen) return;
    const notice = this.#noticeFor(entry, state);
    if (notice === undefined) return;
    const waiting = [...this.#memory.waiting, this.#toAll(notice)];
    this.#keep({ seen: state.revision, waiting });
    this.#send();
  }

  /** Nothing is sent and nothing written after it. What was begun may end, unless time presses. */
  async settle(isPressed: () => boolean): Promise<void> {
    clearTimeout(this.#afterQuiet);
    const end = (): void => this.#ending.abort(new Error("the run is over"));
    const look = (): void => (isPressed() ? end() : undefined);
    look();
    const watch = setInterval(look, WATCH_MS);
    await this.#sending;
    // Nobody is here any more when quiet hours end.
    await this.#sendWaiting();
    clearInterval(watch);
    end();
    this.#writeFailures();
    for (const { notice } of this.#memory.waiting) {
      this.#ports.note("notice-held", `not sent yet: ${notice.title}: ${notice.text}`);
    }
  }

  /** What an earlier run left: to be sent, and its last revision, if it could not tell it any more. */
  #recover(state: ProjectState): void {
    const { seen, waiting } = this.#memory;
    const last = this.#ports.lastEvent();
    const isUntold = last !== undefined && last.revision > seen;
    const missed = isUntold ? this.#noticeFor(last, state) : undefined;
    const all = missed === undefined ? waiting : [...waiting, this.#toAll(missed)];
    const isNews = ({ notice }: Waiting): boolean =>
      this.#ports.nowMs() - msOf(notice.at) < OLD_NEWS_MS;
    for (const { notice } of all.filter((item) => !isNews(item))) {
      this.#ports.note(
        "notice-dropped",
        `dropped, because it is too old: ${notice.title}: ${notice.text}`,
      );
    }
    const known = new Set(this.#channels.map(({ name }): string => name));
    const kept = all
      .filter(isNews)
      .map(({ notice, to }) => ({ notice, to: to.filter((name) => known.has(name)) }))
      .filter(({ to }) => to.length > 0);
    const next = { seen: state.revision, waiting: kept };
    if (missed === undefined && kept.length === waiting.length) this.#memory = next;
    else this.#keep(next);
  }

  #noticeFor(entry: NoticedEntry, state: ProjectState): Notice | undefined {
    const found = noticeOf(entry, state);
    if (found === undefined || !this.#kinds.includes(found.kind)) return undefined;
    // Secrets go before the cut, so that no half of one survives it.
    const shown = (text: string): string => cut(this.#ports.redact(text));
    return {
      ...found,
      title: shown(found.title),
      text: shown(found.text),
      next: shown(found.next),
    };
  }

  #toAll(notice: Notice): Waiting {
    return { notice, to: this.#channels.map(({ name }) => name) };
  }

  #keep(memory: NoticeMemory): void {
    this.#memory = memory;
    this.#ports.keep(memory);
  }

  #quietMs(): number {
    if (this.#quiet === undefined) return 0;
    return quietMinutesLeft(this.#quiet, this.#ports.minuteOfDay()) * MINUTE_MS;
  }

  /** One after another, in the order in which things happened. */
  #send(): void {
    if (this.#memory.waiting.length === 0) return;
    const quietMs = this.#quietMs();
    if (quietMs > 0) {
      clearTimeout(this.#afterQuiet);
      this.#afterQuiet = setTimeout(() => this.#send(), Math.min(quietMs, LOOK_AGAIN_MS));
      this.#afterQuiet.unref();
      return;
    }
    this.#sending = this.#sending.then(() => this.#sendWaiting());
  }

  async #sendWaiting(): Promise<void> {
    for (const { notice, to } of this.#memory.waiting) {
      for (const channel of this.#channels) {
        if (!to.includes(channel.name)) continue;
        if (this.#ending.signal.aborted) return;
        // oxlint-disable-next-line no-await-in-loop
        if (await this.#deliver(channel, notice)) this.#delivered(notice, channel.name);
      }
    }
  }

  /** @returns whether nothing more is to be done about it */
  async #deliver(channel: Channel, notice: Notice): Promise<boolean> {
    try {
      const isQuiet = this.#quietMs() > 0;
      await channel.deliver(isQuiet ? { ...notice, quiet: true } : notice, this.#ending.signal);
      return true;
    } catch (error) {
      // Interrupted, it was not refused: the next run sends it.
      if (this.#ending.signal.aborted) return false;
      const why = error instanceof Error ? error.message : String(error);
      this.#failures.push(
        this.#ports.redact(`${channel.name} could not send "${notice.title}": ${why}`),
      );
      return true;
    }
  }

  #delivered(notice: Notice, name: string): void {
    const waiting = this.#memory.waiting
      .map((item) =>
        item.notice.id === notice.id
          ? { ...item, to: item.to.filter((each) => each !== name) }
          : item,
      )
      .filter(({ to }) => to.length > 0);
    this.#memory = { ...this.#memory, waiting };
    try {
      this.#keep(this.#memory);
    } catch {
      // The disk or the lease is lost; whatever the run writes next says so.
    }
  }

  #writeFailures(): void {
    const failures = this.#failures;
    this.#failures = [];
    for (const text of failures) this.#ports.note("notice-failed", text);
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
}
