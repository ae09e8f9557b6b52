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
import type { Delivery } from "./schema/project.ts";
import type { ReportedUsage } from "./step/budgets.ts";
import type { Budgets } from "./written/bounds.ts";
import type { Instant } from "./instant.ts";
import type { AgentLimit, Approval, Blocker, Dispatch, Pause, Question } from "./schema/items.ts";
import type { Sha256 } from "./schema/scalar.ts";
import type { Evidence, Failure, Label, TaskIntent } from "./schema/task.ts";

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
  /** The person's answer that this event carries out: it is never carried out twice. */
  readonly answer_id?: AnswerId;
  /** What the session that this ends spent: in the same revision, so that nothing is counted twice. */
  readonly spent?: SessionSpending;
  /** What the session that this ends changed, in words. */
  readonly measured?: string;
}

export interface SessionSpending extends ReportedUsage {
  readonly task_id: TaskId;
  readonly wall_ms: number;
}

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
export type Excuse = "question" | "approval" | "stopped" | "usage-limit" | "provider";

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
}

export interface ChecksFailed {
  readonly passed: false;
  readonly failure: FailureFound;
  readonly excuse?: Excuse;
  /** Another check failed before the session and passes now: progress, whatever changed. */
  readonly progressed?: true;
}

/** A task as the manifest now has it, in document order. */
export interface AdoptedTask {
  readonly intent: TaskIntent;
  /** What a person did to its box; absent when the box agrees with the state. */
  readonly marked?: "done" | "reopened";
}

interface PlanApproved extends Fact<"plan-approved"> {
  readonly digest: Sha256;
  readonly lint_errors: number;
  readonly channel: string;
}

interface WorkStarted extends Fact<"work-started"> {
  readonly fence: number;
}

interface AttemptStarted extends Fact<"attempt-started"> {
  readonly task_id: TaskId;
  /** One more than the last session, or the last one again for the next task of its batch. */
  readonly session: number;
  readonly run_id: RunId;
}

/** The session's processes are gone and its outputs recorded. */
interface SessionEnded extends Fact<"session-ended"> {
  readonly task_id: TaskId;
  readonly session: number;
  readonly outcome: string;
  readonly progress: "made" | "none" | "planning-only";
  readonly note?: string;
  /** The agent whose provider answered: what it refused in a row has ended. */
  readonly answered_by?: string;
}

interface ChecksRecorded extends Fact<"checks-recorded"> {
  readonly task_id: TaskId;
  readonly attempt: number;
  readonly result: ChecksPassed | ChecksFailed;
}

/** The checks passed before any session: the output of an earlier attempt is already there. */
interface OutputVerified extends Fact<"output-verified"> {
  readonly task_id: TaskId;
  readonly evidence: NonEmpty<Evidence>;
  readonly labels?: readonly Label[];
}

/** A session that left nothing to validate, found ended. */
interface AttemptInterrupted extends Fact<"attempt-interrupted"> {
  readonly task_id: TaskId;
  readonly attempt: number;
  readonly reason: string;
  readonly excuse?: Excuse;
  /** In the same revision, so that no crash can forget it. */
  readonly refused?: Refused;
  readonly answered_by?: string;
}

/** A person wants agents tried again that are limited: all, or those that waiting does not help. */
interface LimitsLifted extends Fact<"limits-lifted"> {
  readonly which: "all" | "endless";
}

interface CommitRecorded extends Fact<"commit-recorded"> {
  readonly task_id: TaskId;
  readonly commit: string;
}

/** The verified work is somewhere else than before, or held there by something else. */
interface DeliveryRecorded extends Fact<"delivery-recorded"> {
  readonly delivery: Delivery;
}

/** What is to be committed, or was, no longer is what was verified: hooks or the person's branch changed it. */
interface TaskReopened extends Fact<"task-reopened"> {
  readonly task_id: TaskId;
  /** The commit that was recorded for it, where one was. */
  readonly commit?: string;
  readonly blocker: BlockerFound;
}

interface ApprovalRequested extends Fact<"approval-requested"> {
  readonly approval: ApprovalRequest;
}

/** The digest binds the answer to exactly what was shown. */
interface ApprovalGranted extends Fact<"approval-granted"> {
  readonly approval_id: ApprovalId;
  readonly subject_sha256: Sha256;
  readonly channel: string;
}

interface ApprovalDenied extends Fact<"approval-denied"> {
  readonly approval_id: ApprovalId;
  readonly subject_sha256: Sha256;
  readonly channel: string;
  readonly denial: string;
}

interface ApprovalExpired extends Fact<"approval-expired"> {
  readonly approval_id: ApprovalId;
}

/** What was shown is no longer what is there: it is checked again, and asked about anew. */
interface ApprovalOutdated extends Fact<"approval-outdated"> {
  readonly approval_id: ApprovalId;
  readonly reason: string;
}

/** A person allows every command of the manifest with this digest. */
interface CommandsConsented extends Fact<"commands-consented"> {
  readonly digest: Sha256;
  readonly channel: string;
}

interface GateReached extends Fact<"gate-reached"> {}

interface ReplanRequested extends Fact<"replan-requested"> {
  readonly reason: string;
}

interface QuestionAsked extends Fact<"question-asked"> {
  readonly question: QuestionRequest;
  /** The agent whose session asked, where this one may end it. */
  readonly answered_by?: string;
}

interface QuestionAnswered extends Fact<"question-answered"> {
  readonly question_id: QuestionId;
  readonly answer: string;
  readonly channel: string;
}

/** What was asked no longer needs an answer. */
interface QuestionWithdrawn extends Fact<"question-withdrawn"> {
  readonly question_id: QuestionId;
  readonly reason: string;
}

interface TaskBlocked extends Fact<"task-blocked"> {
  readonly task_id: TaskId;
  readonly blocker: BlockerFound;
}

/** The project cannot go on: for the blocker given, or for those it already has. */
interface Blocked extends Fact<"blocked"> {
  readonly blocker?: BlockerFound;
}

/** What blocked the whole project is cleared; a blocked task is retried or skipped instead. */
interface Unblocked extends Fact<"unblocked"> {
  readonly reason: string;
}

interface TaskSkipped extends Fact<"task-skipped"> {
  readonly task_id: TaskId;
  readonly reason: string;
}

interface TaskRetried extends Fact<"task-retried"> {
  readonly task_id: TaskId;
}

interface DispatchSent extends Fact<"dispatch-sent"> {
  readonly run_id: RunId;
  readonly dispatch: DispatchRequest;
}

interface WaitBegan extends Fact<"wait-began"> {}

interface ResultConsumed extends Fact<"result-consumed"> {
  readonly dispatch_id: DispatchId;
  readonly result: string;
}

interface DispatchTimedOut extends Fact<"dispatch-timed-out"> {
  readonly dispatch_id: DispatchId;
}

interface DispatchLost extends Fact<"dispatch-lost"> {
  readonly dispatch_id: DispatchId;
  readonly reason: string;
}

interface Paused extends Fact<"paused"> {
  readonly pause: PauseWanted;
}

interface Resumed extends Fact<"resumed"> {
  readonly fence: number;
}

interface Completed extends Fact<"completed"> {
  readonly resolution_log_updated: boolean;
  /** The last task's passing checks, when the project completes straight out of Validating. */
  readonly checks?: { readonly task_id: TaskId; readonly attempt: number } & ChecksPassed;
}

interface Abandoned extends Fact<"abandoned"> {
  readonly reason: string;
}

interface Reopened extends Fact<"reopened"> {
  readonly reason: string;
  readonly task_ids: readonly TaskId[];
}

interface ManifestAdopted extends Fact<"manifest-adopted"> {
  readonly manifest_digest: Sha256;
  readonly goal: string;
  readonly success_criteria: readonly string[];
  /** `limits: strict`; absent: as before. */
  readonly strict?: boolean;
  readonly tasks: readonly AdoptedTask[];
  /** What changed, in words, for whoever reads the journal. */
  readonly changes?: readonly string[];
}

/** The person's file is another one than before, and nothing in it is news. */
interface ManifestRead extends Fact<"manifest-read"> {
  readonly manifest_seen: Sha256;
}

/** Outside of the sessions of tasks. */
interface SpendingRecorded extends Fact<"spending-recorded">, ReportedUsage {
  readonly wall_ms: number;
}

interface BudgetsChanged extends Fact<"budgets-changed"> {
  readonly budgets: Budgets;
}

interface WatchdogInstalled extends Fact<"watchdog-installed"> {}

export type ProjectEvent =
  | PlanApproved
  | WorkStarted
  | AttemptStarted
  | SessionEnded
  | ChecksRecorded
  | OutputVerified
  | AttemptInterrupted
  | LimitsLifted
  | CommitRecorded
  | DeliveryRecorded
  | TaskReopened
  | ApprovalRequested
  | ApprovalGranted
  | ApprovalDenied
  | ApprovalExpired
  | ApprovalOutdated
  | CommandsConsented
  | GateReached
  | ReplanRequested
  | QuestionAsked
  | QuestionAnswered
  | QuestionWithdrawn
  | TaskBlocked
  | Blocked
  | Unblocked
  | TaskSkipped
  | TaskRetried
  | DispatchSent
  | WaitBegan
  | ResultConsumed
  | DispatchTimedOut
  | DispatchLost
  | Paused
  | Resumed
  | Completed
  | Abandoned
  | Reopened
  | ManifestAdopted
  | ManifestRead
  | SpendingRecorded
  | BudgetsChanged
  | WatchdogInstalled;

export type EventKind = ProjectEvent["kind"];
export type EventOf<Kind extends EventKind> = Extract<ProjectEvent, { kind: Kind }>;
