// What `delegate:` of a task means: who does it, and where. Pure. Somebody outside is known by a return condition
// that Stint can look at; a command and an agent are sessions that Stint starts itself.
import type { AgentId } from "./ids.ts";
import { parseAgentId } from "./ids.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import type { ReturnCondition } from "./schema/items.ts";
import type { TaskIntent } from "./schema/task.ts";
import { needsReview } from "./step/task-moves.ts";
import { shownAddress } from "./written/address.ts";

export type Delegated =
  /** Nothing that Stint started: only its return condition is looked at. */
  | { readonly by: "outside"; readonly owner: string; readonly returns: ReturnCondition }
  | { readonly by: "command"; readonly command: string }
  | { readonly by: "agent"; readonly agent: AgentId };

type Worded = Pick<TaskIntent, "delegate" | "returns">;

/** Null where the task is not delegated, or by words of an earlier Stint that named nobody. */
export function delegatedTo({ delegate, returns }: Worded): Delegated | null {
  if (delegate === undefined) return null;
  if (returns !== undefined && returns.kind !== "exit") {
    return { by: "outside", owner: delegate, returns };
  }
  const command = commandIn(delegate);
  if (command !== null) return { by: "command", command };
  const agent = parseAgentId(delegate);
  return agent === undefined ? null : { by: "agent", agent };
}

/** The command between backticks, as the manifest keeps it. */
export function commandIn(delegate: string): string | null {
  return /^`([^]+)`$/.exec(delegate)?.[1] ?? null;
}

/** The terms of what is done outside; null where a session does it. */
export function outsideOf(task: Worded): Extract<Delegated, { by: "outside" }> | null {
  const delegated = delegatedTo(task);
  return delegated?.by === "outside" ? delegated : null;
}

/** Whether its session has a workspace of its own, beside the others. */
export function laneWanted(task: Worded): boolean {
  const delegated = delegatedTo(task);
  return delegated !== null && delegated.by !== "outside";
}

/** Every command that its delegation makes Stint execute: the work itself, and the look whether it is back. */
export function delegatedCommands(task: Worded): readonly string[] {
  const delegated = delegatedTo(task);
  if (delegated?.by === "command") return [delegated.command];
  return delegated?.by === "outside" && delegated.returns.kind === "command"
    ? [delegated.returns.command]
    : [];
}

/** Nobody's word makes a task done: what comes back is judged by a check, or by a person. */
export function isJudged(task: Pick<TaskIntent, "checks" | "approve">): boolean {
  return (task.checks ?? []).length > 0 || needsReview(task);
}

const MINUTE_MS = 60_000;
const LOOK_MS = 5 * MINUTE_MS;
export const DEADLINE_MS = 24 * 60 * MINUTE_MS;

export interface Times {
  readonly look_ms?: number | undefined;
  readonly deadline_ms?: number | undefined;
}

/** When it is looked at next, and when it is given up. A look is never later than that. */
export function timesFrom(
  at: Instant,
  { look_ms = LOOK_MS, deadline_ms = DEADLINE_MS }: Times,
): { readonly checkpoint_at: Instant; readonly look_ms: number; readonly deadline_at: Instant } {
  const deadline_at = instantFromMs(msOf(at) + deadline_ms);
  return { checkpoint_at: nextLook(at, look_ms, deadline_at), look_ms, deadline_at };
}

export function nextLook(at: Instant, lookMs: number | undefined, deadline_at: Instant): Instant {
  return instantFromMs(Math.min(msOf(at) + (lookMs ?? LOOK_MS), msOf(deadline_at)));
}

/** The condition as a person writes it, without a password in an address. */
export function returnText(returns: ReturnCondition): string {
  switch (returns.kind) {
    case "exit":
    case "message":
      return returns.kind;
    case "file":
      return `file ${returns.path}`;
    case "command":
      return `\`${returns.command}\``;
    case "url": {
      const contains = returns.contains === undefined ? "" : ` contains "${returns.contains}"`;
      return `GET ${shownAddress(returns.url)} ${returns.status}${contains}`;
    }
    default:
      return returns satisfies never;
  }
}
