// What a person is asked where verified work cannot follow their branch by itself, with both sides named,
// and what they want, from their answer until it is done. A question says in its `about` what exactly it is
// about, so that the same is not asked twice and an answer is known again.
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { Question } from "../../core/schema/items.ts";
import {
  branchMove,
  type BranchWishes,
  branchWishes as wishesSchema,
} from "../../core/schema/run-records.ts";
import type { Task } from "../../core/schema/task.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { keptPath } from "../../store/store.ts";
import type { Followed, Held, HeldBack, Move, NamedCommit } from "../../workspace/workspace.ts";
import { fact } from "../base/fact.ts";
import { keepRecord, readKept } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";

export type HeldUp = Extract<Followed, { kind: "conflict" | "removed" }>;

const BRANCH = "branch ";
const OUTPUT = "output ";
const SHORT = 10;

/** The open question about the person's branch, and the commit that the branch was at. */
export function openQuestion({
  holder,
}: Pick<RunContext, "holder">): { readonly item: Question; readonly onto: string } | null {
  const item = holder.state.questions.find(
    ({ status, about }) => status === "open" && about?.startsWith(BRANCH) === true,
  );
  return item === undefined ? null : { item, onto: item.about?.split(" ").at(-1) ?? "" };
}

export function withdrawn(
  context: RunContext,
  { id: question_id }: Question,
  reason: string,
): ProjectEvent {
  return { kind: "question-withdrawn", ...fact(context), question_id, reason };
}

export function askAboutBranch(context: RunContext, found: HeldUp): ProjectEvent {
  const { tasks } = context.holder.state;
  const named = new Set(found.held.flatMap((each) => each.tasks));
  const task = tasks.find(({ id, status }) => named.has(id) && status !== "superseded");
  const isConflict = found.kind === "conflict";
  return {
    kind: "question-asked",
    ...fact(context),
    question: {
      ...(task === undefined ? {} : { task_id: task.id }),
      about: `${BRANCH}${found.kind} ${found.onto}`,
      choices: isConflict ? ["session", "shell", "leave"] : ["bring", "redo", "leave"],
      text: isConflict ? conflictText(context, found.held) : removedText(context, found.held),
    },
  };
}

function conflictText(context: RunContext, held: readonly HeldBack[]): string {
  const { branch, own } = namesOf(context);
  const both = held.map(({ tasks, id, paths, theirs }) => {
    const by = theirs.length === 0 ? "" : ` (yours: ${theirs.map(commitName).join(", ")})`;
    return `${fewOf(paths)}, changed by ${workOf(context, tasks, id)} and on ${branch}${by}`;
  });
  const shell = `stint shell ${held[0]?.tasks[0] ?? ""} ${context.holder.state.project_id}`;
  return [
    `verified work and ${branch} changed the same: ${both.join("; ")}.`,
    `Answer session: a session combines both sides and its checks run again;`,
    `shell: you do it yourself, in: ${shell};`,
    `leave: the work stays on ${own} until ${branch} moves again`,
  ].join(" ");
}

function removedText(context: RunContext, held: readonly HeldBack[]): string {
  const { branch, own } = namesOf(context);
  const what = held.map(({ tasks, id }) => workOf(context, tasks, id)).join("; ");
  return [
    `${branch} no longer contains what was delivered to it: ${what}.`,
    `Answer bring: it is brought back;`,
    `redo: it is done again from ${branch} as it is now;`,
    `leave: it stays only on ${own} until ${branch} moves again`,
  ].join(" ");
}

/** For a project that is done, where nobody is asked any more. */
export function inTheWayOf(context: RunContext, found: HeldUp): Held {
  const { branch, own } = namesOf(context);
  const task = found.held.flatMap(({ tasks }) => tasks)[0];
  const again =
    task === undefined
      ? ""
      : `; or do it again: stint reopen ${task} ${context.holder.state.project_id} --reason "your branch changed"`;
  const what = found.held.map(({ tasks, id, paths }) => {
    const work = workOf(context, tasks, id);
    return paths.length === 0 ? work : `${fewOf(paths)}, changed by ${work}`;
  });
  const isConflict = found.kind === "conflict";
  return {
    held_by: "obstacle",
    why: isConflict
      ? `${branch} changed the same since: ${what.join("; ")}`
      : `${branch} no longer contains what was delivered to it: ${what.join("; ")}`,
    hint: `${isConflict ? "Combine both" : "Bring it back"}: git merge ${own}${again}`,
  };
}

function namesOf({ space, holder }: RunContext): { readonly branch: string; readonly own: string } {
  return { branch: space.deliversTo() ?? "your branch", own: `stint/${holder.entry.slug}` };
}

function workOf({ holder }: RunContext, ids: readonly string[], commit: string): string {
  const tasks = ids.map((id) => {
    const title = holder.state.tasks.find((task) => task.id === id)?.title;
    return title === undefined ? id : `${id} "${title}"`;
  });
  const short = commit.slice(0, SHORT);
  return tasks.length === 0 ? short : `${tasks.join(", ")} (${short})`;
}

function commitName({ id, subject }: NamedCommit): string {
  return `${id.slice(0, SHORT)} "${subject}"`;
}

type Answered = Extract<Question, { status: "answered" }>;

/** What a person answered to questions of a kind, and was not carried out yet. */
function untaken(context: RunContext, kind: typeof BRANCH | typeof OUTPUT): readonly Answered[] {
  const { taken } = branchWishes(context);
  return context.holder.state.questions.flatMap((item) =>
    item.status === "answered" && item.about?.startsWith(kind) === true && !taken.includes(item.id)
      ? [item]
      : [],
  );
}

/** What a person answered since, remembered as what they want; each answer counts once. */
export function takeBranchAnswer(context: RunContext): BranchWishes {
  const answer = untaken(context, BRANCH).at(-1);
  if (answer === undefined) return branchWishes(context);
  const word = answer.answer.trim();
  const left = word === "leave" ? (answer.about?.split(" ").at(-1) ?? null) : null;
  return keepWishes(context, { by: answer.by, left, ...ANSWERS[word], taken: [answer.id] });
}

const ANSWERS: Readonly<Record<string, Partial<BranchWishes>>> = {
  session: { conflicts: "leave", resolvedBy: "session" },
  shell: { conflicts: "leave", resolvedBy: "shell" },
  bring: { removed: "bring" },
  redo: { removed: "leave", resolvedBy: "session" },
};

/** A yes was given to other lines than these. Null where it was asked before. */
export function askAboutOutput(
  context: RunContext,
  task: Task,
  commit: string,
): EventOf<"question-asked"> | null {
  const { questions, project_id } = context.holder.state;
  const about = `${OUTPUT}${commit}`;
  if (questions.some((item) => item.about === about && item.task_id === task.id)) return null;
  const { branch } = namesOf(context);
  const text = [
    `the output of ${task.id} "${task.title}", which you approved, changes other lines since ${branch} moved:`,
    `git show ${commit.slice(0, SHORT)}. Answer yes if it is right;`,
    `with any other answer ${task.id} is done again, and its session gets your words (${project_id})`,
  ].join(" ");
  return {
    kind: "question-asked",
    ...fact(context),
    question: { task_id: task.id, about, text },
  };
}

/** The next answer about an output that was not carried out yet. */
export function nextOutputAnswer(context: RunContext): Answered | undefined {
  return untaken(context, OUTPUT)[0];
}

const WISHES = keptPath("artifacts", "branch.json");
const MOVE = keptPath("artifacts", "branch-move.json");
const MOST_TAKEN = 50;

const NONE: BranchWishes = {
  conflicts: "ask",
  removed: "ask",
  by: null,
  resolvedBy: null,
  left: null,
  told: null,
  taken: [],
};

export function branchWishes(context: RunContext): BranchWishes {
  return readKept(context, WISHES, wishesSchema) ?? NONE;
}

export function keepWishes(context: RunContext, change: Partial<BranchWishes>): BranchWishes {
  const before = branchWishes(context);
  const taken = [...new Set([...before.taken, ...(change.taken ?? [])])].slice(-MOST_TAKEN);
  const after = { ...before, ...change, taken };
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  if (!isSame) keepRecord(context, WISHES, after);
  return after;
}

/** The branch is followed: what comes next is another question. */
export function forgetWishes(context: RunContext): void {
  keepWishes(context, NONE);
}

/** A move of verified work until everything that follows from it is recorded; null where all of it is. */
export function unfinishedMove(context: RunContext): Move | null {
  return readKept(context, MOVE, branchMove) ?? null;
}

/** Before anything moves, and null once all that follows from it is recorded. */
export function keepMove(context: RunContext, move: Move | null): void {
  keepRecord(context, MOVE, move);
}
