// A session whose end nobody saw, because the run was killed: what it had said by its marker still
// counts. What it did without saying anything is judged by the checks.
import type { SessionStart } from "../../core/schema/session-records.ts";
import type { Outcome } from "../../agents/agent.ts";
import { saidByMarker } from "../../agents/judge-end.ts";
import { parseMarker } from "../../core/marker.ts";
import { archiveMarker } from "./archive-marker.ts";
import type { RunContext } from "../base/run-context.ts";
import { sessionPath } from "../base/session-record.ts";
import { memoryOf } from "../base/task-memory.ts";

/** Takes the marker that lies in the workspace, for this session only where it is surely its own. */
export function takeMarkerUnseen(context: RunContext, session: number): void {
  // The brief is written once a marker of somebody before is gone, and before the session starts.
  if (!hasKept(context, session, "brief.md")) archiveMarker(context, session, "stale-marker");
  else archiveMarker(context, session, "marker");
}

function hasKept(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  session: number,
  name: "brief.md" | "process.json",
): boolean {
  return store.kept(holder.state.project_id, sessionPath(session, name)) !== undefined;
}

/**
 * Whether others changed what these tasks had made, and the session that was to be told of it never began:
 * what lies there is theirs, whatever checks say about it.
 */
export function isConflictUntold(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  { session, tasks }: SessionStart,
): boolean {
  if (hasKept({ holder, store }, session, "process.json")) return false;
  const id = holder.state.project_id;
  return tasks.some(({ task_id }) => memoryOf(store, id, task_id).elsewhere !== undefined);
}

/** What a session without a result had said, or null. */
export function saidUnseen(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  session: number,
): Outcome | null {
  const bytes = store.kept(holder.state.project_id, sessionPath(session, "marker"));
  return bytes === undefined ? null : (saidByMarker(parseMarker(bytes)) ?? null);
}
