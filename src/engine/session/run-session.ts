// A session, once its attempt is durable: brief, process, marker, result. The result is kept before
// anything is concluded from it.
import type { SessionStart } from "../../core/schema/session-record.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Agent, Outcome } from "../../agents/agent.ts";
import { allowanceOf } from "../../core/spending.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import { projectLayout } from "../../store/layout.ts";
import { archiveMarker } from "./archive-marker.ts";
import { wholeAnswers, writeBrief } from "./brief.ts";
import { isRefusal } from "./refusal.ts";
import { nowOf } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { keepEnd, readEnd, readStart, sessionPath } from "../base/session-record.ts";
import { withServer } from "../space/serve.ts";
import { setupTrouble } from "../space/set-up.ts";
import { startFolder } from "../space/start-folder.ts";
import { writtenTasks } from "../manifest/task-boxes.ts";
import { memoryOf } from "../base/task-memory.ts";

/** Of a session's last words, which may be a megabyte in one line; they go into the state. */
const LONGEST_NOTE = 2000;

export async function runSession(context: RunContext, start: SessionStart): Promise<void> {
  const { holder, store, space, copy, tell } = context;
  const { state, entry } = holder;
  const { session } = start;
  // A stale marker must not speak for this session.
  archiveMarker(context, session, "stale-marker");
  const text = start.manifest;
  // A person may have edited theirs since the files were laid.
  if (space.kind === "own-copy") copy.writeManifest(copy.readManifest(), text);
  const { plan, byId } = writtenTasks(text, state.tasks);
  const tasks = start.tasks.flatMap(({ task_id }) => {
    const task = state.tasks.find(({ id }) => id === task_id);
    return task === undefined
      ? []
      : [
          {
            task,
            source: byId.get(task_id)?.planned.source ?? task.title,
            elsewhere: memoryOf(store, state.project_id, task_id).elsewhere,
          },
        ];
  });
  const first = tasks[0];
  if (first === undefined) throw new Error(`session ${session} has no task`);
  const folder = join(projectLayout(entry).logs, "sessions", String(session));
  mkdirSync(folder, { recursive: true });
  const agent = context.agents.named(start.agent);
  if (agent === undefined) throw new Error(`there is no agent ${start.agent} in this run`);
  const startsIn = startFolder(context, first.task);
  const notSetUp = await setupTrouble(context);
  const result = await withServer(context, `session-${session}`, async (server) => {
    const answers = sessionPath(session, "answers.md");
    const given = {
      state,
      session,
      tasks,
      references: plan.references,
      tools: plan.tools,
      notes: plan.notes,
      before: endBefore(context, first.task, session),
      broughtChanged: readEnd(store, state.project_id, session - 1)?.brought_changed ?? [],
      answersPath: `${entry.folder}/${answers}`,
      startsIn,
      server: server === null ? null : server.serve,
      trouble: notSetUp ?? server?.trouble() ?? null,
    };
    const words = wholeAnswers(given);
    if (words !== null) holder.keep(answers, words);
    const brief = writeBrief(given);
    holder.keep(sessionPath(session, "brief.md"), brief);
    await space.freshGit({ branch: `stint/${entry.slug}`, canPush: false });
    context.layAgentFiles();
    await space.noteBrought(session);
    return await context.startSession({
      agent,
      request: {
        brief,
        briefPath: join(folder, "brief.md"),
        root: space.at,
        workTree: join(space.at, startsIn.problem === null ? startsIn.dir : ""),
        manifestPath: join(space.at, state.manifest.path),
        project: state.project_id,
        session,
        task: { id: first.task.id, name: first.task.name },
        attempt: first.task.attempts,
        permission: context.settings.permission,
        configFolder: join(folder, "config"),
        approved: allowedCommands(state, start),
        ...modelOf(context, agent, context.agents.namesFor(first.task)[0] === start.agent),
      },
      logFolder: folder,
      env: server?.env ?? {},
      timeoutMs: first.task.timeout_ms,
      allowance: allowanceOf(state.budgets, state.spent),
      onStarted: (record) =>
        holder.keep(sessionPath(session, "process.json"), `${JSON.stringify(record)}\n`),
      onEvent: (event) => {
        if (event.kind === "text") tell({ kind: "session", session, line: event.text });
        if (event.kind === "tool-call") {
          tell({ kind: "session", session, line: `${event.tool} ${event.detail}` });
        }
      },
      stopReason: () => context.stopWanted()?.reason ?? context.answers.letGo(),
      takeMarker: () => archiveMarker(context, session, "marker"),
    });
  });
  const brought_changed = await space.changedBrought(session);
  const manifest = copy.manifestBytes();
  const end = {
    outcome: result.outcome,
    exit_code: result.exitCode,
    signal: result.signal,
    marker: result.marker,
    stopped: result.stopped,
    last_text: result.lastText?.slice(-LONGEST_NOTE) ?? null,
    left_behind: result.leftBehind,
    brought_changed,
    ended_at: nowOf(context),
    wall_ms: result.wallMs,
    tokens: result.tokens,
    cost_usd: result.costUsd,
  };
  keepEnd(holder, start, end, manifest);
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

/** How the last session on this task ended that its provider did not refuse; null for none. */
function endBefore(
  { holder, store }: RunContext,
  task: Task,
  session: number,
): Outcome["kind"] | null {
  const id = holder.state.project_id;
  for (let earlier = session - 1; earlier > 0; earlier -= 1) {
    const start = readStart(store, id, earlier);
    if (start?.tasks.some(({ task_id }) => task_id === task.id) !== true) return null;
    const kind = readEnd(store, id, earlier)?.outcome.kind ?? null;
    if (kind === null || !isRefusal(kind)) return kind;
  }
  return null;
}
