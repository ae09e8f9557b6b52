// What is kept of a session: what it was given, before it starts, and how it ended, before anything
// is concluded from it. A crash in between leaves the first without the second.
import type { Outcome } from "../../agents/agent.ts";
import type { Marker } from "../../core/marker.ts";
import type { Check } from "../../core/schema/check.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Holder, KeptPath, Store } from "../../store/store.ts";
import { keptPath } from "../../store/store.ts";
import type { ProjectId, TaskId } from "../../core/ids.ts";
import type { Instant } from "../../core/instant.ts";

export interface SessionStart {
  readonly session: number;
  /** Its name in the run that started it. */
  readonly agent: string;
  readonly tasks: readonly {
    readonly task_id: TaskId;
    readonly attempt: number;
    /** Whether its box was checked before the session. */
    readonly checked: boolean;
    /** Frozen: what the manifest says later does not count for this attempt. */
    readonly checks: readonly Check[];
    /** Digests of the files its checks name, before the session. */
    readonly files: Readonly<Record<string, Sha256 | null>>;
  }[];
  /** What was laid before it, and the verified work that this stands on. */
  readonly start: { readonly tree: string; readonly base: string };
  /** The manifest that it is given, which a person may change while it works. */
  readonly manifest: string;
  readonly started_at: Instant;
}

export interface SessionEnd {
  readonly session: number;
  readonly outcome: Outcome;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly marker: Marker | null;
  /** The run ended it, for this reason. */
  readonly stopped: string | null;
  readonly last_text: string | null;
  readonly left_behind: number;
  /** What it changed of the files that were brought into its workspace; no commit shows it. */
  readonly brought_changed?: readonly string[];
  /** The manifest when it ended; one that is neither gone nor as it was given is kept beside this. */
  readonly manifest: "as-given" | "changed" | "gone";
  readonly ended_at: Instant;
  readonly wall_ms: number;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

export function sessionPath(session: number, name: string): KeptPath {
  return keptPath("logs", "sessions", session, name);
}

export function keepStart(holder: Holder, start: SessionStart): void {
  holder.keep(sessionPath(start.session, "start.json"), `${JSON.stringify(start, null, 2)}\n`);
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
    holder.keep(sessionPath(session, "manifest-end.md"), manifest);
  }
  holder.keep(sessionPath(session, "result.json"), `${JSON.stringify(end, null, 2)}\n`);
}

export function readStart(store: Store, id: ProjectId, session: number): SessionStart | undefined {
  return readKept(store, id, sessionPath(session, "start.json")) as SessionStart | undefined;
}

export function readEnd(store: Store, id: ProjectId, session: number): SessionEnd | undefined {
  return readKept(store, id, sessionPath(session, "result.json")) as SessionEnd | undefined;
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

function readKept(store: Store, id: ProjectId, path: KeptPath): unknown {
  const bytes = store.kept(id, path);
  return bytes === undefined ? undefined : JSON.parse(bytes.toString("utf8"));
}
