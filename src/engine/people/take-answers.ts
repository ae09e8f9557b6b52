// Answers that come while a run is live. The run holds the lease, so it alone carries them out: as soon
// as a letter lies there, also while a session or a check is at work. A letter is removed only once the
// journal has its line, so a kill at any point leaves it to be carried out, or to be found carried out.
import { holdOf, judgeAnswer, type Letter } from "../../core/answers.ts";
import type { ProjectId, TaskId } from "../../core/ids.ts";
import { instantFromMs, msOf } from "../../core/instant.ts";
import type { JournalEntry, ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { isUpdateDue, newStatusUpdate } from "../../core/words/state-words.ts";
import type { Mail, Mailbox } from "../../store/mailbox.ts";
import { announce, fact } from "../base/fact.ts";
import { reportRound } from "../base/persist.ts";
import type { AnswerBox, InHand, RunContext, StopWanted } from "../base/run-context.ts";
import { type CarriedOut, carryOutAnswer, receiptOf, REPEATED } from "./carry-out-answer.ts";

export interface TakingContext extends Pick<
  RunContext,
  "holder" | "store" | "checkout" | "host" | "tell"
> {
  /** Sessions work in the person's own folder. */
  readonly isInPlace?: boolean;
}

export function openAnswers(context: TakingContext, mailbox: Mailbox): AnswerBox {
  const id = context.holder.state.project_id;
  const startedAt = instantFromMs(context.host.nowMs());
  let hand: InHand = "free";
  let letGo: string | null = null;
  let stopNow: StopWanted | null = null;
  let pauseWanted: StopWanted | null = null;
  let isTaking = false;
  let total = 0;

  /** A stop or a pause is for the run, not for the state: it pauses when it has let go. */
  const heed = (letter: Letter): boolean => {
    const { answer } = letter;
    if (answer.verb !== "pause") return false;
    if (judgeAnswer(context.holder.state, letter).kind !== "event") return false;
    const wanted = { kind: "requested", reason: answer.reason } as const;
    const when = answer.now ? "now" : "when what is in hand is finished";
    const summary = `${letter.by} wants it to stop ${when}: ${answer.reason}`;
    const { at, by, channel, id: answer_id } = letter;
    context.holder.note({ at, by, kind: "stop-requested", summary, data: { answer_id, channel } });
    context.tell({ kind: "notice", text: summary });
    if (answer.now) stopNow = wanted;
    else pauseWanted = wanted;
    return true;
  };

  /** Left for an earlier run: it does not stop the one that a person started since. */
  const pass = ({ at, by, id: answer_id }: Letter): void => {
    const summary = "a run was started since; it goes on";
    context.holder.note({ at, by, kind: REPEATED, summary, data: { answer_id } });
  };

  const isHeld = (letter: Letter): boolean => {
    const { state } = context.holder;
    const hold = holdOf(letter, state);
    // In place the session has the person's own file in hand, and nobody could tell whose a change is.
    const isAboutFile = hold.manifest || letter.answer.verb === "edit";
    if (isAboutFile && context.isInPlace === true && typeof hand === "object") return true;
    const concerns = (task: TaskId | null): boolean =>
      task !== null && (hold.task === "any" || hold.task === task);
    const current = state.tasks.find((task) => task.id === state.current_task_id);
    if (hand === "free") return current?.status === "in_progress" && concerns(current.id);
    if (hand === "finishing") return hold.task !== null;
    if (!concerns(hand.task) && !concerns(state.current_task_id)) return false;
    letGo = `${letter.by} answered (${letter.answer.verb})`;
    return true;
  };

  const takeOne = (mail: Mail, lines: () => readonly JournalEntry[]): boolean => {
    if (mail.kind === "foreign") {
      setAside(context, mailbox, id, mail);
      return true;
    }
    const { letter, name } = mail;
    if (receiptOf(lines(), letter.id) === undefined) {
      if (isHeld(letter)) return false;
      if (letter.answer.verb === "pause" && letter.at < startedAt) pass(letter);
      else if (!heed(letter)) tellOf(context, letter, carryOutAnswer(context, letter));
    }
    mailbox.remove(id, name);
    return true;
  };

  const take = (): number => {
    // Carrying one out may itself wake whoever watches.
    if (isTaking) return 0;
    isTaking = true;
    letGo = null;
    let settled = 0;
    try {
      for (const mail of mailbox.waiting(id)) {
        if (takeOne(mail, () => context.store.journal(id))) settled += 1;
      }
    } finally {
      isTaking = false;
      total += settled;
    }
    return settled;
  };

  const unwatch = mailbox.watch(id, () => {
    try {
      take();
    } catch (error) {
      // The holder refuses every write from here on, and the run ends with the same words.
      if (!(error instanceof StintError)) throw error;
    }
  });

  return {
    take,
    settled: () => total,
    hold: (next) => {
      hand = next;
    },
    letGo: () => letGo,
    stopNow: () => stopNow,
    pauseWanted: () => pauseWanted,
    close: unwatch,
  };
}

/** Under a lease that no run holds: everything that lies there, the person's own answer among it. */
export function takeAllAnswers(context: TakingContext, mailbox: Mailbox): void {
  const id = context.holder.state.project_id;
  for (const mail of mailbox.waiting(id)) {
    if (mail.kind === "foreign") setAside(context, mailbox, id, mail);
    else {
      carryOutAnswer(context, mail.letter);
      mailbox.remove(id, mail.name);
    }
  }
}

function setAside(
  context: TakingContext,
  mailbox: Mailbox,
  id: ProjectId,
  { name, why }: Extract<Mail, { kind: "foreign" }>,
): void {
  const aside = mailbox.setAside(id, name);
  const text = `an answer that nobody can have given was ignored: ${why}; kept at ${aside}`;
  announce(context, "answer-foreign", text);
}

function tellOf(context: TakingContext, { by }: Letter, { receipt, persisted }: CarriedOut): void {
  if (persisted !== null) reportRound(context, persisted);
  else
    context.tell({ kind: "notice", text: `the answer of ${by} changed nothing: ${receipt.text}` });
}

type Telling = Pick<RunContext, "holder" | "host" | "tell" | "answers">;

/**
 * Every few seconds beside the work in hand: answers that nobody told of are taken up, and where nothing was
 * said for five minutes it is said what the run is at (S3-26).
 */
export function giveSignOfLife(context: Telling): void {
  try {
    context.answers.take();
    updateIfDue(context);
  } catch (error) {
    // The holder refuses every write from here on, the renewal of its lease too: that ends the run.
    if (!(error instanceof StintError)) throw error;
  }
}

function updateIfDue(context: Telling): void {
  const { holder, tell } = context;
  const { at, by } = fact(context);
  if (!isUpdateDue(msOf(holder.state.updated_at), msOf(at))) return;
  const what = inHand(holder.state);
  const update = newStatusUpdate(holder.state, "next-action-in-progress", what, at);
  if (update === undefined) return;
  holder.note({ at, by, kind: "status-update", summary: what, data: { ...update } });
  tell({ kind: "notice", text: what });
}

/** Checks before a session, acts, commits and pushes have no state of their own. */
function inHand({ tasks, current_task_id, next_action }: ProjectState): string {
  const task = tasks.find(({ id }) => id === current_task_id);
  if (task?.status === "in_progress") return `session ${task.attempt.session} is at work`;
  if (task?.status === "validating") return `checking ${task.id} "${task.title}"`;
  return `still at work; next: ${next_action}`;
}
