// Two texts of one manifest: the person's file, and the text that Stint knows. The second is the first as
// it was last seen, with what Stint and its sessions added: boxes, notes. So what a person changed is the
// difference to what was seen, and what Stint changed is the difference from there to what is known.
// An event names both, so that no crash lies between them.
import { frontMatterOf } from "../../manifest/settings.ts";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import { pathInTree } from "../../core/files.ts";
import type { TaskId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Task } from "../../core/schema/task.ts";
import { withoutChunks } from "../../core/step/chunks.ts";
import { objectId } from "../../git/object-id.ts";
import { setMarks, setStepStatus } from "../../manifest/edit/edit-manifest.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import { matchTasks } from "../../manifest/edit/match-tasks.ts";
import { asKnown } from "../../manifest/edit/reconcile-manifest.ts";
import type { ManifestTask } from "../../manifest/manifest-document.ts";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import type { Plan, PlannedTask } from "../../manifest/plan.ts";
import type { Store } from "../../store/store.ts";
import type { Tip } from "../../workspace/workspace.ts";
import { fact } from "../base/fact.ts";
import type { Agents, RunContext } from "../base/run-context.ts";

/** What an event says about the texts, where they are others by then. */
export type Texts = Pick<ProjectEvent, "manifest_digest" | "manifest_seen">;

/** The project of a run, or of whoever only looks at it. */
export interface Known {
  readonly store: Store;
  readonly holder: { readonly state: ProjectState };
}

/** The same with the person's file: a run has it, and so has a verb that holds the lease. */
export interface ManifestPorts extends Pick<RunContext, "holder" | "store" | "checkout"> {
  readonly agents: Pick<Agents, "names">;
}

export function knownText({ store, holder }: Known): string {
  const { project_id, manifest } = holder.state;
  return store.manifestText(project_id, manifest.digest);
}

/** The person's text that was last taken into account. */
export function seenText({ store, holder }: Known): string {
  const { project_id, manifest } = holder.state;
  return store.manifestText(project_id, manifest.seen ?? manifest.digest);
}

/** Another text of the same manifest with what Stint changed in it. */
function withOurChanges(context: Known, known: Sha256, text: string): string {
  const { project_id, tasks } = context.holder.state;
  const ours = context.store.manifestText(project_id, known);
  const merged = mergeLines(seenText(context), text, ours);
  if (merged !== undefined) return merged;
  // Both changed the same lines: boxes can be told apart from everything else.
  const done = tasks.filter(({ status }) => status === "done").map(({ id }) => id);
  return withBoxes(text, tasks, done, true);
}

export interface WrittenTasks {
  readonly plan: Plan;
  readonly byId: ReadonlyMap<
    TaskId,
    { readonly planned: PlannedTask; readonly item: ManifestTask }
  >;
}

/** The text knows boxes, the state knows ids. */
export function writtenTasks(text: string, tasks: readonly Task[]): WrittenTasks {
  const document = parseManifest(text);
  const { plan } = normaliseManifest(document);
  const live = withoutChunks(tasks).filter((task) => task.status !== "superseded");
  const { knownOf } = matchTasks(live.map(asKnown), plan.tasks);
  const byId = new Map<TaskId, { planned: PlannedTask; item: ManifestTask }>();
  for (const [index, planned] of plan.tasks.entries()) {
    const task = live[knownOf[index] ?? -1];
    const item = document.tasks[index];
    if (task !== undefined && item !== undefined) byId.set(task.id, { planned, item });
  }
  return { plan, byId };
}

/** What the text that Stint knows says of this task; undefined for a chunk, which no manifest names. */
export function plannedTask(context: Known, id: TaskId): PlannedTask | undefined {
  return writtenTasks(knownText(context), context.holder.state.tasks).byId.get(id)?.planned;
}

/** The text with the boxes of these tasks set so; as it was where they already are. */
export function withBoxes(
  text: string,
  tasks: readonly Task[],
  ids: readonly TaskId[],
  checked: boolean,
): string {
  if (ids.length === 0) return text;
  const { byId } = writtenTasks(text, tasks);
  const items = ids.flatMap((id) => byId.get(id)?.item ?? []);
  const all = setMarks(text, items, checked);
  if (all.ok) return withStatus(all.text, items, checked);
  // One of them cannot be set without changing more than itself; the others can.
  let result = text;
  for (const item of items) {
    const edited = setMarks(result, [item], checked);
    if (edited.ok) result = edited.text;
  }
  return withStatus(result, items, checked);
}

/** Steps of a workflow say their status beside their box. Setting a box moves nothing, so `items` may be from before. */
function withStatus(text: string, items: readonly ManifestTask[], checked: boolean): string {
  const { workflow, iteration } = frontMatterOf(text);
  if (workflow === undefined && iteration === undefined) return text;
  return setStepStatus(text, items, checked ? "done" : "planned");
}

export interface Edit {
  /** The text as it was before. */
  readonly base: string;
  readonly text: string;
}

/** Boxes that the person left alone are as they are in the file by now: Stint may have set them. */
export function withSameBoxes(edit: Edit, disk: string, { tasks }: ProjectState): Edit {
  const boxes = (text: string) => writtenTasks(text, tasks).byId;
  const [before, after, now] = [boxes(edit.base), boxes(edit.text), boxes(disk)];
  const isChecked = (text: typeof now, id: TaskId) => text.get(id)?.item.box.checked;
  const leftAlone = tasks
    .map(({ id }) => id)
    .filter((id) => after.has(id) && isChecked(before, id) === isChecked(after, id));
  const set = leftAlone.filter((id) => isChecked(now, id) === true);
  const unset = leftAlone.filter((id) => isChecked(now, id) === false);
  const asNow = (text: string): string =>
    withBoxes(withBoxes(text, tasks, set, true), tasks, unset, false);
  return { base: asNow(edit.base), text: asNow(edit.text) };
}

/** In the text that Stint knows. @returns what the state is to know once this is recorded */
export function setBoxes(
  context: Pick<RunContext, "holder" | "store">,
  ids: readonly TaskId[],
  checked: boolean,
): Sha256 {
  const { holder } = context;
  return holder.keepManifest(withBoxes(knownText(context), holder.state.tasks, ids, checked));
}

/**
 * Boxes and notes, in the person's file; everything else in it stays byte for byte. `undone` are tasks whose
 * box this run, or one that was killed, may have set there already. What the person wrote since then stays a
 * difference, to be adopted at the next READ.
 * @returns what is to be recorded of it
 */
export function writeToPersonsFile(
  context: ManifestPorts,
  known: Sha256,
  undone: readonly TaskId[] = [],
): Texts {
  return rewrite(context, known, (disk) =>
    disk === undefined
      ? undefined
      : withBoxes(withOurChanges(context, known, disk), context.holder.state.tasks, undone, false),
  );
}

/**
 * In place a session writes into the person's own file: once it is settled, the file holds what is known.
 * @returns what is to be recorded of it; nothing where sessions have a copy of their own
 */
export function restoreInPlace(context: RunContext, known: Sha256): Texts {
  const { space, store, holder } = context;
  if (space.kind !== "in-place" || !isInTree(context)) return {};
  const text = store.manifestText(holder.state.project_id, known);
  return rewrite(context, known, () => text);
}

/** A person who saves at the very moment makes us look again; nobody saves that often. */
const TRIES = 10;

function rewrite(
  { checkout }: Pick<ManifestPorts, "checkout">,
  known: Sha256,
  wanted: (disk: string | undefined) => string | undefined,
): Texts {
  for (let tries = 0; tries < TRIES; tries++) {
    const disk = checkout.readManifest();
    const text = wanted(disk);
    if (text === undefined) return {};
    if (text === disk || checkout.writeManifest(disk, text)) return { manifest_seen: known };
  }
  return {};
}

/** While a session is at work in place, or was cut short, nobody can tell who wrote what. */
export function isSessionsFile({ space, holder }: Pick<RunContext, "space" | "holder">): boolean {
  const isAtWork = space.kind === "in-place" && holder.state.current_task_id !== null;
  return isAtWork && isInTree({ holder });
}

/** One outside of the repository is the person's alone: no session has a copy, and no commit holds it. */
export function isInTree({ holder }: Pick<RunContext, "holder">): boolean {
  return pathInTree(holder.entry.manifest) !== null;
}

/** What sessions noted, in a person's file that no commit holds: there nothing else would ever bring it. */
export async function writeNotes(context: RunContext): Promise<EventOf<"manifest-read"> | null> {
  const { manifest, current_task_id } = context.holder.state;
  if (current_task_id !== null || manifest.seen === undefined) return null;
  if (await isManifestTracked(context)) return null;
  const { manifest_seen } = writeToPersonsFile(context, manifest.digest);
  return manifest_seen === undefined
    ? null
    : { kind: "manifest-read", ...fact(context), manifest_seen };
}

type Space = Pick<RunContext, "space" | "holder" | "store">;

/** Whether commits hold it and its boxes reach the person by delivery. */
export async function isManifestTracked(context: Space): Promise<boolean> {
  const { space } = context;
  return space.kind !== "in-place" && (await manifestIn(context, await space.tip())) !== null;
}

/** Its text as the tip holds it, null where none does; mostly the one that is known. */
export async function manifestIn(context: Space, { tree, commit }: Tip): Promise<string | null> {
  const { space, holder } = context;
  const { manifest } = holder.entry;
  if (commit === null || pathInTree(manifest) === null) return null;
  const there = (await space.entries(tree, [manifest])).get(manifest);
  if (there === undefined) return null;
  const known = knownText(context);
  if (objectId("blob", Buffer.from(known), there.oid.length) === there.oid) return known;
  return (await space.texts(tree, [manifest])).get(manifest) ?? null;
}

/** The manifest in the last commit and in the one that is to come; null where none holds it. */
export interface CommittedManifest {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * With the boxes that are set by then, and with nothing that only the person's file holds. `done` are the tasks of
 * the commit: in place the person's file may have their boxes since a commit that was refused.
 */
export async function committedManifest(
  context: Space,
  tip: Tip,
  { known, done }: { readonly known: Sha256; readonly done: readonly TaskId[] },
): Promise<CommittedManifest> {
  const before = await manifestIn(context, tip);
  if (before === null) return { before, after: null };
  const ours = withOurChanges(context, known, before);
  return { before, after: withBoxes(ours, context.holder.state.tasks, done, true) };
}
