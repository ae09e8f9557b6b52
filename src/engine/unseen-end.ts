// A session whose end nobody saw, because the run was killed: what it had said by its marker still
// counts. What it did without saying anything is judged by the checks.
import type { Outcome } from "../agents/agent.ts";
import { saidByMarker } from "../agents/judge-end.ts";
import { parseMarker } from "../core/marker.ts";
import { archiveMarker } from "./archive-marker.ts";
import type { RunContext } from "./run-context.ts";
import { sessionPath } from "./session-record.ts";

/** Takes the marker that lies in the workspace, for this session only where it is surely its own. */
export function takeMarkerUnseen(context: RunContext, session: number): void {
  const { holder, store } = context;
  // The brief is written once a marker of somebody before is gone, and before the session starts.
  const isBriefed =
    store.kept(holder.state.project_id, sessionPath(session, "brief.md")) !== undefined;
  if (!isBriefed) archiveMarker(context, session, "stale-marker");
  else archiveMarker(context, session, "marker");
}

/** What a session without a result had said, or null. */
export function saidUnseen(
  { holder, store }: Pick<RunContext, "holder" | "store">,
  session: number,
): Outcome | null {
  const bytes = store.kept(holder.state.project_id, sessionPath(session, "marker"));
  return bytes === undefined ? null : (saidByMarker(parseMarker(bytes)) ?? null);
}
