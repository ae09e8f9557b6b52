// Boxes tell the truth: one that a session checked and whose task is not done is unchecked again, in a
// commit of its own where the session had committed it. Safe to repeat: it looks at what is there.
import type { TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { RunContext } from "./run-context.ts";
import type { SessionStart } from "./session-record.ts";
import { withBoxes } from "./task-boxes.ts";

/** @returns the digest of the manifest where it was changed */
export async function uncheckUnfinished(
  context: RunContext,
  start: SessionStart | undefined,
  current: TaskId,
): Promise<Sha256 | undefined> {
  const { holder, tree } = context;
  const { tasks } = holder.state;
  const isDone = (id: TaskId): boolean =>
    tasks.some((task) => task.id === id && task.status === "done");
  const given = start?.tasks.map(({ task_id }) => task_id) ?? [current];
  const ids = given.filter((id) => !isDone(id));
  const disk = tree.readManifest();
  if (disk === undefined) return undefined;
  const text = withBoxes(disk, tasks, ids, false);
  const digest = text === disk ? undefined : holder.keepManifest(text);
  if (digest !== undefined) {
    if (!tree.writeManifest(disk, text)) return undefined;
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
  return digest;
}
