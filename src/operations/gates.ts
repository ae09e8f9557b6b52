// What of a project a person is asked about, and when. The start of a task is known before anything runs, so a yes to it
// can be given ahead; what is about work that is not there yet cannot.
import type { ApprovalRequest } from "../core/events.ts";
import { isFinished } from "../core/eligibility.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Task } from "../core/schema/task.ts";
import { needsReview } from "../core/step/task-moves.ts";
import { StintError } from "../core/stint-error.ts";
import type { RunSettings } from "../engine/base/run-context.ts";
import { textsIn } from "../engine/base/tree-files.ts";
import { isPushAsked } from "../engine/finish/push.ts";
import { startApproval, type StartGate, startGate } from "../engine/people/consent.ts";
import { whereWorkGoesFrom } from "../engine/run/announce-work.ts";
import { findRepository } from "../store/repository.ts";
import type { RegistryEntry } from "../store/store.ts";
import { checkoutOf } from "./manifest-file.ts";
import { readConfig } from "./run/read-config.ts";
import type { ChosenSettings } from "./run/run-settings.ts";
import { runSurroundings } from "./run/run-surroundings.ts";
import { nowOf, type System } from "./system.ts";

/** Null where none is in the way, or the person has said yes. */
export type GateOf = (task: Task) => StartGate | null;

export function gatesIn(entry: RegistryEntry, { dir, settings }: ChosenSettings): GateOf {
  const scripts = {
    dirOf: (task: Task): string => task.dir ?? dir,
    trees: [textsIn(checkoutOf(entry))],
  };
  return (task) => startGate(task, settings.release, scripts);
}

/** Tasks whose start may be allowed now: one that was denied, or is blocked for another reason, waits for a retry. */
export function startsToApprove(tasks: readonly Task[], gateOf: GateOf): readonly Task[] {
  return tasks.filter(
    (task) =>
      (task.status === "pending" || task.status === "awaiting_approval") && gateOf(task) !== null,
  );
}

/** What is asked about all the same, each in words. */
export function askedLater(
  tasks: readonly Task[],
  { deliver, asksToPush }: Pick<RunSettings, "deliver"> & { readonly asksToPush: boolean },
): string[] {
  return [
    ...tasks
      .filter((task) => !isFinished(task) && needsReview(task))
      .map(({ id }) => `the output of ${id}, before it is done`),
    ...(deliver === "ask" ? ["the delivery into your branch, at the end"] : []),
    ...(asksToPush ? ["the push, at the end"] : []),
  ];
}

/** What leads nowhere is not asked about. */
export async function asksToPushFrom(
  { store }: System,
  entry: RegistryEntry,
  { workspace, settings }: Pick<ChosenSettings, "workspace" | "settings">,
): Promise<boolean> {
  const { root } = entry;
  if (findRepository(root).gitFolder === null) return false;
  const { deliver, push } = settings;
  const { pushed } = await whereWorkGoesFrom(store, entry, { kind: workspace.kind, deliver });
  return await isPushAsked(root, push, pushed);
}

export interface AheadOf {
  readonly gates: readonly ApprovalRequest[];
  readonly later: readonly string[];
}

/** Every start that asks for a yes, as it would be asked about. @throws refused where there is none */
export async function gatesAhead(system: System, state: ProjectState): Promise<AheadOf> {
  const { project_id: id } = state;
  const { entry } = system.store.read(id);
  const config = await readConfig(entry.root);
  const { chosen } = runSurroundings(system, { resumes: true }, { entry, state }, config);
  const gateOf = gatesIn(entry, chosen);
  const asking = { at: nowOf(system), by: system.user };
  const asksToPush = await asksToPushFrom(system, entry, chosen);
  const later = askedLater(state.tasks, { deliver: chosen.settings.deliver, asksToPush });
  const gates = startsToApprove(state.tasks, gateOf).flatMap((task) => {
    const gate = gateOf(task);
    return gate === null ? [] : [startApproval(task, gate, asking).approval];
  });
  if (gates.length > 0) return { gates, later };
  throw new StintError(
    "refused",
    `${id}: no task asks for a yes before it starts; there is nothing to approve ahead`,
    later.length === 0
      ? `See what would be done: stint plan ${id}`
      : `You are asked when it is there: ${later.join("; ")}`,
  );
}
