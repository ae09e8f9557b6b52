// What a session said about the manifest by verbs: a proposal goes the way of its own edits, a note is written below
// Notes. Nothing is lost where that cannot be done: it is set aside, and told.
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { SaidWord, SessionStart } from "../../core/schema/session-records.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import { withNotes, withStep } from "../../manifest/edit/session-said.ts";
import type { RunContext } from "../base/run-context.ts";
import { proposalPath } from "../people/proposals.ts";

/** What the session left of its copy, with what it proposed in it. */
export function withProposalsOf(
  { holder }: RunContext,
  { session, manifest }: SessionStart,
  left: Uint8Array | undefined,
  words: readonly SaidWord[],
): { readonly left: Uint8Array | undefined; readonly notices: readonly string[] } {
  const proposed = words.filter(({ verb }) => verb === "propose");
  const notices: string[] = [];
  let text = left === undefined ? undefined : Buffer.from(left).toString("utf8");
  if (text !== undefined && !Buffer.from(text, "utf8").equals(left ?? new Uint8Array())) {
    text = undefined;
  }
  for (const [index, { text: said, is_whole }] of proposed.entries()) {
    const next =
      text === undefined ? undefined : proposedIn(manifest, text, said, is_whole === true);
    if (next !== undefined) {
      text = next;
      continue;
    }
    const path = proposalPath(`session-${session}-${index + 1}`, "text");
    holder.keep(path, said);
    notices.push(
      `what session ${session} proposed does not fit its own changes to the manifest; it was set aside in ${path}`,
    );
  }
  const isMade = text !== undefined && proposed.length > notices.length;
  return { left: isMade ? Buffer.from(text ?? "") : left, notices };
}

function proposedIn(
  start: string,
  left: string,
  said: string,
  isWhole: boolean,
): string | undefined {
  return isWhole ? mergeLines(start, left, said) : withStep(left, said);
}

/** The text that is known from now on, with the session's notes in it. */
export function withNotesOf(
  { holder, store }: RunContext,
  digest: Sha256,
  session: number,
  words: readonly SaidWord[],
): { readonly digest: Sha256; readonly unwritten: readonly string[] } {
  const notes = words.filter(({ verb }) => verb === "note");
  if (notes.length === 0) return { digest, unwritten: [] };
  const known = store.manifestText(holder.state.project_id, digest);
  const text = withNotes(
    known,
    notes.map((note) => `Session ${session}: ${note.text}`),
  );
  if (text !== undefined) return { digest: holder.keepManifest(text), unwritten: [] };
  const unwritten = `the notes of session ${session} cannot be written below Notes without other changes; they are in its log`;
  return { digest, unwritten: [unwritten] };
}
