// Numbers for people: a time, what was spent, how far the work is.
import type { Label } from "../core/schema/task.ts";
import { counted, money, tokenCount } from "../core/words/amounts.ts";
import { LABEL_WORDS } from "../core/words/labels.ts";

/** 42 s, 3 min 5 s, 2 h 10 min: the two largest units. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** 0:42, 3:05, 2:10:00: a clock that keeps its shape while it runs. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** As the clock on the wall shows it: 14:30 where that is today, else Fri 2 Jan, 14:30. */
export function localTime(at: string, now?: string, timeZone?: string): string {
  const part = (instant: string, format: Intl.DateTimeFormatOptions): string =>
    new Date(instant).toLocaleString(
      "en-GB",
      timeZone === undefined ? format : { ...format, timeZone },
    );
  // Put together by hand: the commas in between differ from one version of Node to the next.
  const dayOf = (instant: string): string =>
    [{ weekday: "short" } as const, { day: "numeric" } as const, { month: "short" } as const]
      .map((format) => part(instant, format))
      .join(" ");
  const time = part(at, { hour: "2-digit", minute: "2-digit" });
  return now !== undefined && dayOf(at) === dayOf(now) ? time : `${dayOf(at)}, ${time}`;
}

/** A text of the state, which has its instants in UTC. */
export function withLocalTimes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => localTime(at));
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

interface Spending {
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** Sessions that did not tell. */
  readonly unknown_tokens?: number | undefined;
  readonly unknown_cost?: number | undefined;
}

/** What agents told of their spending; what is allowed of it is null where nothing is limited. What they did not tell is said to be unknown, never nothing. */
export function spending(
  spent: Spending,
  allowed: Pick<Spending, "tokens" | "cost_usd"> = { tokens: null, cost_usd: null },
): string[] {
  const { unknown_tokens = 0, unknown_cost = 0 } = spent;
  const isUnknown = (told: number | null, sessions: number): boolean =>
    told === null && sessions > 0;
  const isUnlimited = allowed.tokens === null && allowed.cost_usd === null;
  if (
    isUnlimited &&
    isUnknown(spent.tokens, unknown_tokens) &&
    isUnknown(spent.cost_usd, unknown_cost)
  ) {
    return ["tokens and price unknown"];
  }
  const isSameUnknown = spent.tokens !== null && spent.cost_usd !== null && unknown_tokens > 0;
  if (isSameUnknown && unknown_tokens === unknown_cost) {
    const told = { tokens: spent.tokens, cost_usd: spent.cost_usd };
    return [
      ...spending(told, allowed),
      `and ${counted(unknown_tokens, "session")} of unknown cost`,
    ];
  }
  return [
    ...amount(spent.tokens, allowed.tokens, unknown_tokens, {
      words: "tokens",
      unknown: "use",
      show: tokenCount,
      unit: " tokens",
    }),
    ...amount(spent.cost_usd, allowed.cost_usd, unknown_cost, {
      words: "price",
      unknown: "price",
      show: money,
      unit: "",
    }),
  ];
}

function amount(
  told: number | null,
  allowed: number | null,
  unknown: number,
  as: {
    readonly words: string;
    readonly unknown: string;
    readonly unit: string;
    show(value: number): string;
  },
): string[] {
  const most = allowed === null ? "" : ` of ${as.show(allowed)}`;
  if (told === null && unknown > 0) {
    const unguarded = allowed === null ? "" : `, so the ${as.show(allowed)} cannot be enforced`;
    return [`${as.words} unknown${unguarded}`];
  }
  if (told === null && allowed === null) return [];
  const more = unknown === 0 ? "" : ` + ${counted(unknown, "session")} of unknown ${as.unknown}`;
  return [`${as.show(told ?? 0)}${most}${as.unit}${more}`];
}

export function progressBar(done: number, total: number, width = 20): string {
  const filled = total === 0 ? 0 : Math.floor((done / total) * width);
  return "█".repeat(filled) + "░".repeat(width - filled);
}

/** Before a title, so that a narrow terminal cuts the title and not the labels. */
export function labelsText(labels: readonly Label[]): string {
  const words = labels.map((label) => LABEL_WORDS[label].word);
  return words.length === 0 ? "" : `[${words.join(", ")}] `;
}
