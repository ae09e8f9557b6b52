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

/** Tasks are encoded in blocks of this many; a block without a changed task is copied as bytes. */
const BLOCK = 64;

interface Block {
  readonly tasks: readonly TaskLine[];
  readonly bytes: Buffer;
}

/**
 * Turns states into bytes. A step leaves unchanged tasks as the objects they were, so the bytes of
 * a block whose objects are the same are kept: a write costs what changed, not what exists.
 */
export class StateEncoder {
  #blocks: Block[] = [];

  encode(state: ProjectState): Buffer {
    const { tasks, ...rest } = state;
    const fields: string[] = [];
    for (const [key, value] of Object.entries({ ...rest, ...derivedFields(state) })) {
      if (value !== undefined && key !== "integrity") {
        fields.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
      }
    }
    const head = Buffer.from(`{\n${fields.join(",\n")},\n"tasks":[`, "utf8");
    this.#blocks = blocksOf(tasks, this.#blocks);
    return seal([head, ...this.#blocks.map((block) => block.bytes), Buffer.from("\n]", "utf8")]);
  }
}

function blocksOf(tasks: readonly TaskLine[], before: readonly Block[]): Block[] {
  const blocks: Block[] = [];
  for (let start = 0; start < tasks.length; start += BLOCK) {
    const known = before[start / BLOCK];
    blocks.push(
      known !== undefined && holds(known, tasks, start) ? known : encodeBlock(tasks, start),
    );
  }
  return blocks;
}

function holds(block: Block, tasks: readonly TaskLine[], start: number): boolean {
  const length = Math.min(BLOCK, tasks.length - start);
  if (block.tasks.length !== length) return false;
  for (let index = 0; index < length; index += 1) {
    if (block.tasks[index] !== tasks[start + index]) return false;
  }
  return true;
}

function encodeBlock(tasks: readonly TaskLine[], start: number): Block {
  const own = tasks.slice(start, start + BLOCK);
  const lines = own.map(
    (task, index) => `${start + index === 0 ? "" : ","}\n${JSON.stringify(task)}`,
  );
  return { tasks: own, bytes: Buffer.from(lines.join(""), "utf8") };
}

function seal(pieces: readonly Buffer[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = Buffer.allocUnsafe(length + SEAL_LENGTH);
  let position = 0;
  for (const piece of pieces) position += piece.copy(bytes, position);
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
  const stored = parsed(bytes);
  if (stored === undefined) return damaged("its content is not JSON");
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

/** A seal can be forged over anything; what ends in one and is JSON is an object. */
function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
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
