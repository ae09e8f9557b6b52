// What is kept of a session: what it was given, before it starts, and how it ended, before anything
// is concluded from it. A crash in between leaves the first without the second; so does a loss of power
// before the revision that says that the session ended.
import {
  type SessionEnd,
  sessionEnd,
  type SessionStart,
  sessionStart,
} from "../../core/schema/session-records.ts";
import type { Holder, KeptPath, Store } from "../../store/store.ts";
import { keptPath } from "../../store/store.ts";
import type { ProjectId } from "../../core/ids.ts";
import { readKept } from "./kept-record.ts";

export function sessionPath(session: number, name: string): KeptPath {
  return keptPath("logs", "sessions", session, name);
}

export function keepStart(holder: Holder, start: SessionStart): void {
  holder.keepWithNext(
    sessionPath(start.session, "start.json"),
    `${JSON.stringify(start, null, 2)}\n`,
  );
}

/** The manifest as the session left it comes first: what changed later was somebody else. */
export function keepEnd(
  holder: Holder,
  start: SessionStart,
  seen: Omit<SessionEnd, "session" | "manifest">,
  manifest: Uint8Array | undefined,
): void {
  const { session } = start;
  const isAsGiven = manifest !== undefined && Buffer.from(start.manifest).equals(manifest);
  const state = manifest === undefined ? "gone" : isAsGiven ? "as-given" : "changed";
  const end: SessionEnd = { session, ...seen, manifest: state };
  if (manifest !== undefined && !isAsGiven) {
    holder.keepWithNext(sessionPath(session, "manifest-end.md"), manifest);
  }
  holder.keepWithNext(sessionPath(session, "result.json"), `${JSON.stringify(end, null, 2)}\n`);
}

export function readStart(store: Store, id: ProjectId, session: number): SessionStart | undefined {
  return readKept(store, id, sessionPath(session, "start.json"), sessionStart);
}

export function readEnd(store: Store, id: ProjectId, session: number): SessionEnd | undefined {
  return readKept(store, id, sessionPath(session, "result.json"), sessionEnd);
}

/** The manifest as the session left it; undefined where it left none. */
export function readEndManifest(
  store: Store,
  id: ProjectId,
  start: SessionStart,
  end: SessionEnd,
): Uint8Array | undefined {
  if (end.manifest === "gone") return undefined;
  if (end.manifest === "as-given") return Buffer.from(start.manifest);
  return store.kept(id, sessionPath(end.session, "manifest-end.md"));
}
