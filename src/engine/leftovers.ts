// What an unfinished task left in the work tree while another one is worked on: put aside before the
// other one starts, so that it is neither judged with it nor committed with it, and put back before the
// task's own next attempt. Each act is safe to repeat; what was done is remembered after it.
import { fewOf } from "../core/few-of.ts";
import type { Task } from "../core/schema/task.ts";
import { ownAttempts } from "../core/task-moves.ts";
import { hasActed, measureAct } from "./logistics.ts";
import { isAboutWork } from "./output-subject.ts";
import type { RunContext } from "./run-context.ts";
import { keepTaskFacts, type TaskFacts, taskFacts } from "./task-facts.ts";
import type { Piece } from "./work-tree.ts";

/** Before a task starts: what others left goes, what it left itself comes back. */
export async function makeRoomFor(context: RunContext, task: Task): Promise<void> {
  const { tasks } = context.holder.state;
  for (const each of tasks) {
    // oxlint-disable-next-line no-await-in-loop
    if (isUnfinished(context, each)) await measureAct(context, each);
  }
  const its = pathsThere(context, task);
  for (const other of tasks) {
    // oxlint-disable-next-line no-await-in-loop
    if (other.id !== task.id && isLeft(context, other)) await putAside(context, other, its);
  }
  await putBack(context, task);
}

/** Before their session starts, and not before: by what these left, no other task is found done. */
export async function makeRoomForFollowers(
  context: RunContext,
  followers: readonly Task[],
): Promise<void> {
  for (const task of followers) {
    // oxlint-disable-next-line no-await-in-loop
    await putBack(context, task);
  }
}

/** What a task left and was not put aside: it lies there, and stays. */
function pathsThere(context: RunContext, task: Task): ReadonlySet<string> {
  const { holder, store } = context;
  const facts = taskFacts(store, holder.state.project_id, task.id);
  return new Set(isAside(facts, task) || !hasWorked(context, task) ? [] : facts.own);
}

/** Once for each attempt: what came later is another task's or a person's. */
function isAside({ parked, returning }: TaskFacts, { attempts }: Task): boolean {
  return parked === attempts && returning !== true;
}

function isLeft(context: RunContext, task: Task): boolean {
  return isUnfinished(context, task) && hasWorked(context, task);
}

function isUnfinished({ holder }: RunContext, task: Task): boolean {
  switch (task.status) {
    case "pending":
    case "blocked":
    case "skipped":
      return true;
    case "superseded":
      return task.completion === undefined;
    case "awaiting_approval":
      // What a person is asked about the work stays where they look at it.
      return !holder.state.approval_items.some(
        (item) => item.status === "open" && item.task_id === task.id && isAboutWork(item),
      );
    case "in_progress":
    case "validating":
    case "awaiting_result":
    case "done":
      return false;
    default:
      return task satisfies never;
  }
}

function hasWorked(context: RunContext, task: Task): boolean {
  return ownAttempts(task) > 0 || hasActed(context, task);
}

/** What a task may have left, each part with what was there before. */
function leftPieces(
  { first, own, unseen = [], later = [] }: TaskFacts,
  isMeant: (path: string) => boolean,
): readonly Piece[] {
  if (first === null) return [];
  if (own === undefined) return [{ start: first }];
  // What is out of git's sight and still there was never the task's to take along.
  const meant = own.filter((path) => isMeant(path) && !unseen.includes(path));
  const others = new Set(later.flatMap(({ paths }) => paths));
  const pieces = [
    { start: first, only: meant.filter((path) => !others.has(path)) },
    ...later.map(({ start, paths }) => ({
      start,
      only: paths.filter((each) => meant.includes(each)),
    })),
  ];
  return pieces.filter(({ only }) => only.length > 0);
}

async function putAside(context: RunContext, task: Task, its: ReadonlySet<string>): Promise<void> {
  const { holder, store, tree } = context;
  const id = holder.state.project_id;
  const facts = taskFacts(store, id, task.id);
  if (isAside(facts, task)) return;
  let ref: string | null = null;
  for (const { start, only } of leftPieces(facts, (path) => !its.has(path))) {
    // oxlint-disable-next-line no-await-in-loop
    ref = (await tree.park(start, task.id, task.attempts, only)) ?? ref;
  }
  const { returning: _, ...rest } = facts;
  keepTaskFacts(holder, task.id, { ...rest, parked: task.attempts });
  if (ref !== null)
    context.tell({ kind: "notice", text: `what ${task.id} left is kept at ${ref}` });
}

async function putBack(context: RunContext, task: Task): Promise<void> {
  const { holder, store, tree } = context;
  const known = taskFacts(store, holder.state.project_id, task.id);
  const { parked, returning: _, ...facts } = known;
  if (parked !== task.attempts || !hasWorked(context, task)) return;
  // Killed in the middle, some of it lies there: it is put aside again before another task starts.
  keepTaskFacts(holder, task.id, { ...known, returning: true });
  const backs: NonNullable<Awaited<ReturnType<typeof tree.putBack>>>[] = [];
  for (const { start, only } of leftPieces(facts, () => true)) {
    // oxlint-disable-next-line no-await-in-loop
    const back = await tree.putBack(start, task.id, parked, only);
    if (back !== null) backs.push(back);
  }
  const ref = backs[0]?.ref;
  if (ref === undefined) return keepTaskFacts(holder, task.id, facts);
  const paths = backs.flatMap((back) => back.paths);
  const left = backs.flatMap((back) => back.left);
  const own = facts.own?.filter((path) => !left.includes(path));
  keepTaskFacts(holder, task.id, {
    ...facts,
    ...(own === undefined ? {} : { own }),
    ...(left.length === 0 ? {} : { elsewhere: { ref, paths: left } }),
  });
  const text = [
    ...(paths.length === 0 ? [] : [`what ${task.id} left is put back: ${fewOf(paths)}`]),
    ...(left.length === 0
      ? []
      : [`changed since by others, and kept at ${ref} as ${task.id} left it: ${fewOf(left)}`]),
  ];
  for (const line of text) context.tell({ kind: "notice", text: line });
}
