// What Stint asks of a coding agent: how to start one session, how to read one line of what it
// prints, what its end means. An agent is data and pure functions; starting, timing and killing are
// shared and live elsewhere.
import type { NonEmpty, ProjectId, TaskId } from "../core/ids.ts";
import type { Instant } from "../core/instant.ts";
import type { Marker } from "../core/marker.ts";
import type { StatePlace } from "../core/written/wall-places.ts";
import type { Permission } from "../core/schema/run-records.ts";

/** What a session is asked for: its brief, where it works, and what it may do. */
export interface SessionRequest {
  readonly brief: string;
  /** Where the brief is stored, absolute. */
  readonly briefPath: string;
  /** Absolute; the top of the work tree, all of which is the session's. */
  readonly root?: string;
  /** Absolute; the session's working folder: the top, or a folder below it. */
  readonly workTree: string;
  /** Absolute. */
  readonly manifestPath: string;
  readonly project: ProjectId;
  readonly session: number;
  /** `chunkOf`: the name of the task that it is a chunk of. */
  readonly task: { readonly id: TaskId; readonly name: string; readonly chunkOf?: string };
  readonly attempt: number;
  readonly permission: Permission;
  /** The session runs where it can harm nothing outside; some agents refuse to run as root else. */
  readonly isolated?: boolean;
  readonly model?: string;
  /** A UUID, for agents that let their caller choose the id of a conversation. */
  readonly sessionId?: string;
  /** Offered to the agent beside the servers that the person has set up. */
  readonly mcp?: readonly McpServer[];
  /** Absolute; where `AgentCommand.files` will lie. Without it, what needs a file is left out. */
  readonly configFolder?: string;
  /** Destructive commands that a person has allowed for this task; see `refusedCommands`. */
  readonly approved?: readonly string[];
  /** Absolute; Stint's own client of the Agent Client Protocol, for agents that speak it. */
  readonly acpProgram?: string;
  /** What it may still cost, for agents that take such a limit. */
  readonly budgetUsd?: number;
  /** How long it may take, for agents that take such a limit. */
  readonly wallMs?: number;
  /** What the session inherits, for agents whose configuration is a variable that must be kept. */
  readonly inheritedEnv?: Readonly<Record<string, string | undefined>>;
}

/** A server on stdio. */
export interface McpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program to start in the work tree. `env` is added to what the session inherits. */
export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Asked to end, it ends what it started in a better way than a signal: SIGTERM goes to it alone at first. */
  readonly endsGently?: boolean;
  /** In the `configFolder`; for agents that tell what they used in a file, when they are done. */
  readonly usageFile?: string;
  /** To be written into the request's `configFolder` before the program starts. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
}

/** Why a session failed, as the agent's own machine-readable output has it. */
export type FailureCause =
  | "usage-limit"
  | "rate-limit"
  | "overloaded"
  | "context"
  | "auth"
  | "budget"
  | "aborted"
  /** The agent's own guard ended a session that repeated itself. */
  | "loop"
  /** It used up the time that it was given when it was started. */
  | "time"
  /** Nothing but a person's hand at the agent's set-up helps. */
  | "setup";

/** Tokens add up over the events of a session; `input` includes what came from a cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Null where the agent does not say. */
  readonly costUsd: number | null;
}

/** What one line of an agent's output means. */
export type AgentEvent =
  /** `isPiece`: goes on where the piece before it ended. */
  | { readonly kind: "text"; readonly text: string; readonly isPiece?: boolean }
  | {
      readonly kind: "tool-call";
      readonly tool: string;
      readonly detail: string;
      readonly id?: string | undefined;
    }
  | {
      readonly kind: "tool-result";
      readonly ok: boolean;
      readonly detail: string;
      readonly id?: string | undefined;
    }
  /**
   * With `message`: what one message used so far, as long as no total is known; heard again for the
   * same message, it replaces what was heard before. Without: everything since the last total.
   */
  | ({ readonly kind: "usage"; readonly message?: string } & Usage)
  | {
      readonly kind: "retrying";
      readonly attempt: number | null;
      readonly cause: FailureCause | null;
      readonly message: string;
    }
  | { readonly kind: "error"; readonly cause: FailureCause | null; readonly message: string }
  | { readonly kind: "limit"; readonly resetAt: Instant | null }
  /** `call`: the id of the tool call that was refused, where the refusal does not repeat it. */
  | { readonly kind: "denied"; readonly command: string; readonly call?: string | undefined }
  /** For agents without a terminal event: a step began, or ended by `reason`. */
  | { readonly kind: "step"; readonly isLast: boolean; readonly reason: string }
  | {
      readonly kind: "result";
      readonly ok: boolean;
      readonly cause: FailureCause | null;
      readonly reason: string;
      /** It left in the middle: what it wrote to stderr last may say why. */
      readonly hasLeft?: true;
    }
  /** The model answered with something that is not shown: a thought, a plan. */
  | { readonly kind: "thinking" }
  /** A line that is not what this agent prints: cut off, damaged, or foreign. */
  | { readonly kind: "unreadable" };

/** What the events of a session come to; bounded, however long the session is. */
export interface EventSummary {
  readonly toolCalls: number;
  readonly retries: number;
  readonly unreadable: number;
  readonly usage: Usage | null;
  /** The part of `usage` that a total will replace. */
  readonly provisional: Provisional | null;
  readonly lastText: string | null;
  /** The last event was a piece of text. */
  readonly isSpeaking: boolean;
  /** Calls without a result, the latest ones. */
  readonly openCalls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly detail: string;
  }[];
  readonly lastError: Extract<AgentEvent, { kind: "error" }> | null;
  /** Set while a retry notice is the last thing that was heard. */
  readonly waiting: Extract<AgentEvent, { kind: "retrying" }> | null;
  readonly limit: Extract<AgentEvent, { kind: "limit" }> | null;
  readonly denied: string | null;
  readonly step: Extract<AgentEvent, { kind: "step" }> | null;
  readonly result: Extract<AgentEvent, { kind: "result" }> | null;
}

export interface Provisional {
  /** Totals known before. */
  readonly settled: Usage | null;
  /** Settled and every message but the last. */
  readonly before: Usage | null;
  readonly message: string;
}

/** All that is known of a session that ended, for judging what its end means. */
export interface SessionFacts {
  readonly events: EventSummary;
  /** Null when a signal ended it or it could not be started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /**
   * `grace`: ended by Stint because it went on living after its result. `retry-limit`: because it did nothing but ask
   * its provider again.
   */
  readonly endedBy:
    | "itself"
    | "total-timeout"
    | "idle-timeout"
    | "retry-limit"
    | "grace"
    | "stopped";
  readonly stderrTail: string;
  readonly marker: Marker | null;
  readonly durationMs: number;
  /** For reset times that an agent tells by the clock on the wall. */
  readonly endedAt: Instant;
  /** Of the machine the session ran on, such as `Europe/Berlin`. */
  readonly timeZone: string | undefined;
}

/** What the end of a session means for its task. */
export type Outcome =
  | { readonly kind: "finished" }
  /** `isSetup`: not the session says so, but its agent cannot be used in this way. */
  | { readonly kind: "blocked"; readonly reason: string; readonly isSetup?: true | undefined }
  | { readonly kind: "question"; readonly questions: NonEmpty<string> }
  | { readonly kind: "approval-needed"; readonly subject: string | null }
  | { readonly kind: "usage-limited"; readonly until: Instant | null; readonly reason: string }
  | { readonly kind: "rate-limited"; readonly reason: string }
  | { readonly kind: "overloaded"; readonly reason: string }
  | { readonly kind: "context-exhausted"; readonly reason: string }
  | { readonly kind: "auth-failed"; readonly reason: string }
  | { readonly kind: "budget-exceeded"; readonly reason: string }
  | { readonly kind: "timed-out" }
  | { readonly kind: "idle" }
  | { readonly kind: "crashed"; readonly exitCode: number | null; readonly reason: string }
  | { readonly kind: "killed"; readonly reason: string }
  /** Told by an agent whose own guard ended a loop; else found by comparing the trees. */
  | { readonly kind: "no-progress"; readonly reason: string }
  /** The agent was refused a command. Checks decide as they do after `finished`. */
  | { readonly kind: "denied"; readonly command: string };

/** What can be asked of an installed agent without starting a session. */
export interface AgentProgram {
  readonly name: string;
  readonly versionArgs: readonly string[];
  /** Null: the program has no command that tells whether somebody is logged in. */
  readonly login: {
    readonly args: readonly string[];
    /** Null where the answer does not tell. */
    isLoggedIn(answer: { readonly exitCode: number; readonly stdout: string }): boolean | null;
  } | null;
}

/** A coding agent: how one session is started, what a line of its output means, what its end means. */
export interface Agent {
  readonly name: string;
  /** One line for a list of agents. */
  readonly describe: string;
  /** What to run when the program is missing. */
  readonly installHint: string;
  /** What to run when the agent is not logged in. */
  readonly loginHint: string;
  /** Absent where there is nothing to be asked. */
  readonly program?: AgentProgram;
  /** What it writes of its own beside the work, as little as it needs. Absent: not known. */
  readonly state?: readonly StatePlace[];
  /** What each permission means for this agent, in a few words. */
  readonly modes: Readonly<Record<Permission, string>>;
  /**
   * What a session with a permission has and has not, in one line for its brief: network, what cannot be written, which
   * commands are refused. Absent where there is nothing to be told.
   */
  readonly surroundings?: Readonly<Partial<Record<Permission, string>>>;
  /** It tells of all that it does: what it prints without progress leaves it idle. */
  readonly tellsProgress?: true;
  buildCommand(request: SessionRequest): AgentCommand;
  /** Reads one line without its line end. Never throws; what it does not know is nothing. */
  readLine(line: string): readonly AgentEvent[];
  /** The same for a line on stderr, for agents that say only there that they try again. */
  readErrorLine?(line: string): readonly AgentEvent[];
  /** Reads the command's `usageFile`. Never throws; null when it tells nothing. */
  readUsageFile?(text: string): Usage | null;
  outcome(facts: SessionFacts): Outcome;
}
