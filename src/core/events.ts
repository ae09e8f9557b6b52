// Every fact that can change a project. Kinds are past tense; time and author come in with the fact.
// Opening an item (approval, question, dispatch) is one event, waiting for it (gate-reached,
// wait-began) another, because independent tasks go on in between.
import type {
  NonEmpty,
  AnswerId,
  ApprovalId,
  DispatchId,
  QuestionId,
  RunId,
  TaskId,
} from "./ids.ts";
import type { Delivery, Proof } from "./schema/project.ts";
import type { Spending } from "./step/budgets.ts";
import type { Budgets } from "./written/bounds.ts";
import type { Instant } from "./instant.ts";
import type { AgentLimit, Approval, Blocker, Dispatch, Pause, Question } from "./schema/items.ts";
import type { Sha256 } from "./schema/scalar.ts";
import type { MessageFile } from "./returned-work.ts";
import type { Evidence, Failure, Label, TaskIntent, WorkCounts } from "./schema/task.ts";

interface Fact<Kind extends string> {
  readonly kind: Kind;
  readonly at: Instant;
  /** A person's name, or the project's `owner_agent` for what the run found or did itself. */
  readonly by: string;
  /** Digest of the manifest that Stint knows by then, where it is another one. */
  readonly manifest_digest?: Sha256;
  /** Digest of the person's file as it is taken into account by then, where it is another one. */
  readonly manifest_seen?: Sha256;
  /** Where the verified work is by then, where that is another place. */
  readonly delivery?: Delivery;
  /** What a fresh clone said of the work, where it was asked. */
  readonly proof?: Proof;
  /** The person's answer that this event carries out: it is never carried out twice. */
  readonly answer_id?: AnswerId;
  /** What the session that this ends spent: in the same revision, so that nothing is counted twice. */
  readonly spent?: SessionSpending;
  /** What the session that this ends changed, in words. */
  readonly measured?: string;
  /** The same, counted. */
  readonly actual?: WorkCounts;
}

export type SessionSpending = Spending & { readonly task_id: TaskId };

type OpenApproval = Extract<Approval, { status: "open" }>;
type OpenQuestion = Extract<Question, { status: "open" }>;
type SentDispatch = Extract<Dispatch, { status: "sent" }>;

export type ApprovalRequest = Omit<OpenApproval, "id" | "status" | "asked_at">;
export type QuestionRequest = Omit<OpenQuestion, "id" | "status" | "asked_at">;
export type DispatchRequest = Omit<SentDispatch, "id" | "status" | "sent_at">;
export type BlockerFound = Omit<Blocker, "task_id" | "at">;
export type PauseWanted = Omit<Pause, "paused_at">;
export type FailureFound = Omit<Failure, "attempt" | "at">;

/**
 * Why a session ended that is not the task's fault. Its attempt number stays used, but it does not
 * bring the task nearer to exhaustion.
 */
export type Excuse =
  | "question"
  | "approval"
  | "stopped"
  | "usage-limit"
  | "provider"
  /** Another session, beside it, changed the same. */
  | "conflict"
  /** A person gave its task other checks meanwhile. */
  | "new-checks";

/** How a session ended that did not simply finish: told wherever its task is. */
export interface EndTold {
  readonly session: number;
  /** Completes "session 3 …". */
  readonly words: string;
  /** Below the project folder; absent where it left none. */
  readonly log?: string;
}

/** A provider's no, as the session met it. */
export interface Refused extends Pick<AgentLimit, "agent" | "cause" | "reason" | "unblock"> {
  /** When the provider says that it serves again. */
  readonly reset_at?: Instant;
  /** From 0 to 1: how far within its bounds a wait is stretched, so that many do not wake at once. */
  readonly jitter: number;
}

export interface ChecksPassed {
  readonly passed: true;
  readonly evidence: NonEmpty<Evidence>;
  readonly labels?: readonly Label[];
  /** Why it has each of them, in words. */
  readonly label_reasons?: Readonly<Record<string, string>>;
}

export interface ChecksFailed {
  readonly passed: false;
  readonly failure: FailureFound;
  readonly excuse?: Excuse;
  /** Another check failed before the session and passes now: progress, whatever changed. */
  readonly progressed?: true;
  /** Why the task is more than one session can do. */
  readonly tooLarge?: string;
}

/** A task as the manifest now has it, in document order. */
export interface AdoptedTask {
  readonly intent: TaskIntent;
  /** What a person did to its box, or to the checks of what is done; absent when box and checks agree with the state. */
  readonly marked?: "done" | "reopened" | "checks-changed";
}

/** What each kind of event says beside what every fact has. */
interface Told {
  "plan-approved": { digest: Sha256; lint_errors: number; channel: string };
  "work-started": { fence: number };
  "attempt-started": {
    task_id: TaskId;
    /** One more than the last session, or the last one again for the next task of its batch. */
    session: number;
    run_id: RunId;
    /** Of a new session: how much its tasks name, written down before anything happens. */
    planned?: WorkCounts;
  };
  /** The session's processes are gone and its outputs recorded. */
  "session-ended": {
    task_id: TaskId;
    session: number;
    /** Completes "session 3 …". */
    outcome: string;
    /** Absent where it finished. */
    ended?: EndTold;
    /** How often it waited for its provider and asked again. */
    retries?: number;
    progress: "made" | "none" | "planning-only";
    note?: string;
    /** The agent whose provider answered: what it refused in a row has ended. */
    answered_by?: string;
  };
  "checks-recorded": { task_id: TaskId; attempt: number; result: ChecksPassed | ChecksFailed };
  /** The checks passed before any session: the output of an earlier attempt is already there. */
  "output-verified": { task_id: TaskId } & Omit<ChecksPassed, "passed">;
  /** A session that left nothing to validate, found ended. */
  "attempt-interrupted": {
    task_id: TaskId;
    attempt: number;
    reason: string;
    /** Absent where what it asked tells it, and where no session began. */
    ended?: EndTold;
    retries?: number;
    excuse?: Excuse;
    /** In the same revision, so that no crash can forget it. */
    refused?: Refused;
    answered_by?: string;
  };
  /** A person wants agents tried again that are limited: all, or those that waiting does not help. */
  "limits-lifted": { which: "all" | "endless" };
  /** A task becomes smaller ones, which are done before it; its line in the manifest stays. */
  "task-split": {
    task_id: TaskId;
    /** Why, in words: which bound, or that its child workflow is due. */
    reason: string;
    chunks: NonEmpty<TaskIntent>;
  };
  "commit-recorded": {
    task_id: TaskId;
    commit: string;
    /** Nothing was left to commit: it stands on that commit, which may be its own from before a kill, or another's. */
    without_change?: true;
  };
  /** The verified work is somewhere else than before, or held there by something else. */
  "delivery-recorded": { delivery: Delivery };
  /** A fresh clone was asked about the work, or why not. */
  "proof-recorded": { proof: Proof };
  /** What is to be committed, or was, no longer is what was verified: hooks or the person's branch changed it. */
  "task-reopened": {
    task_id: TaskId;
    /** The commit that was recorded for it, where one was. */
    commit?: string;
    blocker: BlockerFound;
  };
  "approval-requested": { approval: ApprovalRequest };
  /** The digest binds the answer to exactly what was shown. */
  "approval-granted": { approval_id: ApprovalId; subject_sha256: Sha256; channel: string };
  /** A person says yes ahead to the start of tasks, each bound to what is shown of it. */
  "gates-approved": { gates: readonly ApprovalRequest[]; channel: string };
  "approval-denied": {
    approval_id: ApprovalId;
    subject_sha256: Sha256;
    channel: string;
    denial: string;
  };
  "approval-expired": { approval_id: ApprovalId };
  /** What was shown is no longer what is there: it is checked again, and asked about anew. */
  "approval-outdated": { approval_id: ApprovalId; reason: string };
  /** A person allows every command of the manifest with this digest. */
  "commands-consented": { digest: Sha256; channel: string };
  "gate-reached": object;
  "question-asked": {
    question: QuestionRequest;
    /** The agent whose session asked, where this one may end it. */
    answered_by?: string;
  };
  "question-answered": { question_id: QuestionId; answer: string; channel: string };
  /** What was asked no longer needs an answer. */
  "question-withdrawn": { question_id: QuestionId; reason: string };
  "task-blocked": { task_id: TaskId; blocker: BlockerFound };
  /** The project cannot go on: for the blocker given, or for those it already has. */
  blocked: {
    blocker?: BlockerFound;
    /** Commits that were made and are recorded once they are pushed. */
    made?: readonly { readonly task_id: TaskId; readonly commit: string }[];
  };
  /** What blocked the whole project is cleared; a blocked task is retried or skipped instead. */
  unblocked: { reason: string };
  "task-skipped": { task_id: TaskId; reason: string };
  "task-retried": { task_id: TaskId };
  "dispatch-sent": {
    run_id: RunId;
    dispatch: DispatchRequest;
    /** Of a session: how much its task names, written down before anything happens. */
    planned?: WorkCounts;
  };
  "wait-began": object;
  "result-consumed": {
    dispatch_id: DispatchId;
    result: string;
    /** The file of the inbox that said so: found there again, it is known to be taken. */
    message?: MessageFile;
  };
  "dispatch-timed-out": { dispatch_id: DispatchId };
  "dispatch-lost": { dispatch_id: DispatchId; reason: string; message?: MessageFile };
  /** It was looked at and has not come back: when the next look is due. */
  "checkpoint-moved": { dispatch_id: DispatchId; checkpoint_at: Instant };
  /** A person no longer waits for it. */
  "dispatch-cancelled": { dispatch_id: DispatchId; reason: string };
  paused: { pause: PauseWanted };
  resumed: { fence: number };
  completed: {
    resolution_log_updated: boolean;
    /** The last task's passing checks, when the project completes straight out of Validating. */
    checks?: { readonly task_id: TaskId; readonly attempt: number } & ChecksPassed;
  };
  abandoned: { reason: string };
  reopened: { reason: string; task_ids: readonly TaskId[] };
  "manifest-adopted": {
    manifest_digest: Sha256;
    goal: string;
    success_criteria: readonly string[];
    /** `limits: strict`; absent: as before. */
    strict?: boolean;
    /** `statePage:`; null: none. Absent: as before. */
    page?: string | null;
    tasks: readonly AdoptedTask[];
    /** What changed, in words, for whoever reads the journal. */
    changes?: readonly string[];
  };
  /** The person's file is another one than before, and nothing in it is news. */
  "manifest-read": { manifest_seen: Sha256 };
  /** Outside of the sessions of tasks. */
  "spending-recorded": Spending;
  "budgets-changed": { budgets: Budgets };
  /** It recovers the project by itself from now on, or does no longer: as the settings say. */
  "watchdog-installed": object;
  "watchdog-removed": object;
}

export type EventKind = keyof Told;
export type EventOf<Kind extends EventKind> = {
  [K in Kind]: Fact<K> & Readonly<Told[K]>;
}[Kind];
export type ProjectEvent = EventOf<EventKind>;
