// What a revision carries beside its state: kept files and journal lines that are not flushed in their own
// files yet. They stand before the state, which is sealed at its end, so that no cut goes unnoticed:
//
//   carried <bytes of the list> <bytes of the files> <sha256 of both>
//   {"lines":[…],"files":[[path, bytes], …]}<the files, one after the other><the state>
import type { JournalEntry } from "../../core/schema/project.ts";
import { sha256Of } from "../digest.ts";
import { splitHead } from "./spare-files.ts";
import { type Decoded, decodeState } from "../state-codec.ts";

export interface Carried {
  /** By their path below the shadow, the newest content of each. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Before the line of the revision itself, oldest first. */
  readonly lines: readonly JournalEntry[];
}

export const NOTHING_CARRIED: Carried = { files: new Map(), lines: [] };

const HEAD = /^carried (\d{1,12}) (\d{1,12}) ([0-9a-f]{64})\n/;
const LONGEST_HEAD = 100;

export function encodeRevision(state: Buffer, { files, lines }: Carried): Buffer {
  if (files.size === 0 && lines.length === 0) return state;
  const sizes = [...files].map(([path, bytes]) => [path, bytes.length]);
  const list = Buffer.from(JSON.stringify({ lines, files: sizes }), "utf8");
  const content = Buffer.concat([list, ...files.values()]);
  const size = content.length - list.length;
  const head = `carried ${list.length} ${size} ${sha256Of(content)}\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), content, state]);
}

/** The state in the bytes of a revision, whatever became of what comes before it. */
export function stateIn(revision: Buffer): Buffer {
  const { content } = splitHead(revision);
  const head = headOf(content);
  return head === null ? content : content.subarray(head.stateAt);
}

export type DecodedRevision =
  | (Extract<Decoded, { ok: true }> & { readonly bytes: Buffer; readonly carried: Carried })
  | Extract<Decoded, { ok: false }>;

/** Whoever asks for several kept files reads the same revision each time; its bytes are its content. */
let last: { readonly revision: Buffer; readonly decoded: DecodedRevision } | undefined;

export function decodeRevision(revision: Buffer): DecodedRevision {
  if (last === undefined || !last.revision.equals(revision)) {
    last = { revision, decoded: decode(revision) };
  }
  return last.decoded;
}

function decode(revision: Buffer): DecodedRevision {
  const bytes = stateIn(revision);
  const decoded = decodeState(bytes);
  if (!decoded.ok) return decoded;
  const { head, content } = splitHead(revision);
  const { state } = decoded;
  if (head !== null && (head.revision !== state.revision || head.fence !== state.fence)) {
    return { ok: false, kind: "damaged", reason: "its first line is of another revision" };
  }
  const carried = carriedIn(content);
  if (carried !== null) return { ...decoded, bytes, carried };
  return { ok: false, kind: "damaged", reason: "what it carries does not match its checksum" };
}

function carriedIn(revision: Buffer): Carried | null {
  const head = headOf(revision);
  if (head === null) return NOTHING_CARRIED;
  const { listAt, filesAt, stateAt, digest } = head;
  const content = revision.subarray(listAt, stateAt);
  if (sha256Of(content) !== digest) return null;
  const { lines, files } = JSON.parse(revision.toString("utf8", listAt, filesAt)) as {
    lines: JournalEntry[];
    files: [path: string, size: number][];
  };
  let at = filesAt;
  return {
    lines,
    files: new Map(files.map(([path, size]) => [path, revision.subarray(at, (at += size))])),
  };
}

function headOf(
  bytes: Buffer,
): { listAt: number; filesAt: number; stateAt: number; digest: string } | null {
  const match = HEAD.exec(bytes.toString("latin1", 0, LONGEST_HEAD));
  if (match === null) return null;
  const [{ length: listAt }, list, files, digest = ""] = match;
  const filesAt = listAt + Number(list);
  return { listAt, filesAt, stateAt: filesAt + Number(files), digest };
}
