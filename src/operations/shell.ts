// `shell`: a person's own shell, or one command, in the workspace of a project, as its sessions find it.
// Needs the lease: a run and a person at work in one folder would take each other's changes for their own.
import { fewOf } from "../core/words/amounts.ts";
import { parseProjectId } from "../core/ids.ts";
import type { Task } from "../core/schema/task.ts";
import { shellWord } from "../core/written/commands.ts";
import {
  type Fate,
  openShell,
  prepareShell,
  runShell,
  settleShell,
  type ShellContext,
  uncommittableOf,
} from "../engine/run/shell.ts";
import { removeWhenOver } from "../engine/finish/retry-delivery.ts";
import type { Holder } from "../store/store.ts";
import { assertPerson, type System } from "./system.ts";
import { namedTask } from "./answers/named-item.ts";
import { resolveProject } from "./resolve-project.ts";
import { configToFollow, noticesTo, runSurroundings } from "./run/run-surroundings.ts";
import { underLease } from "./run/lease.ts";

export interface ShellInput {
  /** A task; or a project, where it is an id and the only word. */
  readonly task?: string | undefined;
  readonly project?: string | undefined;
  /** Null: an interactive shell. */
  readonly command: readonly string[] | null;
  readonly tell: (text: string) => void;
}

/** How often the lease is looked at while the shell is open. */
const LOOK_MS = 1_000;

/** @returns the exit code of the command; 0 of a shell */
export async function shell(system: System, input: ShellInput): Promise<number> {
  assertPerson(system, "a shell in the workspace");
  const named = whichOf(input);
  const id = await resolveProject(system, named.project);
  const again = ["stint shell", ...(named.task === undefined ? [] : [shellWord(named.task)]), id];
  const first = `Let it finish its session and pause: stint pause ${id}; when the run has ended (stint status ${id}): ${again.join(" ")}`;
  return await underLease(system, id, first, async (holder, kept) => {
    const ending = new AbortController();
    const endLooks = system.host.every(LOOK_MS, () => {
      if (kept.loss() !== null) ending.abort();
    });
    try {
      const task = named.task === undefined ? null : namedTask(holder.state, named.task);
      const context = await openFor(system, input, holder);
      const fate = await prepareShell(context, task);
      for (const line of openingLines(context, fate)) input.tell(line);
      const code = await runShell(context, input.command, ending.signal);
      const changed = kept.loss() === null ? await settleShell(context, fate) : [];
      for (const line of closingLines(context, fate, changed)) input.tell(line);
      await removeWhenOver({ ...context, host: system.host, tell: noticesTo(input.tell) });
      return input.command === null ? 0 : code;
    } finally {
      endLooks();
    }
  });
}

/** Tasks have other ids: an id of a project alone names the project. */
function whichOf({ task, project }: ShellInput): Pick<ShellInput, "task" | "project"> {
  const isProject = project === undefined && parseProjectId(task ?? "") !== undefined;
  return isProject ? { project: task } : { task, project };
}

async function openFor(system: System, input: ShellInput, holder: Holder): Promise<ShellContext> {
  const config = await configToFollow(system, { tell: noticesTo(input.tell) }, holder);
  const { chosen, agents, space } = runSurroundings(system, { resumes: true }, holder, config);
  return await openShell({
    ...system,
    ...chosen,
    holder,
    allow: config.env?.allow,
    agents,
    choice: space,
    tell: input.tell,
  });
}

function openingLines({ space, holder, isolation }: ShellContext, fate: Fate): string[] {
  const { root, project_id } = holder.entry;
  if (fate.kind === "in-place")
    return [`${root}: this project works in place; what you change is yours.`];
  const where =
    space.at === space.folder
      ? `You are in the workspace of ${project_id}, at its own path ${space.folder}`
      : `You are in the workspace of ${project_id}, shown at ${space.at} (it is in ${space.folder})`;
  const unhidden =
    isolation.kind === "group" ? "; nothing hides the checkout or Stint's state here" : "";
  return [`${where}. Your checkout is not touched${unhidden}.`, fateLine(fate, project_id)];
}

function fateLine(fate: Exclude<Fate, { kind: "in-place" }>, id: string): string {
  switch (fate.kind) {
    case "counts":
      return `Your changes count as work on ${nameOf(fate.task)}: its next attempt continues from them.`;
    case "left":
      return `A session left ${nameOf(fate.task)} here as it is; the next run collects your changes together with it.`;
    case "put-back":
      return `Your changes are discarded when you leave. To keep them, name a task that is not done: stint shell <task> ${id}`;
    default:
      return fate satisfies never;
  }
}

function closingLines(context: ShellContext, fate: Fate, changed: readonly string[]): string[] {
  if (fate.kind === "counts") {
    const problems = uncommittableOf(context, fate.task);
    if (problems.length > 0)
      return problems.map((text) => `This cannot be committed as it is: ${text}`);
  }
  if (changed.length === 0 || fate.kind === "left" || fate.kind === "in-place") return [];
  const paths = fewOf(changed);
  return fate.kind === "counts"
    ? [`Kept for the next attempt of ${nameOf(fate.task)}: ${paths}`]
    : [`Thrown away: ${paths}`];
}

function nameOf({ id, title }: Task): string {
  return `${id} "${title}"`;
}
