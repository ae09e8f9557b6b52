// Answers that come while a run is live. The run holds the lease, so it alone carries them out: as soon
// as a letter lies there, also while a session or a check is at work. A letter is removed only once the
// journal has its line, so a kill at any point leaves it to be carried out, or to be found carried out.
import { type Answer, holdOf, judgeAnswer, type Letter } from "../../core/answers.ts";
import type { TaskId } from "../../core/ids.ts";
import { type Instant, msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { isUpdateDue, newStatusUpdate } from "../../core/words/state-words.ts";
import { durationText } from "../../core/written/times.ts";
import { STATUS_UPDATE } from "../../core/words/notice.ts";
import { STOP_REQUESTED, type StopAsked, stopText } from "../../core/words/stop-asked.ts";
import type { Mail, Mailbox } from "../../store/mailbox.ts";
import { announce, fact, nowOf } from "../base/fact.ts";
import { reportRound } from "../base/persist.ts";
import type { AnswerBox, InHand, RunContext, StopWanted } from "../base/run-context.ts";
import type { ManifestPorts } from "./manifest-texts.ts";
import { type CarriedOut, carryOutAnswer, receiptOf, REPEATED } from "./carry-out-answer.ts";

export interface TakingContext extends ManifestPorts, Pick<RunContext, "host" | "tell"> {
  /** Sessions work in the person's own folder. */
  readonly isInPlace?: boolean;
}

export function openAnswers(context: TakingContext, mailbox: Mailbox): AnswerBox {
  return new LiveAnswers(context, mailbox);
}

class LiveAnswers implements AnswerBox {
  readonly #context: TakingContext;
  readonly #mailbox: Mailbox;
  readonly #startedAt: Instant;
  readonly close: () => void;
  #hand: InHand = "free";
  #letGo: string | null = null;
  /** Tasks whose sessions work beside others, and why they are let go. */
  readonly #letGoOf = new Map<TaskId, string>();
  #stopNow: StopWanted | null = null;
  #pauseWanted: StopWanted | null = null;
  #stopAsked: StopAsked | null = null;
  readonly #kept = new Map<number, number>();
  #isTaking = false;
  #settled = 0;

  constructor(context: TakingContext, mailbox: Mailbox) {
    this.#context = context;
    this.#mailbox = mailbox;
    this.#startedAt = nowOf(context);
    this.close = mailbox.watch(context.holder.state.project_id, () =>
      unlessBroken(() => this.take()),
    );
  }

  settled = () => this.#settled;
  letGo = () => this.#letGo;
  keepMs = (session: number) => this.#kept.get(session) ?? 0;
  letGoOf = (task: TaskId) => this.#letGoOf.get(task) ?? null;
  stopNow = () => this.#stopNow;
  pauseWanted = () => this.#pauseWanted;

  hold(hand: InHand): void {
    this.#hand = hand;
  }

  take(): number {
    // Carrying one out may itself wake whoever watches.
    if (this.#isTaking) return 0;
    this.#isTaking = true;
    this.#letGo = null;
    this.#letGoOf.clear();
    let settled = 0;
    try {
      for (const mail of this.#mailbox.waiting(this.#context.holder.state.project_id)) {
        if (this.#takeOne(mail)) settled += 1;
      }
    } finally {
      this.#isTaking = false;
      this.#settled += settled;
    }
    return settled;
  }

  #takeOne(mail: Mail): boolean {
    const context = this.#context;
    const { project_id } = context.holder.state;
    if (mail.kind === "foreign") {
      setAside(context, this.#mailbox, mail);
      return true;
    }
    const { letter, name } = mail;
    if (receiptOf(context.store.journal(project_id), letter.id) === undefined) {
      if (this.#isHeld(letter)) return false;
      const { answer } = letter;
      const isPause = answer.verb === "pause";
      if (isPause && letter.at < this.#startedAt) passOver(context, letter);
      else if (answer.verb === "adopt" && this.#adopt(letter, answer)) return this.#done(name);
      else if (!isPause || !this.#heed(letter, answer)) {
        tellOf(context, letter, carryOutAnswer(context, letter));
      }
    }
    return this.#done(name);
  }

  #done(name: string): true {
    this.#mailbox.remove(this.#context.holder.state.project_id, name);
    return true;
  }

  /** For what the session in hand leaves running. */
  #adopt(letter: Letter, { keep_ms }: Extract<Answer, { verb: "adopt" }>): boolean {
    const { holder, tell } = this.#context;
    const judged = judgeAnswer(holder.state, letter);
    if (judged.kind !== "run") return false;
    const { at, by, channel, id: answer_id } = letter;
    const summary = `${by} wants what session ${judged.sessions.join(", ")} leaves running to continue for ${durationText(keep_ms)}`;
    holder.note({ at, by, kind: "adopt-requested", summary, data: { answer_id, channel } });
    tell({ kind: "notice", text: summary });
    for (const session of judged.sessions) this.#kept.set(session, keep_ms);
    return true;
  }

  /** Whether it waits until what is in hand is finished, or is let go for its sake. */
  #isHeld(letter: Letter): boolean {
    const hand = this.#hand;
    const { state } = this.#context.holder;
    const hold = holdOf(letter, state);
    // In place the session has the person's own file in hand, and nobody could tell whose a change is.
    const isAboutFile = hold.manifest || letter.answer.verb === "edit";
    const isInPlace = this.#context.isInPlace === true;
    if (isAboutFile && isInPlace && typeof hand === "object") return true;
    const concerns = (task: TaskId | null): boolean =>
      task !== null && (hold.task === "any" || hold.task === task);
    const why = `${letter.by} answered (${letter.answer.verb})`;
    const besides = sessionsOut(state).filter(concerns);
    for (const task of besides) this.#letGoOf.set(task, why);
    const current = state.tasks.find((task) => task.id === state.current_task_id);
    if (hand === "free") {
      return besides.length > 0 || (current?.status === "in_progress" && concerns(current.id));
    }
    if (hand === "finishing") return hold.task !== null;
    if (!concerns(hand.task) && !concerns(state.current_task_id)) return besides.length > 0;
    this.#letGo = why;
    return true;
  }

  /** A stop or a pause is for the run, not for the state: it pauses when it has let go. */
  #heed(letter: Letter, { now, reason }: Extract<Answer, { verb: "pause" }>): boolean {
    const { holder, tell } = this.#context;
    if (judgeAnswer(holder.state, letter).kind !== "event") return false;
    const { at, by, channel, id: answer_id } = letter;
    const known = this.#stopAsked;
    // Only what is more than before is new: now, instead of later.
    if (known !== null && (known.now || !now)) {
      const summary = `a stop was asked for already: ${stopText(known)}`;
      holder.note({ at, by, kind: REPEATED, summary, data: { answer_id, channel } });
      return true;
    }
    const summary = stopText({ by, now, reason });
    const data = { answer_id, channel, now, reason };
    holder.note({ at, by, kind: STOP_REQUESTED, summary, data });
    tell({ kind: "notice", text: summary });
    this.#stopAsked = { by, at, now, reason };
    if (now) this.#stopNow = { kind: "requested", reason };
    else this.#pauseWanted = { kind: "requested", reason };
    return true;
  }
}

/** Tasks whose sessions work beside others, each until what it made is taken back. */
function sessionsOut({ dispatches }: Pick<ProjectState, "dispatches">): TaskId[] {
  return dispatches.flatMap(({ status, worker, task_id }) =>
    status === "sent" && worker.kind === "session" ? [task_id] : [],
  );
}

/** A pause left for an earlier run does not stop the one that a person started since. */
function passOver({ holder }: TakingContext, { at, by, id: answer_id }: Letter): void {
  const summary = "a run was started since; it continues";
  holder.note({ at, by, kind: REPEATED, summary, data: { answer_id } });
}

/** The holder refuses every write from here on, the renewal of its lease too: that ends the run. */
function unlessBroken(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
  }
}

/** Under a lease that no run holds: everything that lies there, the person's own answer among it. */
export function takeAllAnswers(context: TakingContext, mailbox: Mailbox): void {
  const id = context.holder.state.project_id;
  for (const mail of mailbox.waiting(id)) {
    if (mail.kind === "foreign") setAside(context, mailbox, mail);
    else {
      carryOutAnswer(context, mail.letter);
      mailbox.remove(id, mail.name);
    }
  }
}

function setAside(
  context: TakingContext,
  mailbox: Mailbox,
  { name, why }: Extract<Mail, { kind: "foreign" }>,
): void {
  const aside = mailbox.setAside(context.holder.state.project_id, name);
  const text = `an answer that no person gave was ignored: ${why}; kept at ${aside}`;
  announce(context, "answer-foreign", text);
}

function tellOf(context: TakingContext, { by }: Letter, { receipt, persisted }: CarriedOut): void {
  if (persisted !== null) reportRound(context, persisted);
  else
    context.tell({ kind: "notice", text: `the answer of ${by} changed nothing: ${receipt.text}` });
}

type Telling = Pick<RunContext, "holder" | "host" | "tell" | "answers" | "notices">;

/**
 * Every few seconds beside the work in hand: answers that nobody told of are taken up, and where nothing was
 * said for five minutes it is said what the run is at (S3-26).
 */
export function giveSignOfLife(context: Telling): void {
  unlessBroken(() => {
    context.answers.take();
    updateIfDue(context);
  });
}

function updateIfDue(context: Telling): void {
  const { holder, tell } = context;
  const { at, by } = fact(context);
  if (!isUpdateDue(msOf(holder.state.updated_at), msOf(at))) return;
  const what = inHand(holder.state);
  const update = newStatusUpdate(holder.state, "next-action-in-progress", what, at);
  if (update === undefined) return;
  holder.note({ at, by, kind: STATUS_UPDATE, summary: what, data: { ...update } });
  tell({ kind: "notice", text: what });
  context.notices?.persisted(holder.state);
}

/** Checks before a session, acts, commits and pushes have no state of their own. */
function inHand({ tasks, current_task_id, next_action, ...state }: ProjectState): string {
  const task = tasks.find(({ id }) => id === current_task_id);
  if (task?.status === "in_progress") return `session ${task.attempt.session} is at work`;
  if (task?.status === "validating") return `checking ${task.id} "${task.title}"`;
  const beside = sessionsOut(state);
  if (beside.length > 0) return `sessions are at work on ${beside.join(", ")}`;
  return `still at work; next: ${next_action}`;
}
