// A revision as bytes: the state, which is sealed at its end, so that no cut goes unnoticed, and what stands
// before it. First, in a file that had a durable name before it had a content, whose it is:
//
//   revision <number> <fence>
//
// then kept files and journal lines that are not flushed in their own files yet:
//
//   carried <bytes of the list> <bytes of the files> <sha256 of both>
//   {"lines":[…],"files":[[path, bytes], …]}<the files, one after the other><the state>
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import { sha256Of } from "./digest.ts";
import { type Decoded, decodeState } from "./state-codec.ts";

export interface Carried {
  /** By their path below the shadow, the newest content of each. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Before the line of the revision itself, oldest first. */
  readonly lines: readonly JournalEntry[];
}

export const NOTHING_CARRIED: Carried = { files: new Map(), lines: [] };

const HEAD = /^revision (\d{1,12}) (\d{1,12})\n/;
const LONGEST_HEAD = 40;
const CARRIED = /^carried (\d{1,12}) (\d{1,12}) ([0-9a-f]{64})\n/;
const LONGEST_CARRIED = 100;

export function encodeRevision(state: Buffer, { files, lines }: Carried): Buffer {
  if (files.size === 0 && lines.length === 0) return state;
  const sizes = [...files].map(([path, bytes]) => [path, bytes.length]);
  const list = Buffer.from(JSON.stringify({ lines, files: sizes }), "utf8");
  const content = Buffer.concat([list, ...files.values()]);
  const size = content.length - list.length;
  const head = `carried ${list.length} ${size} ${sha256Of(content)}\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), content, state]);
}

export type RevisionHead = Pick<ProjectState, "revision" | "fence">;

export function withHead({ revision, fence }: RevisionHead, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`revision ${revision} ${fence}\n`, "latin1"), bytes]);
}

/** What a file holds after its head, and what that says; a file without one is all content. */
export function splitHead(bytes: Buffer): { head: RevisionHead | null; content: Buffer } {
  const found = HEAD.exec(bytes.toString("latin1", 0, LONGEST_HEAD));
  if (found === null) return { head: null, content: bytes };
  const [{ length }, revision, fence] = found;
  const head = { revision: Number(revision), fence: Number(fence) };
  return { head, content: bytes.subarray(length) };
}

/** The state in the bytes of a revision, whatever became of what comes before it. */
export function stateIn(revision: Buffer): Buffer {
  const { content } = splitHead(revision);
  return content.subarray(placesIn(content)?.stateAt ?? 0);
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
  const places = placesIn(revision);
  if (places === null) return NOTHING_CARRIED;
  const { listAt, filesAt, stateAt, digest } = places;
  if (sha256Of(revision.subarray(listAt, stateAt)) !== digest) return null;
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

/** Null where it carries nothing. */
function placesIn(bytes: Buffer) {
  const match = CARRIED.exec(bytes.toString("latin1", 0, LONGEST_CARRIED));
  if (match === null) return null;
  const [{ length: listAt }, list, files, digest = ""] = match;
  const filesAt = listAt + Number(list);
  return { listAt, filesAt, stateAt: filesAt + Number(files), digest };
}
