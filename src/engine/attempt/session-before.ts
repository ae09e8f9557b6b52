// The session before on a task, for the next one: how it ended, what it changed, its last words, and whether it stopped
// early. All of it from what is kept, so that it is the same after a kill; no word of the model decides anything.
import type { Outcome } from "../../agents/agent.ts";
import type { TaskId } from "../../core/ids.ts";
import type { LastSession, SessionEnd } from "../../core/schema/session-records.ts";
import { counted } from "../../core/words/amounts.ts";
import { CUT_SHORT, sessionEndWords } from "../../core/words/session-end-words.ts";
import { memoryOf, readEnd } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { fencedIn, inOneLine } from "../../core/words/quoted-text.ts";
import { heard, wordsOf } from "../base/session-words.ts";
import { lastInLogs } from "../base/last-in-logs.ts";
import { endTold, logOfEnd } from "./tell-session.ts";

export interface SessionBefore extends Pick<LastSession, "session" | "changed" | "files" | "made"> {
  /** Null where nobody saw its end; the words complete "session 3 …". */
  readonly ended: { readonly kind: Outcome["kind"]; readonly words: string } | null;
  readonly lastWords: string | null;
  /** Of one that did not come to its end by itself, from the repository root; null where nothing is in it. */
  readonly log: string | null;
  /** It wrote into the manifest; whether that stays is for Stint. */
  readonly hasEditedManifest: boolean;
  /** Sessions before it left work as well. */
  readonly hasEarlierWork: boolean;
  readonly early: StoppedEarly;
}

/** How a session that came to a positive end by itself stopped before its task was done. */
export interface StoppedEarly {
  /** With nothing, or nothing but documents or what git ignores, made, and no check turned green. */
  readonly isIdle: boolean;
  /** With so many processes of it still at work. */
  readonly leftRunning: number;
}

const NOT_EARLY: StoppedEarly = { isIdle: false, leftRunning: 0 };

/** Null where there is none, or nothing to tell of it. */
export function sessionBefore(context: RunContext, task: TaskId): SessionBefore | null {
  const { last, work } = memoryOf(context, task);
  if (last === undefined) return null;
  const { session, changed, files, made } = last;
  const end = readEnd(context, session);
  // Its last words have a place of their own.
  const words = end === undefined ? "" : sessionEndWords({ ...end, last_text: null });
  const seen = end === undefined ? null : { kind: end.outcome.kind, words };
  const lastWords = end === undefined ? lastInLogs(context, session).last_text : end.last_text;
  const early = end === undefined ? NOT_EARLY : stoppedEarly(end, last, hasAsked(context, session));
  const hasEarlierWork = files === 0 && work !== undefined && work.tree !== work.base;
  const log = logOf(context, session, end);
  const hasEditedManifest = end !== undefined && end.manifest !== "as-given";
  const left = { session, changed, files, made, hasEditedManifest, hasEarlierWork };
  return { ...left, ended: seen, lastWords, log, early };
}

function logOf(context: RunContext, session: number, end: SessionEnd | undefined): string | null {
  const { log } = (end === undefined ? logOfEnd(context, session, null) : endTold(end)) ?? {};
  return log === undefined ? null : `${context.holder.entry.folder}/${log}`;
}

/** Whether it asked somebody for something, which is a reason to end. */
function hasAsked(context: RunContext, session: number): boolean {
  const isProposed = wordsOf(context, session).some(({ verb }) => verb === "propose");
  return isProposed || heard(context, session)?.others["delegate"] !== undefined;
}

/** By facts alone. Where its checks were green before, or it asked for something, it had a reason to end. */
export function stoppedEarly(
  { outcome, stopped, left_behind }: Pick<SessionEnd, "outcome" | "stopped" | "left_behind">,
  { made, checks }: Pick<LastSession, "made" | "checks">,
  didAsk: boolean,
): StoppedEarly {
  if (outcome.kind !== "finished" || stopped !== null) return NOT_EARLY;
  const isTold = checks === undefined || checks === "not-turned";
  return { isIdle: made !== "work" && isTold && !didAsk, leftRunning: left_behind };
}

/** What asks the next one to go about it another way. */
const ADVICE: Partial<Record<Outcome["kind"], readonly string[]>> = {
  denied: ["Use smaller, plainer commands, one act each."],
  "context-exhausted": [
    "Work in smaller pieces: read parts of files instead of whole ones, keep output short, and leave the tree working after each piece.",
  ],
};

const GO_ON =
  "is in the work tree: look at it first (git status, git diff) and continue from there.";

/** Of at most so many bytes each. */
export interface BeforeShare {
  readonly ended: number;
  readonly changed: number;
  readonly lastWords: number;
}

export function beforeText(before: SessionBefore, share: BeforeShare): readonly string[] {
  const { session, ended, changed, files, lastWords } = before;
  const how =
    ended === null
      ? `${CUT_SHORT}, so nobody saw how it ended`
      : inOneLine(ended.words, share.ended);
  const words = [
    `Session ${session} ${how}${/[.?!]$/.test(how) ? "" : "."}`,
    ...(before.log === null ? [] : [`Its log: ${inOneLine(before.log, share.ended)}.`]),
    ...madeWords(before),
    ...(ended === null ? [] : (ADVICE[ended.kind] ?? [])),
  ];
  const parts = [words.join(" ")];
  if (files > 0) {
    const more = files > changed.length ? `\nand ${files - changed.length} more` : "";
    parts.push(
      `It changed ${counted(files, "file")}. What it left ${GO_ON}`,
      fencedIn(`${changed.join("\n")}${more}`, share.changed),
    );
  }
  if (before.hasEarlierWork) parts.push(`What sessions before it left ${GO_ON}`);
  const said = fencedIn(lastWords ?? "", share.lastWords);
  if (said !== "") parts.push("Its last words:", said);
  return parts;
}

function madeWords(before: SessionBefore): readonly string[] {
  const { isIdle, leftRunning } = before.early;
  const made = littleMade(before);
  const all: string[] = [];
  if (isIdle) {
    all.push(`It ended by itself and ${made}: nobody answers here, so do the work without asking.`);
  } else if (before.files === 0 && made !== null) {
    all.push(`It ${made}.`);
  }
  if (leftRunning > 0) {
    const what = leftRunning === 1 ? "1 process" : `${leftRunning} processes`;
    const were = leftRunning === 1 ? "was" : "were";
    all.push(`It left ${what} running, which ${were} ended: wait for what you start.`);
  }
  return all;
}

/** Null where it is more than its files tell. */
function littleMade({ made, hasEditedManifest }: SessionBefore): string | null {
  switch (made) {
    case "nothing":
      return hasEditedManifest ? "changed nothing but the manifest" : "changed nothing";
    case "ignored":
      return "changed only files that git ignores";
    case "documents":
      return "wrote documents only";
    case "work":
      return null;
    default:
      return made satisfies never;
  }
}
