// state.json as bytes: one field a line, one task a line, and last an `integrity` field by which any
// truncation or flipped bit is noticed without a second file. It is a SHA-256 over the SHA-256 of each
// piece of the file: everything before the tasks, every 64 task lines, and the rest. A write hashes
// only the pieces that changed.
import { derivedFields } from "../core/project-state.ts";
import { type JsonObject, parseJsonLine } from "../core/json-line.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { sha256Of } from "./digest.ts";

const SUPPORTED_SCHEMA_VERSION = 1;
const TASKS_PER_PIECE = 64;
const TASKS_START = '"tasks":[\n';
const TASKS_END = "]";
const SEAL_START = ',\n"integrity":"sha256-';
const SEAL_END = '"}\n';
const SEAL_LENGTH = SEAL_START.length + 64 + SEAL_END.length;
const NEWLINE = 0x0a;

type TaskLine = ProjectState["tasks"][number];

interface EncodedPart {
  readonly bytes: Buffer;
  readonly digest: string;
}

interface EncodedTask extends EncodedPart {
  readonly tasks: readonly TaskLine[];
  readonly isLast: boolean;
}

/**
 * Turns states into bytes. A step leaves unchanged tasks as the objects they were, so a piece whose
 * objects are the same is kept: a write costs what changed, not what exists.
 */
export class StateEncoder {
  #pieces: readonly EncodedTask[] = [];
  #scratch = Buffer.alloc(0);

  /** The bytes are good until the next call. */
  encode(state: ProjectState): Buffer {
    const { tasks, ...rest } = state;
    const fields: string[] = [];
    for (const [key, value] of Object.entries({ ...rest, ...derivedFields(state) })) {
      if (value !== undefined && key !== "integrity") {
        fields.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
      }
    }
    this.#pieces = encodedTasks(tasks, this.#pieces);
    return this.#seal([
      piece(`{\n${fields.join(",\n")},\n${TASKS_START}`),
      ...this.#pieces,
      piece(TASKS_END),
    ]);
  }

  #seal(pieces: readonly EncodedPart[]): Buffer {
    const size = pieces.reduce((sum, { bytes }) => sum + bytes.length, SEAL_LENGTH);
    if (this.#scratch.length < size) this.#scratch = Buffer.allocUnsafeSlow(size + size / 4);
    let position = 0;
    for (const { bytes } of pieces) position += bytes.copy(this.#scratch, position);
    const seal = sha256Of(pieces.map(({ digest }) => digest).join(""));
    this.#scratch.write(`${SEAL_START}${seal}${SEAL_END}`, position, "latin1");
    return this.#scratch.subarray(0, size);
  }
}

function encodedTasks(tasks: readonly TaskLine[], known: readonly EncodedTask[]): EncodedTask[] {
  const pieces: EncodedTask[] = [];
  for (let start = 0; start < tasks.length; start += TASKS_PER_PIECE) {
    const before = known[start / TASKS_PER_PIECE];
    const isSame = before !== undefined && holds(before, tasks, start);
    pieces.push(isSame ? before : encodedTask(tasks, start));
  }
  return pieces;
}

function holds(known: EncodedTask, tasks: readonly TaskLine[], start: number): boolean {
  const length = Math.min(TASKS_PER_PIECE, tasks.length - start);
  if (known.tasks.length !== length) return false;
  if (known.isLast !== (start + length === tasks.length)) return false;
  for (let index = 0; index < length; index += 1) {
    if (known.tasks[index] !== tasks[start + index]) return false;
  }
  return true;
}

function encodedTask(tasks: readonly TaskLine[], start: number): EncodedTask {
  const own = tasks.slice(start, start + TASKS_PER_PIECE);
  const isLast = start + own.length === tasks.length;
  const lines = own.map((task) => JSON.stringify(task)).join(",\n");
  return { tasks: own, isLast, ...piece(`${lines}${isLast ? "" : ","}\n`) };
}

function piece(text: string): EncodedPart {
  const bytes = Buffer.from(text, "utf8");
  return { bytes, digest: sha256Of(bytes) };
}

/** The seal that belongs to a file's content, cut into pieces as the encoder made them. */
function sealOf(content: Buffer): string {
  const digests: string[] = [];
  let start = 0;
  let end = content.indexOf(TASKS_START, 0, "latin1") + TASKS_START.length;
  while (end > start && end < content.length) {
    digests.push(sha256Of(content.subarray(start, end)));
    start = end;
    for (let line = 0; line < TASKS_PER_PIECE; line += 1) {
      const newline = content.indexOf(NEWLINE, end);
      if (newline < 0) break;
      end = newline + 1;
    }
  }
  digests.push(sha256Of(content.subarray(start)));
  return sha256Of(digests.join(""));
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
  const seal = sealOf(bytes.subarray(0, length));
  if (sealText.slice(SEAL_START.length, SEAL_START.length + 64) !== seal) {
    return damaged("its content does not match its integrity field");
  }
  const stored = parseJsonLine(bytes.toString("utf8"));
  if (stored === undefined) return damaged("its content is not JSON");
  if (stored["schema_version"] !== SUPPORTED_SCHEMA_VERSION) {
    const reason = `it has schema version ${String(stored["schema_version"])}; this Stint reads version ${SUPPORTED_SCHEMA_VERSION}`;
    return { ok: false, kind: "unknown-version", reason };
  }
  return { ok: true, state: withoutDerived(stored) };
}

/** What a state file holds beside the state: its seal and what is derived from the rest. */
export function withoutDerived(stored: JsonObject): ProjectState {
  const state: Record<string, unknown> = { ...stored };
  for (const key of ["integrity", ...DERIVED_KEYS]) delete state[key];
  return state as unknown as ProjectState;
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
