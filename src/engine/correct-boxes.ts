// Boxes tell the truth: one that a session checked and whose task is not done is unchecked again, in a
// commit of its own where the session had committed it. Safe to repeat: it looks at what is there.
import type { TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { RunContext } from "./run-context.ts";
import type { SessionStart } from "./session-record.ts";
import { setBoxes } from "./set-boxes.ts";

/** @returns what the state is to know of the manifest, where that is another text than before */
export async function uncheckUnfinished(
  context: RunContext,
  start: SessionStart | undefined,
  current: TaskId,
  known: Sha256 = context.holder.state.manifest.digest,
): Promise<Sha256 | undefined> {
  const { holder, tree } = context;
  const isDone = (id: TaskId): boolean =>
    holder.state.tasks.some((task) => task.id === id && task.status === "done");
  const given = start?.tasks ?? [{ task_id: current, checked: false }];
  // Checked before the session: that was a person, whose box stays.
  const ids = given
    .filter(({ task_id, checked }) => !isDone(task_id) && !checked)
    .map(({ task_id }) => task_id);
  const { digest, wrote } = setBoxes(context, ids, false, known);
  if (wrote) {
    context.tell({
      kind: "notice",
      text: `${ids.join(", ")}: marked done, but not done; unmarked`,
    });
  }
  if (start !== undefined) {
    const commit = await tree.commitManifest(start.start, "Unmark what is not done");
    if (commit !== null) {
      const what = `the manifest that session ${start.session} committed was set right in ${commit.slice(0, 10)}`;
      context.tell({ kind: "notice", text: what });
    }
  }
  return digest === holder.state.manifest.digest ? undefined : digest;
}
