// A person's text of the manifest against the one that is known: nothing new, a text that cannot run, or a plan
// to adopt whole: which tasks came, went, moved or changed, and which boxes the person set.
import {
  type ReconcileInput,
  type Reconciliation,
  changedParts,
  type ManifestChange,
  type ManifestCommand,
} from "./reconciliation.ts";
import { runText } from "../../core/acts.ts";
import { delegatedCommands } from "../../core/delegation.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Task, TaskIntent } from "../../core/schema/task.ts";
import { withoutChunks } from "../../core/step/chunks.ts";
import type { ManifestDocument, TaskKey } from "../manifest-document.ts";
import { assignIds, matchTasks, type KnownTask, type TaskMatch } from "./match-tasks.ts";
import { normaliseManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";
import { toIntents, type PlannedTask } from "../plan.ts";
import { isError } from "../problem.ts";

export function reconcileManifest(input: ReconcileInput): Reconciliation {
  if (input.disk === input.known) return { kind: "unchanged" };
  const document = parseManifest(input.disk);
  const { plan, problems } = normaliseManifest(document);
  if (problems.some(isError)) return { kind: "invalid", problems };
  // Tasks once removed stand last: a text that comes back finds its old id, if no live task fits.
  const named = withoutChunks(input.tasks).map((task) => asWritten(task, input.tasks));
  const tasks = [
    ...named.filter((task) => task.status !== "superseded"),
    ...named.filter((task) => task.status === "superseded"),
  ];
  const match = matchLiveFirst(tasks, plan.tasks);
  const known = tasks.map(asKnown);
  const ids = assignIds(known, plan.tasks, input.nextTaskNumber, match);
  const intents = toIntents(plan.tasks, ids);
  const knownDocument = parseManifest(input.known);
  const before = tasksIn(knownDocument, tasks);
  return {
    kind: "adopted",
    plan,
    intents,
    changes: [
      ...partChanges(knownDocument, document),
      ...removals(tasks, match),
      ...plan.tasks.flatMap((planned, index) => {
        const intent = intents[index];
        const task = tasks[match.knownOf[index] ?? -1];
        return intent === undefined
          ? []
          : taskChanges(planned, intent, task, before.get(intent.id));
      }),
      ...reordering(tasks, match),
    ],
  };
}

/** What a task comes after, as the manifest says it: that it comes after its chunks stands in no text. */
function asWritten(task: Task, tasks: readonly Task[]): Task {
  if (task.after === undefined || task.split_after === undefined) return task;
  const chunks = new Set(tasks.filter(({ chunk_of }) => chunk_of === task.id).map(({ id }) => id));
  return { ...task, after: task.after.filter((id) => !chunks.has(id)) };
}

/** Superseded tasks are matched only with what no live task explains, and only by id or text. */
function matchLiveFirst(tasks: readonly Task[], written: readonly PlannedTask[]): TaskMatch {
  const known = tasks.map(asKnown);
  const liveCount = tasks.filter((task) => task.status !== "superseded").length;
  const live = matchTasks(known.slice(0, liveCount), written);
  const knownOf = [...live.knownOf];
  const retired = new Map<string, number[]>();
  for (let index = liveCount; index < known.length; index++) {
    const task = known[index];
    if (task === undefined) continue;
    for (const key of [`id ${task.id}`, `title ${task.title}`]) {
      retired.set(key, [...(retired.get(key) ?? []), index]);
    }
  }
  const used = new Set<number>();
  for (const [index, task] of written.entries()) {
    if (knownOf[index] !== undefined || retired.size === 0) continue;
    const candidates = retired.get(
      task.explicitId === undefined ? `title ${task.title}` : `id ${task.explicitId}`,
    );
    const found = candidates?.find((candidate) => !used.has(candidate));
    if (found === undefined) continue;
    used.add(found);
    knownOf[index] = found;
  }
  return { knownOf, removed: live.removed };
}

export function asKnown(task: Task): KnownTask & { readonly id: TaskId } {
  return {
    id: task.id,
    name: task.name,
    title: task.title,
    isSettled: task.status === "done" || task.status === "skipped",
  };
}

/** The tasks as they stand in a text that state's tasks were read from. */
function tasksIn(
  document: ManifestDocument,
  tasks: readonly Task[],
): ReadonlyMap<TaskId, PlannedTask> {
  const { plan } = normaliseManifest(document);
  const { knownOf } = matchLiveFirst(tasks, plan.tasks);
  const found = new Map<TaskId, PlannedTask>();
  for (const [index, planned] of plan.tasks.entries()) {
    const task = tasks[knownOf[index] ?? -1];
    if (task !== undefined) found.set(task.id, planned);
  }
  return found;
}

function isCheckedIn(planned: PlannedTask | undefined): boolean {
  return planned?.box.checked === true;
}

function partChanges(before: ManifestDocument, after: ManifestDocument): ManifestChange[] {
  return changedParts(before, after)
    .filter((part) => part !== "Steps" && part !== "white space")
    .map((part) => ({ kind: "rewritten", part }));
}

function removals(tasks: readonly Task[], match: TaskMatch): ManifestChange[] {
  return match.removed.flatMap((index) => {
    const task = tasks[index];
    return task === undefined ? [] : [{ kind: "removed", id: task.id, title: task.title } as const];
  });
}

function taskChanges(
  planned: PlannedTask,
  intent: TaskIntent,
  task: Task | undefined,
  before: PlannedTask | undefined,
): ManifestChange[] {
  const { id } = intent;
  const needsCheck = planned.checks.length > 0;
  const isChecked = planned.box.checked;
  if (task === undefined) {
    const added: ManifestChange = { kind: "added", id, title: planned.title };
    return isChecked ? [added, { kind: "checked", id, needsCheck }] : [added];
  }
  const changes: ManifestChange[] = [];
  if (task.status === "superseded") changes.push({ kind: "returned", id, title: planned.title });
  if (task.title !== intent.title) {
    changes.push({ kind: "reworded", id, from: task.title, to: intent.title });
  }
  const keys = changedKeys(task, intent);
  if (keys.length > 0) changes.push({ kind: "rekeyed", id, keys });
  if (before !== undefined && isDetailed(before, planned, keys.length > 0)) {
    changes.push({ kind: "detailed", id });
  }
  if (task.status === "done") {
    // Unchecked now as before is a flip that Stint still owes, not a person's word.
    if (!isChecked && isCheckedIn(before)) changes.push({ kind: "reopened", id });
  } else if (isChecked && (!isCheckedIn(before) || task.status === "superseded")) {
    changes.push({ kind: "checked", id, needsCheck });
  }
  return changes;
}

/** Where keys changed too, the sub-steps alone tell whether something else did. */
function isDetailed(before: PlannedTask, now: PlannedTask, isRekeyed: boolean): boolean {
  const listed = ({ substeps }: PlannedTask): string =>
    JSON.stringify(substeps.map(({ text, depth }) => [text, depth]));
  if (listed(before) !== listed(now)) return true;
  return !isRekeyed && before.details !== now.details;
}

const KEY_FIELDS: readonly (readonly [TaskKey, keyof TaskIntent])[] = [
  ["check", "checks"],
  ["approve", "approve"],
  ["run", "run"],
  ["webhook", "webhook"],
  ["after", "after"],
  ["agent", "agent"],
  ["timeout", "timeout_ms"],
  ["delegate", "delegate"],
  ["returns", "returns"],
  ["look", "look_ms"],
  ["deadline", "deadline_ms"],
  ["docs-only", "docs_only"],
  ["exclusive", "exclusive"],
  ["ignored", "ignored"],
  ["strict", "strict"],
  ["limit", "limit"],
  ["dir", "dir"],
  ["in", "in"],
  ["protect", "protect"],
  ["child", "child"],
];

function changedKeys(before: TaskIntent, now: TaskIntent): (TaskKey | "name")[] {
  const keys: (TaskKey | "name")[] = KEY_FIELDS.filter(
    ([, field]) => comparableValue(before[field]) !== comparableValue(now[field]),
  ).map(([key]) => key);
  // A derived name follows its title, which is reported as reworded.
  return before.name !== now.name && before.title === now.title ? ["name", ...keys] : keys;
}

function comparableValue(value: unknown): string {
  // Dependencies are a set; moving a task may list them in another order.
  const isSet = Array.isArray(value) && value.every((one) => typeof one === "string");
  return JSON.stringify(isSet ? value.toSorted() : sortedFields(value)) ?? "";
}

function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function reordering(tasks: readonly Task[], match: TaskMatch): ManifestChange[] {
  const liveCount = tasks.filter((task) => task.status !== "superseded").length;
  const order = match.knownOf.filter((index) => index !== undefined && index < liveCount);
  const isInOrder = order.every((index, at) => at === 0 || (order[at - 1] ?? -1) < (index ?? -1));
  if (isInOrder) return [];
  return [{ kind: "reordered", order: order.flatMap((index) => tasks[index ?? -1]?.id ?? []) }];
}

/** Everything the manifest makes Stint execute or call, in document order. */
export function commandsOf(intents: readonly TaskIntent[]): ManifestCommand[] {
  return intents.flatMap(({ checks = [], webhook, ...intent }) => {
    const run = runText(intent);
    return [
      ...checks.flatMap((check) =>
        check.kind === "command" ? [{ key: "check" as const, command: check.command }] : [],
      ),
      ...(run === undefined ? [] : [{ key: "run" as const, command: run }]),
      // Beside a run it is never called, so nobody is asked about it.
      ...(webhook === undefined || run !== undefined
        ? []
        : [{ key: "webhook" as const, command: webhook }]),
      ...delegatedCommands(intent).map((command) => ({ key: "delegate" as const, command })),
    ];
  });
}
