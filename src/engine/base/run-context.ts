// Everything one run works with: the right to write, the work tree, the agents, the checks, the
// person's settings, and where news go.
import type {
  AnswerBox,
  StartInside,
  WorkspaceWishes,
  SessionStarter,
  PersonsGit,
  DeliveryRule,
  WorkPush,
  StopWanted,
} from "./ports.ts";
import type { Agent } from "../../agents/agent.ts";
import type { DeliverMode, PushPolicy } from "../../core/written/delivery-choice.ts";
import type { Permission } from "../../core/schema/run-records.ts";
import type { CheckPorts } from "../../checks/check-run.ts";
import type { RunId } from "../../core/ids.ts";
import type { News } from "../../core/news.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import type { Host } from "../../store/host.ts";
import type { Holder, Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { TreeFiles } from "./tree-files.ts";

export interface RunSettings {
  /** Tasks in one session: 1 is `one-task`. */
  readonly batch: number;
  readonly deliver: DeliverMode;
  readonly push: PushPolicy;
  /** What the settings want of the workspace; what the manifest wants comes before it. */
  readonly wishes?: WorkspaceWishes;
  /** Whether the project folder is committed with each task. */
  readonly trackState: boolean;
  /** Whether a person is asked before a release step starts. */
  readonly release: "ask" | "auto";
  /** How long an approval is waited for; absent: for ever. */
  readonly approvalsExpireMs?: number;
  /** What a session may do. */
  readonly permission: Permission;
  /** By the agent's name; `*` is the model of them all. */
  readonly models: Readonly<Record<string, string>>;
  /** The last session this run starts, and why it stops then; absent: the budgets alone decide. */
  readonly stopAfter?: { readonly session: number; readonly reason: string };
}

/** The agents of a run, by name: as a person wrote them, without secrets. */
export interface Agents {
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
    "readManifest" | "manifestBytes" | "writeManifest" | "textNow"
  >;
  /** Where sessions, checks and acts work. */
  readonly space: Workspace;
  /** The files there. */
  readonly copy: TreeFiles;
  /** Lays what the agents are started with and no commit holds. */
  readonly layAgentFiles: () => void;
  /** Whether verified work goes into the branch that it belongs to by itself. */
  readonly rule: DeliveryRule;
  readonly push: WorkPush;
  readonly personsGit: PersonsGit;
  readonly agents: Agents;
  readonly startSession: SessionStarter;
  /** Starts a command of the workspace itself: its setup, its server. */
  readonly startInside: StartInside;
  readonly checks: CheckPorts;
  readonly settings: RunSettings;
  /** Absent: ten minutes. */
  readonly checkTimeoutMs?: number | undefined;
  /** Of each command; absent: half an hour. */
  readonly setupTimeoutMs?: number | undefined;
  readonly tell: (news: News) => void;
  /** What people answer while the run is at work. */
  readonly answers: AnswerBox;
  /** Tells a person who does not look; absent where nobody wants to be told. */
  readonly notices?: { persisted(state: ProjectState): void } | undefined;
  /** Answers as soon as somebody wants the run to end. */
  readonly stopWanted: () => StopWanted | null;
}
