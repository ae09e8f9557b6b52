// The marker means "this session's iteration ended": it is kept beside the session's log, then removed.
import { type Marker, parseMarker } from "../../core/marker.ts";
import type { RunContext } from "../base/run-context.ts";
import { sessionPath } from "../base/session-record.ts";

/** A crash between the two keeps the same text once more. */
export function archiveMarker(context: RunContext, session: number, name: string): Marker | null {
  const bytes = context.copy.readMarker();
  if (bytes === undefined) return null;
  // What it says is quoted in state, journal and brief, so secrets leave it here.
  const text = context.checks.redact(bytes.toString("utf8"));
  context.holder.keep(sessionPath(session, name), text);
  context.copy.removeMarker();
  return parseMarker(Buffer.from(text, "utf8"));
}
