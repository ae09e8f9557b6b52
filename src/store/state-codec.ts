// state.json as bytes: one field a line, one task a line, and last an `integrity` field over every
// byte before it, so that any truncation or flipped bit is noticed without a second file.
import { derivedFields } from "../core/derived.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { sha256Of } from "./digest.ts";

const SUPPORTED_SCHEMA_VERSION = 1;
const SEAL_START = ',\n"integrity":"sha256-';
const SEAL_END = '"}\n';
const SEAL_LENGTH = SEAL_START.length + 64 + SEAL_END.length;

type TaskLine = ProjectState["tasks"][number];

/**
 * Turns states into bytes. Keeps the text of each task object it has seen: a step leaves unchanged
 * tasks as they are, so a write costs what changed, not what exists.
 */
export class StateEncoder {
  readonly #lines = new WeakMap<TaskLine, string>();

  encode(state: ProjectState): Buffer {
    const { tasks, ...rest } = state;
    const fields: string[] = [];
    for (const [key, value] of Object.entries({ ...rest, ...derivedFields(state) })) {
      if (value !== undefined && key !== "integrity") {
        fields.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
      }
    }
    const lines = tasks.map((task) => this.#line(task));
    fields.push(lines.length === 0 ? '"tasks":[]' : `"tasks":[\n${lines.join(",\n")}\n]`);
    return seal(`{\n${fields.join(",\n")}`);
  }

  #line(task: TaskLine): string {
    let line = this.#lines.get(task);
    if (line === undefined) {
      line = JSON.stringify(task);
      this.#lines.set(task, line);
    }
    return line;
  }
}

function seal(open: string): Buffer {
  const length = Buffer.byteLength(open);
  const bytes = Buffer.allocUnsafe(length + SEAL_LENGTH);
  bytes.write(open, 0, "utf8");
  const digest = sha256Of(bytes.subarray(0, length));
  bytes.write(`${SEAL_START}${digest}${SEAL_END}`, length, "latin1");
  return bytes;
}

export type Decoded =
  | { readonly ok: true; readonly state: ProjectState }
  | { readonly ok: false; readonly kind: "damaged" | "unknown-version"; readonly reason: string };

/** Decodes what `encode` wrote. What is not sealed by it is refused with the reason. */
export function decodeState(bytes: Buffer): Decoded {
  const length = bytes.length - SEAL_LENGTH;
  if (length <= 0) return damaged("the file is too short to be a state");
  const sealText = bytes.toString("latin1", length);
  if (!sealText.startsWith(SEAL_START) || !sealText.endsWith(SEAL_END)) {
    return damaged("the integrity field at its end is missing or damaged");
  }
  const digest = sha256Of(bytes.subarray(0, length));
  if (sealText.slice(SEAL_START.length, SEAL_START.length + 64) !== digest) {
    return damaged("its content does not match its integrity field");
  }
  const stored = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  if (stored["schema_version"] !== SUPPORTED_SCHEMA_VERSION) {
    const reason = `it has schema version ${String(stored["schema_version"])}; this Stint reads version ${SUPPORTED_SCHEMA_VERSION}`;
    return { ok: false, kind: "unknown-version", reason };
  }
  return { ok: true, state: withoutDerived(stored) };
}

/** What a state file holds beside the state: its seal and what is derived from the rest. */
export function withoutDerived(stored: Record<string, unknown>): ProjectState {
  delete stored["integrity"];
  for (const key of DERIVED_KEYS) delete stored[key];
  return stored as unknown as ProjectState;
}

function damaged(reason: string): Decoded {
  return { ok: false, kind: "damaged", reason };
}

/** Computed when written, ignored when read. */
const DERIVED_KEYS = [
  "round_status",
  "phase",
  "current_step",
  "completed_work",
  "blocked_reason",
  "awaiting_approval",
  "retry_count",
  "max_retries",
  "interrupted",
  "active_loop",
  "sessions",
] as const satisfies readonly (keyof ReturnType<typeof derivedFields>)[];
