// The stages of an iteration, written down: one line of the journal each, in order, once. What is there already is
// read from the journal, so that a kill between two of them leaves out none and repeats none.
import { STAGE, STAGES, stagesToNote } from "../../iteration/stages.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { knownText } from "../people/manifest-texts.ts";

type Noting = Pick<RunContext, "holder" | "store" | "host">;

/** Parsed, and validated once the plan is approved: before anything is executed. */
export function noteBegin(context: Noting): void {
  const { status } = context.holder.state;
  if (status !== "Done" && status !== "Abandoned") noteUpTo(context, status === "Draft" ? 1 : 2);
}

/** Nothing is left to do: what all of it came to, before the project is Done. */
export function noteEnd(context: Noting): void {
  noteUpTo(context, STAGES.length);
}

function noteUpTo(context: Noting, reached: number): void {
  const { holder, store } = context;
  const { iteration, workflow } = frontMatterOf(knownText(context));
  if (iteration === undefined && workflow === undefined) return;
  const due = stagesToNote(holder.state, store.journal(holder.state.project_id), reached);
  for (const { number, name, result } of due) {
    holder.note({
      ...fact(context),
      kind: STAGE,
      summary: `stage ${number} of ${STAGES.length}, ${name}: ${result}`,
      data: { stage: number, name, result },
    });
  }
}
