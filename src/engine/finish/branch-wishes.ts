// What a person wants done about a branch of theirs that verified work cannot follow by itself, from their
// answer until it is done; and a move of that work until everything that follows from it is recorded.
import type { QuestionId } from "../../core/ids.ts";
import { type Holder, keptPath, type Store } from "../../store/store.ts";
import type { FollowWish, Move } from "../../workspace/workspace.ts";
import type { RunContext } from "../base/run-context.ts";

export interface BranchWishes extends Pick<FollowWish, "conflicts" | "removed"> {
  /** Who said so. */
  readonly by: string | null;
  /** Whether a session resolves it at once, or the person does first. */
  readonly resolvedBy: "session" | "shell" | null;
  /** The branch as it was when they left the work on its own branch. */
  readonly left: string | null;
  /** What was said about why it waits. */
  readonly told: string | null;
  /** Answers that were carried out, the last of them. */
  readonly taken: readonly QuestionId[];
}

type Kept = Pick<RunContext, "holder" | "store">;

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

export function branchWishes({ holder, store }: Kept): BranchWishes {
  return { ...NONE, ...(read(holder, store, WISHES) as Partial<BranchWishes> | null) };
}

export function keepWishes(context: Kept, change: Partial<BranchWishes>): BranchWishes {
  const before = branchWishes(context);
  const taken = [...new Set([...before.taken, ...(change.taken ?? [])])].slice(-MOST_TAKEN);
  const after = { ...before, ...change, taken };
  if (JSON.stringify(after) !== JSON.stringify(before)) write(context.holder, WISHES, after);
  return after;
}

/** The branch is followed: what comes next is another question. */
export function forgetWishes(context: Kept): void {
  const { taken: _, ...none } = NONE;
  keepWishes(context, none);
}

/** Null where every move is recorded. */
export function unfinishedMove({ holder, store }: Kept): Move | null {
  return read(holder, store, MOVE) as Move | null;
}

/** Before anything moves, and null once all that follows from it is recorded. */
export function keepMove({ holder }: Pick<Kept, "holder">, move: Move | null): void {
  write(holder, MOVE, move);
}

function read(holder: Holder, store: Store, path: typeof WISHES): unknown {
  const bytes = store.kept(holder.state.project_id, path);
  return bytes === undefined ? null : JSON.parse(bytes.toString("utf8"));
}

function write(holder: Holder, path: typeof WISHES, value: unknown): void {
  holder.keep(path, `${JSON.stringify(value, null, 2)}\n`);
}
