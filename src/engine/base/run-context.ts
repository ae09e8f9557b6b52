// Everything one run works with, as interfaces only: each is made by a room of the engine, and every room
// may use it.
import type { Agent, AgentEvent, SessionRequest } from "../../agents/agent.ts";
import type { CheckPorts } from "../../checks/check-run.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { DispatchId, RunId, TaskId } from "../../core/ids.ts";
import type { Marker } from "../../core/marker.ts";
import type { News } from "../../core/news.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Permission } from "../../core/schema/run-records.ts";
import type { SessionEnd } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import type { Allowance } from "../../core/step/budgets.ts";
import type {
  DeliverMode,
  DeliveryChoice,
  PushPolicy,
} from "../../core/written/delivery-choice.ts";
import type { Serve } from "../../core/written/workspace-settings.ts";
import type { PushResult } from "../../git/push.ts";
import type { Isolation } from "../../process/namespace/isolation.ts";
import type { View } from "../../process/namespace/view.ts";
import type { Walls } from "../../process/namespace/walls.ts";
import type { ProcessRecord } from "../../process/process-table.ts";
import type { Host } from "../../store/host.ts";
import type { Network } from "../../core/written/protect.ts";
import type { ProofSettings } from "../../core/written/proof-settings.ts";
import type { Holder, Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Secrets } from "./secrets.ts";
import type { TreeFiles } from "./tree-files.ts";

export interface RunSettings {
  /** Tasks in one session: 1 is `one-task`. */
  readonly batch: number;
  /** False: a task that is too large is tried again as it is. Absent: it is split. */
  readonly extract?: boolean;
  readonly deliver: DeliverMode;
  readonly push: PushPolicy;
  /** What the settings want of the workspace; what the manifest wants comes before it. */
  readonly wishes?: WorkspaceWishes;
  /** Whether the project folder is committed with each task. */
  readonly trackState: boolean;
  /** Where what is resolved is written down. */
  readonly logs?: LogPaths;
  /** Whether a person is asked before a release step starts. */
  readonly release: "ask" | "auto";
  /** Whether work that only judges of its own agree with fails; a task's own word wins. */
  readonly strict: boolean;
  readonly proof: ProofSettings;
  /** How long an approval is waited for; absent: for ever. */
  readonly approvalsExpireMs?: number;
  /** What a session may do. */
  readonly permission: Permission;
  /** By the agent's name; `*` is the model of them all. */
  readonly models: Readonly<Record<string, string>>;
  /** Sessions side by side; absent: one after another. */
  readonly parallel?: number;
  /** The most of them that one agent has, by its name; absent: as many as `parallel` allows. */
  readonly parallelOf?: Readonly<Record<string, number>>;
  /** The last session this run starts, and why it stops then; absent: the budgets alone decide. */
  readonly stopAfter?: { readonly session: number; readonly reason: string };
}

/** Below the root of the repository. */
export interface LogPaths {
  /** Items that a reviewer asks for. */
  readonly review: string;
  /** Tasks of a workflow; `<task-id>` stands for its name. */
  readonly subtask: string;
}

/** The agents of a run, by name: as a person wrote them, without secrets. */
export interface Agents {
  /** All that a manifest may name. */
  readonly names: readonly string[];
  /** Who may work on a task, the preferred one first; never empty. */
  readonly namesFor: (task: Task) => readonly string[];
  /** Undefined for an agent of an earlier run. */
  readonly named: (name: string) => Agent | undefined;
  /** @throws bad-input, with how to get it, where its program is missing */
  readonly require: (name: string) => void;
  /** The agent of a review. @throws bad-input where there is none, or its program is missing */
  readonly reviewer: (name: string) => Agent;
}

export interface RunContext {
  readonly holder: Holder;
  readonly store: Store;
  readonly host: Host;
  readonly runId: RunId;
  /** The person who started the run. */
  readonly person: string;
  /** The person's own files. Nothing that a session does reaches them but by delivery. */
  readonly checkout: Pick<
    TreeFiles,
    "readManifest" | "manifestBytes" | "writeManifest" | "textNow" | "writeText"
  >;
  /** Where sessions, checks and acts work. */
  readonly space: Workspace;
  /** The files there. */
  readonly copy: TreeFiles;
  /** What no commit may hold without a person's yes, and no text. */
  readonly secrets: Secrets;
  /** The lane that all this is of; absent: the workspace itself. */
  readonly lane?: number;
  /** Where sessions work beside each other. */
  readonly lanes: Lanes;
  /**
   * A fresh clone of a commit, opened: what checks there work with. Whoever asked for it removes it.
   * @param hidden outside of the repository, and not seen there
   */
  readonly clone: (commit: string, hidden: readonly string[]) => Promise<RunContext>;
  /**
   * What was made outside of the repository since the project began, which a clone elsewhere would not have: what can
   * be hidden, and the folders in which there is more.
   */
  readonly outsideFiles: () => {
    readonly hidden: readonly string[];
    readonly tooMany: readonly string[];
  };
  /** Lays what the agents are started with and no commit holds. */
  readonly layAgentFiles: () => void;
  /** Whether verified work goes into the branch that it belongs to by itself. */
  readonly rule: DeliveryRule;
  readonly push: WorkPush;
  readonly personsGit: PersonsGit;
  readonly agents: Agents;
  readonly startSession: SessionStarter;
  /** Sessions are handed out instead of started; absent: an agent is started for each. */
  readonly byHand?: ByHand | undefined;
  /** The program that runs; absent: sessions have no verbs. */
  readonly program?: string | undefined;
  /** What sessions cannot write, in words; absent: nothing is kept from them. */
  readonly cannotWrite?: string;
  /** Starts a command of the workspace itself: its setup, its server. */
  readonly startInside: StartInside;
  readonly checks: CheckPorts;
  readonly settings: RunSettings;
  /** How long a session may take whose task does not say; absent: for ever. */
  readonly sessionMs?: number | undefined;
  /** Absent: ten minutes. */
  readonly checkTimeoutMs?: number | undefined;
  /** Of each command; absent: half an hour. */
  readonly setupTimeoutMs?: number | undefined;
  readonly tell: (news: News) => void;
  /** What people answer while the run is at work. */
  readonly answers: AnswerBox;
  /** Tells a person who does not look; absent where nobody wants to be told. */
  readonly notices?: { persisted(state: ProjectState): void } | undefined;
  /** Writes the pages of child workflows; absent where nobody looks for them. */
  readonly children?: { persisted(state: ProjectState): void } | undefined;
  /** Writes the stages of an iteration into the journal, each when it is reached. */
  readonly stages?: StageNotes | undefined;
  /** Answers as soon as somebody wants the run to end. */
  readonly stopWanted: () => StopWanted | null;
}

/** Whoever asked for a session works on it; the rounds end before one that is not wanted, and with one that is in hand. */
export interface ByHand {
  /** Why no attempt at this task begins now; null where one may. @throws where it is not even to be tried */
  whyNot(task: TaskId): Promise<string | null>;
}

export interface StageNotes {
  /** As the run begins, with what one that was killed did not come to write. */
  begun(): void;
  persisted(kind: ProjectEvent["kind"]): void;
  /** Nothing is left to do, and the project will be Done. */
  completing(): void;
  /** The run ends, whatever its end is. */
  ended(): void;
}

/** A session beside others, from its start until it is taken back. */
export interface LaneSession {
  readonly lane: number;
  readonly session: number;
  readonly task_id: TaskId;
  readonly agent: string;
  readonly dispatch_id: DispatchId;
}

export interface Lanes {
  /** Everything a session in this lane works with; its workspace is opened when it is first asked for. */
  context(lane: number): Promise<RunContext>;
  /** Those that this run started and has not taken back. */
  all(): readonly (LaneSession & { readonly hasEnded: boolean })[];
  /** Goes on beside everything else. What it may spend is a share of what is left and not given to others. */
  start(session: LaneSession, sharers: number, work: () => Promise<void>): void;
  /** Why the one in this lane is no longer wanted; null where it is, or where none is at work there. */
  unwanted(lane: number): string | null;
  /** What the session in a lane may spend of what is left; without a lane, the one in hand beside them. */
  shareOf(lane: number | undefined, left: Allowance): Allowance;
  /** It has ended and is taken back. @throws what broke it, where that was not a person's wish */
  taken(session: number): void;
  /** Comes back when one of those that are at work has ended. */
  oneEnded(): Promise<void>;
  /** Ends all of them, and comes back when nothing of them is left. */
  end(reason: string): Promise<void>;
}

/** What every process of the run is started with. */
export interface Surroundings {
  readonly runId: RunId;
  readonly isolation: Isolation;
  /** What it sees, and where the work tree is in that. */
  readonly view: View;
  readonly at: string;
  /** Where only children of Stint work; undefined where a person does, too. */
  readonly ownFolder?: string | undefined;
  /** Puts the walls of the run around it for one child; gives it back where none are wanted or can be had. */
  readonly walls: Walls;
  /** Of commands of checks and setup, and of sessions that are any program. */
  readonly network: Network;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables that it sees; without it all but Stint's own secrets and credentials that it does not need. */
  readonly allow: readonly string[] | undefined;
  /** What no text may hold that is kept of it. */
  readonly secrets: Secrets;
  /** From SIGTERM to SIGKILL. */
  readonly killMs: number;
}

export interface AnswerBox {
  /** Takes up what lies there. @returns how many letters were settled */
  take(): number;
  /** How many letters were settled so far. */
  readonly settled: () => number;
  /** Says what is in hand until it is said otherwise. */
  readonly hold: (hand: InHand) => void;
  /** Whether an answer waits for what is in hand to be let go, and why. */
  readonly letGo: () => string | null;
  /** How long a person wants what this session leaves running to go on; 0 where nobody said so. */
  readonly keepMs: (session: number) => number;
  /** The same of a task whose session works beside others. */
  readonly letGoOf: (task: TaskId) => string | null;
  /** A person wants the run to end at once. */
  readonly stopNow: () => StopWanted | null;
  /** A person wants the run to end once what is in hand is finished. */
  readonly pauseWanted: () => StopWanted | null;
  readonly close: () => void;
}

/** What the run is at: nothing between two rounds, a task, or something that is to be finished first. */
export type InHand = { readonly task: TaskId } | "finishing" | "free";

/** `target` is the branch that the work belongs to, without refs/heads/. */
export type DeliveryRule = (target: string | null) => Promise<DeliveryChoice>;

/** The local branch that holds verified work. */
export interface PushedBranch {
  /** Null: the one that is checked out, where work is in place. */
  readonly name: string | null;
  /** `stint/<slug>`, and where it would have been delivered: its remote is the one to push to. */
  readonly isOwn: boolean;
  readonly target: string | null;
}

export interface PushedWork {
  readonly branch: PushedBranch;
  readonly commit: string;
  /** Every commit that Stint or one of its sessions made. */
  readonly known: readonly string[];
}

export interface PushDestination {
  readonly remote: string;
  readonly branch: string;
  readonly url: string;
}

export interface WorkPush {
  /**
   * What will become of verified work, told before any starts; null where there is no remote. `approved`: the yes to a
   * push that is the next thing to do.
   */
  announce(branch: PushedBranch, approved: string | null): Promise<string | null>;
  /** Where it would be pushed; null where it is not. The address has no name and no password in it. */
  destination(branch: PushedBranch): Promise<PushDestination | null>;
  /** What of the branch is to be pushed: up to the youngest of these that is not there yet; null: nothing. */
  upTo(branch: PushedBranch, verified: ReadonlySet<string>): Promise<string | null>;
  /** With others' commits among them, and wherever else it is to ask, it does what `isAllowed` says yes to. */
  push(work: PushedWork, isAllowed: (subject: string) => boolean): Promise<PushResult>;
  /** What was noted since the branch was pushed goes after it. @returns why it did not; null where all is there */
  pushEvidence(branch: PushedBranch | null): Promise<string | null>;
  /** Whether an act of the manifest has pushed our new branch: then it has its upstream from now on. */
  isPushedByAct(work: PushedWork): Promise<boolean>;
}

export interface PersonsGit {
  /** Why the checkout is not where the run's work belongs, as "on another branch"; null where it is. */
  away(): string | null;
  /** Why the manifest on disk is nobody's edit; null where it is one. */
  gitsDoing(): Promise<string | null>;
  /** Whether the person's file is the one of the commit that they have checked out. */
  isManifestCommitted(): Promise<boolean>;
  /** The same of any file; false for one that no commit holds. */
  isCommitted(path: string): Promise<boolean>;
}

export interface SessionCall {
  readonly agent: Agent;
  readonly request: SessionRequest;
  /** Folder for events.jsonl and stderr.log. */
  readonly logFolder: string;
  readonly timeoutMs: number | undefined;
  /** How long it may print nothing; absent: as every session. */
  readonly idleMs?: number;
  /** Beside what every child of the run gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** How it speaks to the run from a shell; absent: by its marker alone. */
  readonly door?: SessionDoor | undefined;
  /** What is left of the project's budgets; a session that has used it up is ended. */
  readonly allowance: Allowance;
  readonly onStarted: (record: ProcessRecord) => void;
  readonly onEvent: (event: AgentEvent) => void;
  /** Called while it runs; a reason ends it. */
  readonly stopReason: () => string | null;
  /** How long what it left running may go on; asked while that lives, once the agent itself has ended. Absent: not at all. */
  readonly keepMs?: (left: number) => number;
  /** Reads and removes the marker, once everything of the session is gone. */
  readonly takeMarker: () => Marker | null;
}

export interface SessionDoor {
  /** The variables by which its verbs find it. */
  readonly env: (path: string | undefined) => Readonly<Record<string, string>>;
  /** Puts the script there. @returns the view in which its program is to be seen */
  readonly show: (view: View) => View;
}

/** What is kept of its end, as far as its process tells it. */
export type SessionResult = Omit<
  SessionEnd,
  "session" | "manifest" | "brought_changed" | "ended_at"
>;

export type SessionStarter = (call: SessionCall) => Promise<SessionResult>;

export interface InsideCall {
  readonly command: string;
  /** Beside what every child of the run gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Below the folder of logs. What an earlier call left there is replaced. */
  readonly log: string;
  readonly timeoutMs: number;
}

export interface InsideEnd {
  /** Null when it was ended by a signal or a deadline. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
}

export interface InsideChild {
  /** Never rejects; nothing of it is left when it resolves. */
  readonly ended: Promise<InsideEnd>;
  /** How it ended, if it has. */
  readonly end: () => InsideEnd | null;
  readonly stop: (reason: string) => void;
  /** What it printed last, redacted. */
  readonly lastWords: () => string;
}

export type StartInside = (call: InsideCall) => InsideChild;

export interface WorkspaceWishes {
  /** Run in a new workspace, in this order, and again when a lock file changes. */
  readonly setup?: readonly string[];
  /** Runs beside checks and sessions. */
  readonly serve?: Serve;
  /** The folder below the root in which sessions, checks and acts start; a task's own wins. */
  readonly dir?: string;
}

export interface StopWanted {
  readonly kind: "requested" | "signal";
  readonly reason: string;
}
