// What a person may answer, and what each answer comes to in a state: the event that carries it out,
// nothing because it was given before, or why not. Pure: the same for every door, at every time.
import { isJudged, type Times, timesFrom } from "./delegation.ts";
import { isFinished, whyNotEligible } from "./eligibility.ts";
import type { ApprovalRequest, ProjectEvent } from "./events.ts";
import type { AnswerId, ApprovalId, DispatchId, QuestionId, RunId, TaskId } from "./ids.ts";
import { type Instant, msOf } from "./instant.ts";
import { currentTask } from "./project-state.ts";
import type { Approval, ReturnCondition } from "./schema/items.ts";
import type { ProjectState } from "./schema/project.ts";
import type { Sha256 } from "./schema/scalar.ts";
import type { Task } from "./schema/task.ts";
import { findTask } from "./step/ruling.ts";

export type Answer =
  | { readonly verb: "approve"; readonly item: ApprovalId; readonly subject_sha256: Sha256 }
  | { readonly verb: "approve-plan"; readonly digest: Sha256 }
  /** The start of tasks, ahead: each as it would be asked about. */
  | { readonly verb: "approve-gates"; readonly gates: readonly ApprovalRequest[] }
  | {
      readonly verb: "deny";
      readonly item: ApprovalId;
      readonly subject_sha256: Sha256;
      readonly reason: string;
    }
  | { readonly verb: "answer"; readonly question: QuestionId; readonly text: string }
  | { readonly verb: "skip"; readonly task: TaskId; readonly reason: string }
  | { readonly verb: "retry"; readonly task: TaskId }
  | { readonly verb: "reopen"; readonly task: TaskId; readonly reason: string }
  | { readonly verb: "abandon"; readonly reason: string }
  /** A person gives a task to somebody outside. */
  | {
      readonly verb: "delegate";
      readonly task: TaskId;
      readonly owner: string;
      readonly returns: ReturnCondition;
      readonly times: Times;
      /** Whoever carries it out, the attempt began with the person's command. */
      readonly run_id: RunId;
    }
  /** What the session in hand leaves running may go on for so long. */
  | { readonly verb: "adopt"; readonly keep_ms: number }
  | { readonly verb: "cancel"; readonly dispatch: DispatchId; readonly reason: string }
  /** `now` ends the session in hand; otherwise it and its checks are finished first. */
  | { readonly verb: "pause"; readonly now: boolean; readonly reason: string }
  /** The manifest as it was opened, and as the person left it. */
  | { readonly verb: "edit"; readonly base: string; readonly text: string };

/** An answer with everything that is recorded of it. */
export interface Letter {
  readonly id: AnswerId;
  readonly answer: Answer;
  readonly by: string;
  readonly channel: string;
  readonly at: Instant;
}

export type Judgement =
  | { readonly kind: "event"; readonly event: ProjectEvent }
  /** What it comes to depends on the file. */
  | { readonly kind: "file" }
  /** It is for the run alone, and for these sessions of it. */
  | { readonly kind: "run"; readonly sessions: readonly number[] }
  /** The same answer was given before; nothing changes. */
  | { readonly kind: "given"; readonly text: string }
  | { readonly kind: "refused"; readonly reason: string; readonly hint: string };

type AnswerOf<Verb extends Answer["verb"]> = Extract<Answer, { verb: Verb }>;
type Refused = Extract<Judgement, { kind: "refused" }>;

export function judgeAnswer(state: ProjectState, letter: Letter): Judgement {
  const { answer } = letter;
  const id = state.project_id;
  if (state.status === "Abandoned" && answer.verb !== "abandon") {
    return refuse("the project was abandoned", `See what was done: stint status ${id}`);
  }
  switch (answer.verb) {
    case "approve":
      return judgeApproval(state, letter, answer);
    case "approve-plan":
      return judgePlan(state, letter, answer.digest);
    case "approve-gates":
      return event({
        kind: "gates-approved",
        ...factOf(letter),
        gates: answer.gates,
        channel: letter.channel,
      });
    case "deny":
      return judgeDenial(state, letter, answer);
    case "answer":
      return judgeQuestion(state, letter, answer);
    case "skip":
    case "retry":
    case "reopen": {
      const task = findTask(state, answer.task);
      if (task !== undefined) return judgeTask(state, task, letter, answer);
      return refuse(`there is no task ${answer.task}`, `See them: stint status ${id} --all`);
    }
    case "delegate":
      return judgeDelegation(state, letter, answer);
    case "adopt": {
      const sessions = sessionsAtWork(state);
      return sessions.length > 0
        ? { kind: "run", sessions }
        : refuse("no session is at work", `See what is: stint status ${id}`);
    }
    case "cancel":
      return judgeCancel(state, letter, answer);
    case "abandon":
      if (state.status === "Abandoned") return given("it is abandoned");
      if (state.status === "Done") {
        return refuse("every task is done; there is nothing to abandon", `See: stint status ${id}`);
      }
      return event({ kind: "abandoned", ...factOf(letter), reason: answer.reason });
    case "pause": {
      if (state.status === "Paused" && state.pause.kind === "requested") {
        return given(`it is paused since ${state.pause.paused_at}`);
      }
      if (state.status === "Draft" || state.status === "Done") {
        return refuse(`the project is ${state.status}; nothing runs`, `See: stint status ${id}`);
      }
      const pause = { kind: "requested", reason: answer.reason } as const;
      return event({ kind: "paused", ...factOf(letter), pause });
    }
    case "edit":
      return answer.text === answer.base ? given("nothing was edited") : { kind: "file" };
    default:
      return answer satisfies never;
  }
}

/** What the run must have let go of before an answer can be carried out. */
export interface Hold {
  /** No work may be under way on this task; "any": none at all. */
  readonly task: TaskId | "any" | null;
  /** No session may have the manifest in hand. */
  readonly manifest: boolean;
}

export function holdOf({ answer }: Letter, state: ProjectState): Hold {
  const item = "item" in answer ? findItem(state, answer.item) : undefined;
  switch (answer.verb) {
    case "skip":
    case "delegate":
      return { task: answer.task, manifest: false };
    case "deny":
      return { task: item?.task_id ?? null, manifest: false };
    case "abandon":
      return { task: "any", manifest: false };
    case "approve":
      return { task: null, manifest: item?.kind === "proposal" };
    case "approve-plan":
    case "approve-gates":
    case "answer":
    case "retry":
    case "reopen":
    case "pause":
    case "edit":
    case "cancel":
    case "adopt":
      return { task: null, manifest: false };
    default:
      return answer satisfies never;
  }
}

function judgeApproval(
  state: ProjectState,
  letter: Letter,
  answer: AnswerOf<"approve">,
): Judgement {
  const { item: approval_id, subject_sha256 } = answer;
  const item = findItem(state, approval_id);
  if (item?.status === "granted") return given(`${item.id} was granted`, item);
  const refused = whyNotAnswered(state, item, answer) ?? whyTooLate(state, item, letter.at);
  if (refused !== undefined) return refused;
  if (item?.kind === "plan") return judgePlan(state, letter, state.manifest.digest);
  const { channel } = letter;
  const granted = { approval_id, subject_sha256, channel };
  return event({ kind: "approval-granted", ...factOf(letter), ...granted });
}

function judgeDenial(state: ProjectState, letter: Letter, answer: AnswerOf<"deny">): Judgement {
  const { item: approval_id, subject_sha256, reason: denial } = answer;
  const item = findItem(state, approval_id);
  if (item?.status === "denied") {
    if (item.denial === denial) return given(`${item.id} was denied`, item);
    // Said so, because the words of the second no would be kept nowhere.
    return refuse(
      `${item.id} was denied by ${item.by} at ${item.answered_at}, for another reason: ${beginning(item.denial)}`,
      `A reason cannot be changed. Add what else there is to the manifest, under Notes: ${state.manifest.path}`,
    );
  }
  const refused = whyNotAnswered(state, item, answer);
  if (refused !== undefined) return refused;
  const denied = { approval_id, subject_sha256, denial, channel: letter.channel };
  return event({ kind: "approval-denied", ...factOf(letter), ...denied });
}

function judgeTask(
  state: ProjectState,
  task: Task,
  letter: Letter,
  answer: AnswerOf<"skip" | "retry" | "reopen">,
): Judgement {
  const { id: task_id, status } = task;
  const isLeftOut = status === "skipped" && state.status !== "Done";
  const fact = factOf(letter);
  switch (answer.verb) {
    case "skip":
      if (status === "skipped") {
        return given(`${task_id} was skipped by ${task.by} at ${task.skipped_at}: ${task.reason}`);
      }
      if (isFinished(task)) return refuse(`${task_id} is ${status}`, reopening(state, task));
      return event({ kind: "task-skipped", ...fact, task_id, reason: answer.reason });
    case "retry":
      if (isFinished(task) && !isLeftOut) {
        return refuse(`${task_id} is ${status}`, reopening(state, task));
      }
      if (status !== "blocked" && !isLeftOut) {
        return given(`${task_id} is not blocked: it is ${words(status)}`);
      }
      return event({ kind: "task-retried", ...fact, task_id });
    case "reopen":
      if (!isFinished(task)) return given(`${task_id} is open: it is ${words(status)}`);
      if (isLeftOut) return refuse(`${task_id} was skipped, not done`, reopening(state, task));
      if (state.status !== "Done" || status === "superseded") {
        const [why, how] =
          status === "superseded"
            ? ["was removed from the manifest, so it cannot be reopened by name", "write it into"]
            : ["can be reopened by name only when the project is Done", "uncheck its box in"];
        return refuse(
          `${task_id} ${why}`,
          `Do it in the manifest, next to the rest of the plan: ${how} ${state.manifest.path}`,
        );
      }
      return event({ kind: "reopened", ...fact, reason: answer.reason, task_ids: [task_id] });
    default:
      return answer satisfies never;
  }
}

function judgeDelegation(
  state: ProjectState,
  letter: Letter,
  { task: task_id, owner, returns, times, run_id }: AnswerOf<"delegate">,
): Judgement {
  const id = state.project_id;
  const task = findTask(state, task_id);
  if (task === undefined) {
    return refuse(`there is no task ${task_id}`, `See them: stint status ${id} --all`);
  }
  if (task.status === "awaiting_result") {
    const out = state.dispatches.find((item) => item.id === task.dispatch_id);
    return out?.owner === owner
      ? given(`${owner} has ${task_id} already, as ${out.id}`)
      : refuse(
          `${out?.owner} has ${task_id}, as ${task.dispatch_id}`,
          `Take it back first: stint dispatch cancel ${task.dispatch_id} ${id} --reason "why"`,
        );
  }
  const why = task.status === "in_progress" ? undefined : whyNotEligible(state, task);
  if (why !== undefined) {
    return refuse(`${task_id} ${why}`, `See how it stands: stint status ${id}`);
  }
  if (state.status === "Draft" || state.status === "Ready") {
    return refuse("work has not started yet, so nothing can be sent", `Start it: stint run ${id}`);
  }
  if (!isJudged(task)) {
    return refuse(
      `${task_id} has no check, so nothing could tell whether the result is right`,
      `Give it one, or approve: after, in ${state.manifest.path}`,
    );
  }
  const { at } = letter;
  return event({
    kind: "dispatch-sent",
    ...factOf(letter),
    run_id,
    dispatch: {
      task_id,
      owner,
      objective: task.title,
      worker: { kind: "outside" },
      returns,
      ...timesFrom(at, times),
    },
  });
}

/** The one in hand, and those beside each other. */
function sessionsAtWork(state: ProjectState): number[] {
  const current = currentTask(state);
  const inHand = current?.status === "in_progress" ? [current.attempt.session] : [];
  const beside = state.dispatches.flatMap(({ status, worker }) =>
    status === "sent" && worker.kind === "session" ? [worker.session] : [],
  );
  return [...inHand, ...beside];
}

function judgeCancel(
  state: ProjectState,
  letter: Letter,
  { dispatch: dispatch_id, reason }: AnswerOf<"cancel">,
): Judgement {
  const item = state.dispatches.find(({ id }) => id === dispatch_id);
  const see = `See what is out: stint dispatch list ${state.project_id}`;
  if (item === undefined) return refuse(`there is no dispatch ${dispatch_id}`, see);
  if (item.status === "cancelled") return given(`${item.by} cancelled ${item.id}: ${item.reason}`);
  if (item.status !== "sent") {
    return refuse(`${item.id} is no longer out: it is ${item.status.replace("_", " ")}`, see);
  }
  return event({ kind: "dispatch-cancelled", ...factOf(letter), dispatch_id, reason });
}

/** A yes to the manifest as it stands; later on it allows the commands that came since. */
function judgePlan(state: ProjectState, letter: Letter, digest: Sha256): Judgement {
  if (state.plan?.digest === digest) {
    return given(`the plan was approved by ${state.plan.approved_by} at ${state.plan.approved_at}`);
  }
  if (state.manifest.digest !== digest) {
    return refuse(
      "the plan you approved is not the plan that is there",
      `Look at what is there now: stint plan ${state.project_id}`,
    );
  }
  if (state.status === "Done") {
    return refuse(
      "every task is done; there is nothing left to approve",
      `See: stint status ${state.project_id}`,
    );
  }
  const approved = { ...factOf(letter), digest, channel: letter.channel };
  return state.status === "Draft"
    ? event({ kind: "plan-approved", ...approved, lint_errors: 0 })
    : event({ kind: "commands-consented", ...approved });
}

function judgeQuestion(
  state: ProjectState,
  letter: Letter,
  { question: question_id, text: answer }: AnswerOf<"answer">,
): Judgement {
  const item = state.questions.find(({ id }) => id === question_id);
  const open = `See what is open: stint status ${state.project_id}`;
  switch (item?.status) {
    case undefined:
      return refuse(`there is no question ${question_id}`, open);
    case "open":
      if (item.choices !== undefined && !item.choices.includes(answer.trim())) {
        return refuse(
          `${item.id} takes one of these answers: ${item.choices.join(", ")}`,
          `For example: stint answer ${item.id} ${item.choices[0]} ${state.project_id}`,
        );
      }
      return event({
        kind: "question-answered",
        ...factOf(letter),
        question_id,
        answer,
        channel: letter.channel,
      });
    case "answered":
      if (item.answer === answer) return given(`${item.id} was answered with the same words`, item);
      return refuse(
        `${item.id} was answered by ${item.by} at ${item.answered_at}: ${beginning(item.answer)}`,
        `An answer cannot be taken back. Say what changed in the manifest, under Notes: ${state.manifest.path}`,
      );
    case "withdrawn":
      return refuse(`${item.id} is no longer asked: what it was about is gone or changed`, open);
    default:
      return item satisfies never;
  }
}

function whyNotAnswered(
  state: ProjectState,
  item: Approval | undefined,
  answer: AnswerOf<"approve" | "deny">,
): Refused | undefined {
  const id = state.project_id;
  const open = `See what is open: stint status ${id}`;
  switch (item?.status) {
    case undefined:
      return refuse(`there is no approval ${answer.item}`, open);
    case "open":
      return item.subject_sha256 === answer.subject_sha256
        ? undefined
        : refuse(
            `what you answered is not what ${item.id} is about`,
            `See what it is about: stint diff ${item.id} ${id}`,
          );
    case "granted":
      return refuse(
        `${item.id} was granted by ${item.by} at ${item.answered_at}; a yes cannot be taken back`,
        item.task_id === undefined
          ? `Stop the work: stint stop ${id} --now`
          : takenBack(state, item.task_id),
      );
    case "denied":
      return refuse(
        `${item.id} was denied by ${item.by} at ${item.answered_at}: ${item.denial}`,
        item.task_id === undefined
          ? item.kind === "plan"
            ? `To be asked again: stint plan ${id}`
            : open
          : `To let a session work on it again and be asked again: stint retry ${item.task_id} ${id}`,
      );
    case "expired":
      return refuse(`${item.id} expired at ${item.expires_at ?? item.closed_at} unanswered`, open);
    case "withdrawn": {
      const newer = state.approval_items.find(
        (each) =>
          each.status === "open" && each.kind === item.kind && each.task_id === item.task_id,
      );
      return newer === undefined
        ? refuse(`${item.id} is no longer asked: what it was about is gone or changed`, open)
        : refuse(
            `${item.id} is no longer asked: what it was about changed, and ${newer.id} asks about what is there now`,
            `See it: stint diff ${newer.id} ${id}; then: stint approve ${newer.id} ${id}`,
          );
    }
    default:
      return item satisfies never;
  }
}

/** A no counts at any time. */
function whyTooLate(
  { project_id }: ProjectState,
  item: Approval | undefined,
  at: Instant,
): Refused | undefined {
  const until = item?.expires_at;
  if (item === undefined || until === undefined || msOf(at) <= msOf(until)) return undefined;
  return refuse(
    `${item.id} expired at ${until}, before you answered`,
    `To check what is there now and be asked again: stint resume ${project_id}`,
  );
}

function findItem(state: ProjectState, id: ApprovalId): Approval | undefined {
  return state.approval_items.find((item) => item.id === id);
}

function reopening(state: ProjectState, task: Task): string {
  if (state.status !== "Done" && task.status === "skipped") {
    return `To do it after all: stint retry ${task.id} ${state.project_id}`;
  }
  return state.status === "Done"
    ? `To do it again: stint reopen ${task.id} ${state.project_id} --reason "why"`
    : `To do it again, uncheck its box in ${state.manifest.path}.`;
}

/** What can still be done about a yes: what it allowed is stopped, or done again. */
function takenBack(state: ProjectState, id: TaskId): string {
  const task = findTask(state, id);
  if (task !== undefined && isFinished(task)) return reopening(state, task);
  return `Stop the work: stint stop ${state.project_id} --now; or leave the task out: stint skip ${id} ${state.project_id} --reason "why"`;
}

/** An answer may be a whole document. */
function beginning(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function words(status: Task["status"]): string {
  return status.replace("_", " ");
}

function given(
  what: string,
  said?: { readonly by: string; readonly answered_at: string },
): Judgement {
  return {
    kind: "given",
    text: said === undefined ? what : `${what} by ${said.by} at ${said.answered_at}`,
  };
}

function factOf({ at, by, id: answer_id }: Letter) {
  return { at, by, answer_id };
}

function event(carriedOut: ProjectEvent): Judgement {
  return { kind: "event", event: carriedOut };
}

function refuse(reason: string, hint: string): Refused {
  return { kind: "refused", reason, hint };
}
