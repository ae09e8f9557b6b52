// Before a project is Done its review log says what its tasks resolved: a line that is missing, because a person
// marked the task done or somebody edited the log, is written in a commit of its own. Safe to repeat: what is
// there is not written again, and a commit that was not delivered is.
import { isFinished } from "../../core/eligibility.ts";
import { isPersonAwaited } from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { keepKnownCommits } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { deliverAndRecord } from "./deliver.ts";
import { notResolvedYet, resolvedLate } from "./resolve-tasks.ts";

/** Whether nothing is left but to say that it is done, of something that resolves items. */
function isOver(state: ProjectState): boolean {
  const { status, tasks } = state;
  if (status !== "Running" && status !== "Ready") return false;
  const resolvesAny = tasks.some((task) => task.status === "done" && task.resolves !== undefined);
  return resolvesAny && tasks.every(isFinished) && !isPersonAwaited(state);
}

/** What tasks that are done resolve and the review log does not say, as "DOC-002 (t1)". */
export async function unresolvedItems(context: RunContext): Promise<readonly string[]> {
  if (!isOver(context.holder.state)) return [];
  const missing = await notResolvedYet(context, await context.space.tip());
  return missing.map(({ id, resolves }) => `${resolves} (${id})`);
}

export async function* resolveLate(context: RunContext): Steps {
  const { holder, space } = context;
  if (!isOver(holder.state)) return;
  await commitLate(context);
  const { commit } = await space.tip();
  const { delivery } = holder.state;
  // Also what an earlier run committed and was killed before it delivered.
  if (delivery?.kind === "delivered" && delivery.commit !== commit)
    yield* deliverAndRecord(context);
}

async function commitLate(context: RunContext): Promise<void> {
  const { holder, space } = context;
  const tip = await space.tip();
  const missing = await notResolvedYet(context, tip);
  const log = missing.length === 0 ? null : await resolvedLate(context, missing, tip);
  if (log === null) return;
  const ids = missing.map(({ resolves }) => resolves).join(", ");
  const request = {
    tree: tip.tree,
    own: [log],
    message: `Resolution Log: ${ids}`,
    trailers: [
      ["Stint-Project", holder.state.project_id],
      ["Stint-Resolves", ids],
    ] as const,
  };
  const first = await space.commit(request);
  // What hooks made of other files is nobody's verified work: the line alone is committed.
  const made =
    first.kind === "altered" ? await space.commit({ ...request, hooksRan: true }) : first;
  if (made.kind === "committed") keepKnownCommits(context, [made.commit]);
  else if (made.kind === "failed") {
    const text = `${ids}: the Resolution Log could not be committed: ${made.why}. ${made.hint}`;
    context.tell({ kind: "notice", text });
  }
}
