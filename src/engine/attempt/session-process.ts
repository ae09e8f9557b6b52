// One agent process, from its command to how it ended: started where nothing of it can be left
// behind, listened to, ended when it is finished, silent too long, or no longer wanted.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  AgentCommand,
  AgentEvent,
  EventSummary,
  Outcome,
  SessionRequest,
  Usage,
} from "../../agents/agent.ts";
import { statePlaces } from "../../agents/agents.ts";
import { credentialsFor } from "../../agents/credentials.ts";
import { isProgress, NO_EVENTS, withEvent } from "../../agents/event-summary.ts";
import { saidByMarker } from "../../agents/judge-end.ts";
import { RetryClock } from "../../agents/retry-clock.ts";
import type { Instant } from "../../core/instant.ts";
import type { Marker } from "../../core/marker.ts";
import { overspent, type ReportedUsage } from "../../core/step/budgets.ts";
import { childEnvironment, heldBack, missedCredentials } from "../../process/child-environment.ts";
import { PLAIN_VIEW, type View } from "../../process/namespace/view.ts";
import { type Ended, supervise } from "../../process/supervise.ts";
import type {
  SessionCall,
  SessionResult,
  SessionStarter,
  Surroundings,
} from "../base/run-context.ts";
import { lookAt } from "../../process/look-at.ts";

export interface SessionLimits {
  readonly totalMs: number;
  readonly idleMs: number;
  /** Of nothing but asking the provider again. */
  readonly retryingMs: number;
  readonly graceMs: number;
  readonly killMs: number;
  readonly maxLogBytes: number;
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  totalMs: 60 * 60_000,
  idleMs: 15 * 60_000,
  retryingMs: 10 * 60_000,
  graceMs: 10_000,
  killMs: 5_000,
  maxLogBytes: 50 * 1024 * 1024,
};

export interface SessionSurroundings extends Surroundings {
  readonly limits: SessionLimits;
  readonly acpProgram: string;
  readonly now: () => Instant;
}

/** How often a running session is asked whether it is still wanted. */
const WATCH_MS = 100;

export function sessionStarter(surroundings: SessionSurroundings): SessionStarter {
  const { allow, isolation, limits, now } = surroundings;
  return async (call) => {
    const extra = { ...call.env, ...call.door?.env(surroundings.env["PATH"]) };
    // A person may have written down another key since.
    surroundings.secrets.refresh();
    const credentials = credentialsFor(call.agent.name, surroundings.env);
    const env = childEnvironment(surroundings.env, { allow, credentials, extra });
    const isolated = isolation.kind !== "group";
    const command = call.agent.buildCommand({
      ...call.request,
      ...handedDown(call, limits),
      isolated,
      inheritedEnv: env,
      acpProgram: surroundings.acpProgram,
    });
    writeConfig(call.request.configFolder, command);
    const heard = await listenTo(surroundings, call, command, env);
    const { ended, stopped, overBudget, isRetryingOnly } = heard;
    const used = usageTold(call, command);
    const events =
      used === null ? heard.events : withEvent(heard.events, { kind: "usage", ...used });
    const marker = call.takeMarker();
    const { exitCode, signal, stderrTail, durationMs } = ended;
    const endedBy = isRetryingOnly && ended.endedBy === "stopped" ? "retry-limit" : ended.endedBy;
    const judged = call.agent.outcome({
      events,
      exitCode,
      signal,
      endedBy,
      stderrTail,
      marker,
      durationMs,
      endedAt: now(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    // Some agents say on stderr what they miss, others in their result.
    const said = "reason" in judged ? `${stderrTail}\n${judged.reason}` : stderrTail;
    const missed = missedCredentials(said, heldBack(surroundings.env, { allow, credentials }));
    return {
      outcome: withRefused(
        withMissed(
          withinBudget(judged, overBudget ?? timeSpent(judged, call, limits), marker),
          missed,
        ),
        surroundings.walls.refusal(stderrTail, surroundings.at) ?? heard.refused,
      ),
      exit_code: exitCode,
      signal,
      marker,
      stopped,
      last_text: events.lastText,
      ...(stderrTail.trim() !== "" && { last_stderr: lastLines(stderrTail) }),
      ...(events.retries > 0 && { retries: events.retries }),
      ...limitOf(ended.endedBy, heard),
      ...openCallOf(ended.endedBy, events),
      left_behind: ended.leftBehind,
      ...(ended.keptMs > 0 && { kept_ms: ended.keptMs }),
      wall_ms: Math.round(durationMs),
      ...toldBy(events),
    };
  };
}

/** From its start until nothing of it is left: what it said, how it ended, and who wanted that. */
async function listenTo(
  { runId, isolation, view, at, ownFolder, walls, network, secrets, limits }: SessionSurroundings,
  call: SessionCall,
  command: AgentCommand,
  env: Readonly<Record<string, string>>,
) {
  const { program, args, stdin } = command;
  const { configFolder, workTree: cwd } = call.request;
  const totalMs = call.timeoutMs ?? limits.totalMs;
  const idleMs = call.idleMs ?? limits.idleMs;
  // Without a namespace everything is seen where it is.
  const seen = isolation.kind === "group" ? PLAIN_VIEW : view;
  const shown = call.door?.show(seen) ?? view;
  const retries = new RetryClock(limits.retryingMs, () => performance.now());
  let events = NO_EVENTS;
  let overBudget: string | undefined;
  let refused: string | null = null;
  const child = supervise(
    {
      program,
      args,
      cwd,
      env: { ...env, ...command.env },
      ...(stdin === undefined ? {} : { stdin }),
    },
    {
      runId,
      isolation,
      ownFolder,
      view: withConfig(
        isolation.kind === "group"
          ? view
          : walls.around(call.agent.name === "command" ? { ...shown, network } : shown, {
              state: statePlaces(call.agent),
            }),
        configFolder,
      ),
      totalMs: wallOf(call, limits),
      idleMs,
      graceMs: limits.graceMs,
      killMs: limits.killMs,
      askFirst: command.endsGently === true,
      idleUntilProgress: call.agent.tellsProgress === true,
      logs: {
        stdout: join(call.logFolder, "events.jsonl"),
        stderr: join(call.logFolder, "stderr.log"),
        maxBytes: limits.maxLogBytes,
      },
      redact: secrets.redactor(),
      onLine(stream, line) {
        if (stream === "stdout") refused = walls.refusal(line, at) ?? refused;
        for (const event of eventsIn(call, stream, line)) {
          events = withEvent(events, event);
          retries.hear(event);
          if (isProgress(event)) child.sawProgress();
          call.onEvent(event);
          if (event.kind === "result") child.finishing();
        }
        // What it used up to its result it has used; it ends anyway.
        if (overBudget !== undefined || events.result !== null) return;
        overBudget = overspent(call.allowance, toldBy(events));
        if (overBudget !== undefined) child.stop(overBudget);
      },
      onStarted: call.onStarted,
      ...(call.keepMs !== undefined && { keepMs: call.keepMs }),
    },
  );
  let stopped: string | null = null;
  let isRetryingOnly = false;
  const watch = setInterval(() => {
    stopped ??= call.stopReason();
    if (stopped !== null) child.stop(stopped);
    else if (overBudget === undefined && retries.isOver()) {
      isRetryingOnly = true;
      child.stop("it did nothing but try again");
    }
  }, WATCH_MS);
  try {
    const ended = await child.ended;
    return { ended, events, stopped, overBudget, isRetryingOnly, refused, totalMs, idleMs };
  } finally {
    // Also of one that could not be started: a clock that goes on would keep the run from ending.
    clearInterval(watch);
  }
}

/** Of what an agent wrote to its standard error; it goes into a kept record. */
const LONGEST_STDERR = 1024;

/** A line that is cut at its beginning goes, unless it is the only one. */
function lastLines(stderr: string): string {
  const said = stderr.trim();
  if (said.length <= LONGEST_STDERR) return said;
  const end = said.slice(-LONGEST_STDERR);
  return end.includes("\n") ? end.slice(end.indexOf("\n") + 1) : end;
}

/** How long it may take, or be silent, where it was ended for that. */
function limitOf(
  endedBy: Ended["endedBy"],
  { totalMs, idleMs }: { readonly totalMs: number; readonly idleMs: number },
): Pick<SessionResult, "limit_ms"> {
  if (endedBy === "total-timeout") return { limit_ms: Math.round(totalMs) };
  return endedBy === "idle-timeout" ? { limit_ms: Math.round(idleMs) } : {};
}

const LONGEST_CALL = 500;

/** What it was at when it fell silent. */
function openCallOf(
  endedBy: Ended["endedBy"],
  { openCalls }: EventSummary,
): Pick<SessionResult, "open_call"> {
  const call = openCalls.at(-1);
  if (endedBy !== "idle-timeout" || call === undefined) return {};
  const what = call.detail === "" ? call.tool : call.detail;
  return what === "" ? {} : { open_call: what.slice(0, LONGEST_CALL) };
}

function eventsIn(
  { agent }: SessionCall,
  stream: "stdout" | "stderr",
  line: string,
): readonly AgentEvent[] {
  return stream === "stdout" ? agent.readLine(line) : (agent.readErrorLine?.(line) ?? []);
}

/** An agent counts its time from when it is ready, which takes a while on a busy machine. */
const SLOW_START_MS = 20_000;

/**
 * What of its limits an agent that takes them is told when it is started. Of the time a little less, so that it comes
 * to its own end and tells what it used.
 */
function handedDown(
  call: SessionCall,
  limits: SessionLimits,
): Pick<SessionRequest, "budgetUsd" | "wallMs"> {
  const { cost_usd } = call.allowance;
  const wall = wallOf(call, limits);
  const wallMs = Math.round(wall - Math.min(SLOW_START_MS + limits.graceMs, wall / 4));
  return { ...(cost_usd !== null && { budgetUsd: cost_usd }), wallMs };
}

function wallOf({ timeoutMs, allowance }: SessionCall, { totalMs }: SessionLimits): number {
  return Math.min(timeoutMs ?? totalMs, allowance.wall_ms);
}

/** Whether the time that ran out was that of the budget, in words. */
function timeSpent(
  judged: Outcome,
  { timeoutMs, allowance }: SessionCall,
  { totalMs }: SessionLimits,
): string | undefined {
  if (judged.kind !== "timed-out" || allowance.wall_ms >= (timeoutMs ?? totalMs)) return undefined;
  return "the time that was left of the budget is used";
}

/** An agent's own configuration, and what it leaves there, lies in a folder that is else not to be changed. */
function withConfig(view: View, folder: string | undefined): View {
  if (folder === undefined || !existsSync(folder)) return view;
  const mount = { from: folder, at: folder, mode: "read-write" } as const;
  return { ...view, mounts: [...view.mounts, mount] };
}

/** What an agent that does not tell it in its stream used, if it came to telling. */
function usageTold({ agent, request }: SessionCall, { usageFile }: AgentCommand): Usage | null {
  if (request.configFolder === undefined || usageFile === undefined) return null;
  const file = join(request.configFolder, usageFile);
  // The session could have put anything there: a pipe that never ends, a disk full of zeros.
  const found = lookAt(file);
  if (found?.isFile() !== true || found.size > LARGEST_USAGE_BYTES) return null;
  return agent.readUsageFile?.(readFileSync(file, "utf8")) ?? null;
}

const LARGEST_USAGE_BYTES = 1024 * 1024;

function toldBy({ usage }: EventSummary): ReportedUsage {
  if (usage === null) return { tokens: null, cost_usd: null };
  const tokens = usage.input + usage.output;
  // What cost something used tokens, also where nobody told how many.
  const isUntold = tokens === 0 && (usage.costUsd ?? 0) > 0;
  return { tokens: isUntold ? null : tokens, cost_usd: usage.costUsd };
}

/** Why it may have failed, where its last words name what it was not given. */
function withMissed(outcome: Outcome, missed: string): Outcome {
  const isOfIt = outcome.kind === "crashed" || outcome.kind === "auth-failed";
  return missed === "" || !isOfIt
    ? outcome
    : { ...outcome, reason: `${outcome.reason} (${missed})` };
}

/** What it could not write may be why it failed, or why it says that the task cannot be done. */
function withRefused(outcome: Outcome, refused: string | null): Outcome {
  const isOfIt = outcome.kind === "crashed" || outcome.kind === "blocked";
  return refused === null || !isOfIt
    ? outcome
    : { ...outcome, reason: `${outcome.reason} (${refused})` };
}

/** Ended by us for its budget; what it had asked of a person before still counts. */
function withinBudget(judged: Outcome, reason: string | undefined, marker: Marker | null): Outcome {
  const isOurs = judged.kind === "killed" || judged.kind === "timed-out";
  if (reason === undefined || !isOurs) return judged;
  return saidByMarker(marker) ?? { kind: "budget-exceeded", reason };
}

/** Configuration that an agent reads from a file, beside the session's logs. */
function writeConfig(folder: string | undefined, { files = [], usageFile }: AgentCommand): void {
  if (folder === undefined || (files.length === 0 && usageFile === undefined)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name, text } of files) writeFileSync(join(folder, name), text, { mode: 0o600 });
}
