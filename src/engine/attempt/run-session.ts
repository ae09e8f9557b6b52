// A session, once its attempt is durable: brief, process, marker, result. The result is kept before
// anything is concluded from it.
import type { SessionRequest } from "../../agents/agent.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import type { Trouble } from "../../checks/check-run.ts";
import { delegatedTo } from "../../core/delegation.ts";
import { type Marker, parseMarker } from "../../core/marker.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { SessionStart } from "../../core/schema/session-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { type Allowance, allowanceOf } from "../../core/step/budgets.ts";
import { StintError } from "../../core/stint-error.ts";
import { durationText, parseDuration } from "../../core/written/times.ts";
import { projectLayout } from "../../store/layout.ts";
import type { Holder } from "../../store/store.ts";
import { nowOf } from "../base/fact.ts";
import {
  keepEnd,
  memoryOf,
  readEnd,
  readIgnored,
  readStart,
  sessionPath,
} from "../base/kept-record.ts";
import type { RunContext, SessionCall, SessionResult } from "../base/run-context.ts";
import { manifestSeenAt } from "../base/tree-files.ts";
import { isInTree, writtenTasks } from "../people/manifest-texts.ts";
import { type Server, startServer } from "../space/serve.ts";
import { setupTrouble } from "../space/set-up.ts";
import { startFolder } from "../space/workspace-commands.ts";
import { projectLogs } from "../people/project-logs.ts";
import { type BriefInput, wholeAnswers, writeBrief } from "./brief.ts";
import { sessionBefore } from "./session-before.ts";
import { openDoor } from "../base/session-door.ts";
import { heard, takeWords } from "../base/session-words.ts";
import { SpokenLines } from "./spoken-lines.ts";
import { endTold, logOfEnd, tellEnd, retryTeller } from "./tell-session.ts";
import { isThere } from "../../process/look-at.ts";

/** Of a session's last words, which may be a megabyte in one line; they go into the state. */
const LONGEST_NOTE = 2000;

/** By then the session is at work. */
const SETTLE_AFTER_MS = 1000;

export async function runSession(context: RunContext, start: SessionStart): Promise<void> {
  const { space, copy } = context;
  const { session } = start;
  // A stale marker must not speak for this session.
  archiveMarker(context, session, "stale-marker");
  // A person may have edited theirs since the files were laid.
  if (space.kind === "own-copy") copy.writeManifest(copy.readManifest(), start.manifest);
  mkdirSync(sessionFolder(context, session), { recursive: true });
  const notSetUp = await setupTrouble(context);
  const server = await startServer(context, `session-${session}`);
  const trouble = notSetUp ?? server.trouble();
  let result: SessionResult;
  try {
    result = await startWith(context, start, server, trouble);
  } finally {
    await server.stop();
  }
  const brought_changed = await space.changedBrought(session);
  // Where the whole folder is gone, nobody meant the manifest.
  const hasManifest = isInTree(context) && isThere(space.folder);
  const manifest = hasManifest ? copy.manifestBytes() : Buffer.from(start.manifest);
  const { wall_ms, tokens, cost_usd, ...how } = result;
  const last_text = how.last_text?.slice(-LONGEST_NOTE) ?? null;
  const log = logOfEnd(context, session, how.outcome.kind);
  const seen = { ...how, last_text, ...log, brought_changed, ended_at: nowOf(context) };
  const end = { ...seen, wall_ms, tokens, cost_usd };
  keepEnd(context, start, end, manifest);
  tellEnd(context, endTold({ ...end, session }), start);
}

export function sessionFolder({ holder }: RunContext, session: number): string {
  return join(projectLayout(holder.entry).logs, "sessions", String(session));
}

/** What the session is told, kept before it starts: its tasks as the manifest that it is given has them. */
export function giveBrief(
  context: RunContext,
  start: SessionStart,
  server: Pick<Server, "serve">,
  trouble: Trouble | null,
): { readonly brief: string; readonly first: Task } {
  const { holder } = context;
  const { state, entry } = holder;
  const { session } = start;
  const { plan, byId } = writtenTasks(start.manifest, state.tasks);
  const tasks = start.tasks.flatMap(({ task_id }) => {
    const task = state.tasks.find(({ id }) => id === task_id);
    if (task === undefined) return [];
    const source = byId.get(task_id)?.planned.source ?? task.title;
    const { elsewhere } = memoryOf(context, task_id);
    return [{ task, source, elsewhere, before: sessionBefore(context, task_id) }];
  });
  const first = tasks[0]?.task;
  if (first === undefined) throw new Error(`session ${session} has no task`);
  const answers = sessionPath(session, "answers.md");
  const { references, tools, notes } = plan;
  const told = {
    state,
    session,
    tasks,
    references,
    tools,
    notes,
    ...leftBefore(context, session),
    ...around(context, start, first),
    ...(isInTree(context) ? {} : { manifestAt: manifestSeenAt(entry, entry.root) }),
    answersPath: `${entry.folder}/${answers}`,
    startsIn: startFolder(context, first),
    server: server.serve,
    logs: projectLogs(context, context.settings.logs).map(({ path }) => path),
    trouble,
    hasVerbs: context.program !== undefined,
    ...(start.by_hand !== true &&
      context.cannotWrite !== undefined && { cannotWrite: context.cannotWrite }),
    isByHand: start.by_hand === true,
  };
  const words = wholeAnswers(told);
  if (words !== null) holder.keepWithNext(answers, words);
  const brief = writeBrief(told);
  holder.keepWithNext(sessionPath(session, "brief.md"), brief);
  return { brief, first };
}

async function startWith(
  context: RunContext,
  start: SessionStart,
  server: Server,
  trouble: Trouble | null,
): Promise<SessionResult> {
  const { holder, space, tell } = context;
  const { state, entry } = holder;
  const { session } = start;
  const agent = context.agents.named(start.agent);
  if (agent === undefined) throw new Error(`there is no agent ${start.agent} in this run`);
  const { brief, first } = giveBrief(context, start, server, trouble);
  await space.freshGit({ branch: `stint/${entry.slug}`, canPush: false });
  context.layAgentFiles();
  await space.noteBrought(session);
  const folder = sessionFolder(context, session);
  const { dir, problem } = startFolder(context, first);
  const settling = settlingOf(holder);
  const beside = context.lane === undefined ? {} : { task: first.id };
  const said = { kind: "session", session, ...beside } as const;
  const spoken = new SpokenLines();
  const hearRetry = retryTeller(context, session, beside);
  const ended = context.startSession({
    agent,
    request: {
      brief,
      briefPath: join(folder, "brief.md"),
      root: space.at,
      workTree: join(space.at, problem === null ? dir : ""),
      manifestPath: manifestSeenAt(entry, space.at),
      project: state.project_id,
      session,
      task: taskNamed(state, first),
      attempt: first.attempts,
      permission: context.settings.permission,
      configFolder: join(folder, "config"),
      approved: allowedCommands(state, start),
      ...modelOf(context, agent, context.agents.namesFor(first)[0] === start.agent),
    },
    logFolder: folder,
    env: server.env,
    door: openDoor(context, session, folder),
    ...timesOf(first),
    allowance: allowance(context, state),
    onStarted(record) {
      holder.keepWithNext(sessionPath(session, "process.json"), `${JSON.stringify(record)}\n`);
      settling.start();
    },
    onEvent: (event) => {
      hearRetry(event);
      for (const line of spoken.hear(event)) tell({ ...said, line });
      if (event.kind === "tool-call") tell({ ...said, line: `${event.tool} ${event.detail}` });
    },
    stopReason: () => context.stopWanted()?.reason ?? context.answers.letGo(),
    keepMs: keeping(context, session),
    takeMarker: () => hear(context, session),
  });
  return await ended.finally(() => {
    settling.stop();
    for (const line of spoken.end()) tell({ ...said, line });
  });
}

/** Delegated work has until its deadline; a command that is silent meanwhile is not idle. */
function timesOf(task: Task): Pick<SessionCall, "timeoutMs" | "idleMs"> {
  const delegated = delegatedTo(task);
  if (delegated === null) return { timeoutMs: task.timeout_ms };
  const timeoutMs = task.timeout_ms ?? task.deadline_ms;
  return delegated.by === "command" ? { timeoutMs, idleMs: timeoutMs ?? Infinity } : { timeoutMs };
}

/** By the word of the session, in its marker, or of a person; told once. */
function keeping(context: RunContext, session: number): (left: number) => number {
  let isTold = false;
  return (left) => {
    const marker = parseMarker(context.copy.readMarker() ?? new Uint8Array());
    const saidMs = parseDuration(marker.others["keep"] ?? "") ?? 0;
    const ms = Math.max(saidMs, context.answers.keepMs(session));
    if (ms > 0 && !isTold) {
      isTold = true;
      const who = left === 1 ? "1 process" : `${left} processes`;
      const text = `the agent of session ${session} has ended; ${who} that it left may run for another ${durationText(ms)}`;
      context.tell({ kind: "notice", text });
    }
    return ms;
  };
}

/** What was kept gets its own files while the session is at work and nobody waits for the disk. */
function settlingOf(holder: Holder): { readonly start: () => void; readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    try {
      holder.settle();
    } catch (error) {
      // A holder that cannot write any more says so at the next act.
      if (!(error instanceof StintError)) throw error;
    }
  };
  return {
    start: () => void (timer = setTimeout(settle, SETTLE_AFTER_MS).unref()),
    stop: () => clearTimeout(timer),
  };
}

/** What is left of the budgets, or this lane's share of it. */
function allowance({ lane, lanes }: RunContext, { budgets, spent }: ProjectState): Allowance {
  return lanes.shareOf(lane, allowanceOf(budgets, spent));
}

/** What it has around it. Nobody ends a session by hand, or knows what its agent may do. */
function around(
  context: RunContext,
  start: SessionStart,
  task: Task,
): Pick<BriefInput, "deadlineMs" | "surroundings"> {
  if (start.by_hand === true) return {};
  const { settings, agents, holder, sessionMs = Infinity } = context;
  const { wall_ms } = allowance(context, holder.state);
  const deadlineMs = Math.min(timesOf(task).timeoutMs ?? sessionMs, wall_ms);
  const surroundings = agents.named(start.agent)?.surroundings?.[settings.permission];
  return {
    ...(Number.isFinite(deadlineMs) && { deadlineMs }),
    ...(surroundings !== undefined && { surroundings }),
  };
}

/** What the session before this one, where it works, left and no commit shows. */
function leftBefore(
  context: RunContext,
  session: number,
): Pick<BriefInput, "broughtChanged" | "ignoredMade"> {
  for (let before = session - 1; before > 0; before -= 1) {
    const start = readStart(context, before);
    if (start !== undefined && start.lane !== context.lane) continue;
    const broughtChanged = readEnd(context, before)?.brought_changed ?? [];
    return { broughtChanged, ignoredMade: readIgnored(context, before) };
  }
  return {};
}

/** Destructive commands that a person allowed for a task of this session. */
function allowedCommands({ approval_items }: ProjectState, start: SessionStart): string[] {
  const ids = start.tasks.map(({ task_id }) => task_id);
  return approval_items
    .filter((item) => item.status === "granted" && item.kind === "destructive")
    .filter(({ task_id }) => task_id !== undefined && ids.includes(task_id))
    .map(({ subject }) => subject);
}

/** A model that was typed is one of the preferred agent; another would not know its name. */
function modelOf(
  { settings: { models } }: RunContext,
  { name }: Agent,
  isPreferred: boolean,
): { model?: string } {
  const model = (isPreferred ? models["*"] : undefined) ?? models[name];
  return model === undefined ? {} : { model };
}

function taskNamed({ tasks }: ProjectState, { id, name, chunk_of }: Task): SessionRequest["task"] {
  const whole = tasks.find((each) => each.id === chunk_of);
  return whole === undefined ? { id, name } : { id, name, chunkOf: whole.name };
}

/** Keeps what it said by its marker and by the verbs in its shell. */
export function hear(context: RunContext, session: number): Marker | null {
  archiveMarker(context, session, "marker");
  takeWords(context, session);
  return heard(context, session);
}

/**
 * The marker means "this session's iteration ended": it is kept beside the session's log, then removed. A kill
 * between the two keeps the same text once more; a loss of power takes it with the rest of the end.
 */
export function archiveMarker(context: RunContext, session: number, name: string): Marker | null {
  const bytes = context.copy.readMarker();
  if (bytes === undefined) return null;
  // What it says is quoted in state, journal and brief, so secrets leave it here.
  const text = context.checks.redact(bytes.toString("utf8"));
  context.holder.keepWithNext(sessionPath(session, name), text);
  context.copy.removeMarker();
  return parseMarker(Buffer.from(text, "utf8"));
}
