// Everything one run works with: the right to write, the work tree, the agents, the checks, the
// person's settings, and where news go.
import type { Agent } from "../agents/agent.ts";
import type { CheckPorts } from "../checks/check-run.ts";
import type { RunId } from "../core/ids.ts";
import { type Instant, instantFromMs } from "../core/instant.ts";
import type { Task } from "../core/schema/task.ts";
import type { Host } from "../store/host.ts";
import type { Holder, Store } from "../store/store.ts";
import type { SessionStarter } from "./session-process.ts";
import type { WorkTree } from "./work-tree.ts";

export interface RunSettings {
  /** Tasks in one session: 1 is `one-task`. */
  readonly batch: number;
  /** `until-gate`: a batch also ends before a task that asks for approval. */
  readonly stopsBeforeApproval: boolean;
  readonly push: "auto" | "ask" | "never";
}

/** What a run tells while it works; each piece is already persisted or a mere sign of life. */
export type News =
  | {
      readonly kind: "persisted";
      readonly revision: number;
      readonly event: string;
      readonly summary: string;
      readonly status: string;
    }
  | { readonly kind: "session"; readonly session: number; readonly line: string }
  | {
      readonly kind: "check";
      readonly check: string;
      readonly passed: boolean;
      readonly when: "before" | "after";
    }
  | { readonly kind: "notice"; readonly text: string };

export interface StopWanted {
  readonly kind: "requested" | "signal";
  readonly reason: string;
}

export interface RunContext {
  readonly holder: Holder;
  readonly store: Store;
  readonly host: Host;
  readonly runId: RunId;
  /** The person who started the run. */
  readonly person: string;
  readonly tree: WorkTree;
  readonly agentFor: (task: Task) => Agent;
  readonly startSession: SessionStarter;
  readonly checks: CheckPorts;
  readonly root: string;
  readonly settings: RunSettings;
  /** Absent: ten minutes. */
  readonly checkTimeoutMs?: number | undefined;
  readonly tell: (news: News) => void;
  /** Answers as soon as somebody wants the run to end. */
  readonly stopWanted: () => StopWanted | null;
}

export function nowOf(context: Pick<RunContext, "host">): Instant {
  return instantFromMs(context.host.nowMs());
}

/** The author of what the run itself finds and does. */
export function runAuthor(context: Pick<RunContext, "holder">): string {
  return context.holder.state.owner_agent;
}
