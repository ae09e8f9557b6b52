// What a person wants done about a branch of theirs that verified work cannot follow by itself, from their
// answer until it is done; and a move of that work until everything that follows from it is recorded.
import {
  branchMove,
  type BranchWishes,
  branchWishes as wishesSchema,
} from "../../core/schema/run-records.ts";
import { keptPath } from "../../store/store.ts";
import type { Move } from "../../workspace/workspace.ts";
import { keepRecord, readKept } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";

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
  return readKept(store, holder.state.project_id, WISHES, wishesSchema) ?? NONE;
}

export function keepWishes(context: Kept, change: Partial<BranchWishes>): BranchWishes {
  const before = branchWishes(context);
  const taken = [...new Set([...before.taken, ...(change.taken ?? [])])].slice(-MOST_TAKEN);
  const after = { ...before, ...change, taken };
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  if (!isSame) keepRecord(context.holder, context.store, WISHES, after);
  return after;
}

/** The branch is followed: what comes next is another question. */
export function forgetWishes(context: Kept): void {
  const { taken: _, ...none } = NONE;
  keepWishes(context, none);
}

/** Null where every move is recorded. */
export function unfinishedMove({ holder, store }: Kept): Move | null {
  return readKept(store, holder.state.project_id, MOVE, branchMove) ?? null;
}

/** Before anything moves, and null once all that follows from it is recorded. */
export function keepMove({ holder, store }: Kept, move: Move | null): void {
  keepRecord(holder, store, MOVE, move);
}
