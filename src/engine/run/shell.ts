// A person's shell in the workspace of a project, while no run is at work there. What they change on a task
// that is not done is the task's from then on; anything else is put back and named. Kept before the shell
// starts: what it is about, so that a kill loses nothing of a task's work.
import { pathInTree } from "../../core/files.ts";
import { isFinished } from "../../core/eligibility.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { begunIn, uncommittableIn, workBegun } from "../../core/task-memory.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { chooseIsolation } from "../../process/namespace/isolation.ts";
import { PLAIN_VIEW } from "../../process/namespace/view.ts";
import { runInTerminal } from "../../process/run-in-terminal.ts";
import { memoryOf, rememberNow } from "../base/kept-record.ts";
import type { RunContext, Surroundings } from "../base/run-context.ts";
import { openSecrets } from "../base/secrets.ts";
import { treeFiles } from "../base/tree-files.ts";
import { openSpace, type SpaceChoice } from "../space/open-space.ts";
import { layTree, layWork, type SpaceContext } from "../space/task-work.ts";
import { captureActs } from "./logistics.ts";

export interface ShellContext
  extends SpaceContext, Pick<Surroundings, "runId" | "isolation" | "env" | "allow"> {
  /** Below the root. */
  readonly dir: string;
}

export interface ShellOptions
  extends
    Pick<RunContext, "holder" | "store" | "agents">,
    Pick<ShellContext, "env" | "allow" | "dir"> {
  readonly stateHome: string;
  readonly isolation: "auto" | "on" | "off";
  readonly choice: SpaceChoice;
  readonly tell: (text: string) => void;
}

/** Opens the workspace as a run would open it. */
export async function openShell(options: ShellOptions): Promise<ShellContext> {
  const { holder, store, env, allow, dir } = options;
  const { manifest, folder: projectFolder } = holder.entry;
  const isolation = chooseIsolation(options.isolation);
  const runId = holder.lease.run_id;
  const tell = (news: { readonly kind: string }): void => {
    if ("text" in news) options.tell(String(news.text));
  };
  const secrets = openSecrets(env, holder.entry.root);
  const stopWanted = (): null => null;
  const { space } = await openSpace({ ...options, secrets, runId, isolation, tell, stopWanted });
  if (space.kind === "own-copy") for (const text of await space.open()) options.tell(text);
  const copy = treeFiles({ root: space.folder, manifest: pathInTree(manifest), projectFolder });
  return { holder, store, space, copy, tell, runId, isolation, env, allow, dir };
}

/** What becomes of what a person changes there. */
export type Fate =
  /** It is the work of this task from then on. */
  | { readonly kind: "counts"; readonly task: Task }
  /** The files become those of this tree again. */
  | { readonly kind: "put-back"; readonly tree: string }
  /** A session was cut short there, or left what no commit can hold: the next run takes it all up. */
  | { readonly kind: "left"; readonly task: Task }
  /** It is the person's folder itself. */
  | { readonly kind: "in-place" };

/** Lays what the shell is to find, and says what becomes of changes. */
export async function prepareShell(context: ShellContext, task: Task | null): Promise<Fate> {
  const { space } = context;
  if (space.kind === "in-place") return { kind: "in-place" };
  if (task?.status === "awaiting_result") throw isOut(context, task);
  const cut = cutShort(context);
  if (cut !== null) {
    if (task !== null && task.id !== cut.id) throw isCutShort(context, cut);
    return { kind: "left", task: cut };
  }
  await captureActs(context);
  if (task !== null) await layWork(context, isFinished(task) ? [] : [task]);
  await space.freshGit({ branch: `stint/${context.holder.entry.slug}`, canPush: false });
  if (task !== null && !isFinished(task)) {
    const { tree } = await space.tip();
    rememberNow(context, task.id, (memory) => workBegun(memory, tree, "person"));
    return { kind: "counts", task };
  }
  const captured = await space.capture();
  if (captured.kind === "captured") return { kind: "put-back", tree: captured.tree };
  const { tree } = await space.tip();
  await layTree(context, tree);
  return { kind: "put-back", tree };
}

export async function runShell(
  context: ShellContext,
  command: readonly string[] | null,
  signal: AbortSignal,
): Promise<number> {
  const { space, isolation, runId, env, dir } = context;
  const [program = env["SHELL"] || "/bin/sh", ...args] = command ?? [];
  const isPlain = space.kind === "in-place";
  return await runInTerminal({
    command: {
      program,
      args,
      cwd: dir === "" ? space.at : `${space.at}/${dir}`,
      env: childEnvironment(env, { allow: isPlain ? undefined : context.allow, extra: {} }),
    },
    runId,
    isolation: isPlain ? { kind: "group", guarantees: "" } : isolation,
    view: isPlain ? PLAIN_VIEW : space.view,
    signal,
  });
}

/** @returns the paths that were changed: by now the task's, or put back */
export async function settleShell(context: ShellContext, fate: Fate): Promise<readonly string[]> {
  switch (fate.kind) {
    case "counts": {
      const before = workTree(context, fate.task);
      await captureActs(context);
      const after = workTree(context, fate.task);
      if (after === null) return [];
      const start = before ?? (await context.space.tip()).tree;
      return await pathsBetween(context, start, after);
    }
    case "put-back": {
      const captured = await context.space.capture();
      const touched = await layTree(context, fate.tree);
      return captured.kind === "captured"
        ? await pathsBetween(context, fate.tree, captured.tree)
        : touched;
    }
    case "left":
    case "in-place":
      return [];
    default:
      return fate satisfies never;
  }
}

/** What of a task no commit can hold as it lies there. */
export function uncommittableOf(context: ShellContext, task: Task): readonly string[] {
  const left = uncommittableIn(memoryOf(context, task.id));
  return (left?.problems ?? []).map(({ path, why, hint }) => `${path} ${why}. ${hint}`);
}

function workTree(context: ShellContext, { id }: Task): string | null {
  return memoryOf(context, id).work?.tree ?? null;
}

async function pathsBetween(
  { space }: ShellContext,
  before: string,
  after: string,
): Promise<readonly string[]> {
  if (before === after) return [];
  return (await space.changes(before, after)).map(({ path }) => path);
}

/** A session or an act that a killed run did not collect, or that left what no commit can hold. */
function cutShort(context: ShellContext): Task | null {
  const { tasks, counters } = context.holder.state;
  return (
    tasks.find((task) => {
      if (task.status === "in_progress") return true;
      if (isFinished(task)) return false;
      const memory = memoryOf(context, task.id);
      if (begunIn(memory)?.by === "act") return true;
      return uncommittableIn(memory)?.session === counters.sessions;
    }) ?? null
  );
}

/** What it made is not taken back yet, and would replace what a person does to it meanwhile. */
function isOut({ holder }: ShellContext, task: Extract<Task, { status: "awaiting_result" }>) {
  const { project_id } = holder.state;
  return new StintError(
    "refused",
    `${task.id} is delegated as ${task.dispatch_id}, and its result is not back yet`,
    `Let a run take it back first: stint resume ${project_id}`,
  );
}

function isCutShort({ holder }: ShellContext, { id }: Task): StintError {
  const { project_id } = holder.state;
  return new StintError(
    "refused",
    `what a session left of ${id} is in the workspace and is not captured yet; another task there would overwrite it`,
    `Look at it: stint shell ${id} ${project_id}; or let a run capture it first: stint resume ${project_id}`,
  );
}
