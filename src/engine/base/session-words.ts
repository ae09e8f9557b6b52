// What a session said: the marker that it left, and its words in the inbox. They are kept beside its log when it has
// ended, and removed from the inbox once what came of them is durable: a kill at any point leaves them to be heard, or
// to be found heard.
import { type Marker, parseMarker } from "../../core/marker.ts";
import { isAtWork, readWord, withWords } from "../../core/session-words.ts";
import { type SaidWord, saidWords, sessionSeal } from "../../core/schema/session-records.ts";
import { sha256Of } from "../../store/digest.ts";
import { announce } from "./fact.ts";
import { type Found, Inbox } from "./inbox.ts";
import { type Kept, keepRecordWithNext, readKept, sessionPath } from "./kept-record.ts";
import type { RunContext } from "./run-context.ts";

/** Keeps what lies in the inbox in the name of this session. Safe to repeat. */
export function takeWords(context: RunContext, session: number): void {
  const seal = sealOf(context, session);
  if (seal === undefined) return;
  const known = wordsOf(context, session);
  const found = new Inbox(context.holder.entry).wordsOf(session).flatMap((each) => {
    const word = ownWord(context, each, seal);
    return typeof word === "string" || known.some(({ name }) => name === word.name) ? [] : [word];
  });
  if (found.length === 0) return;
  keepRecordWithNext(context, sessionPath(session, "words.json"), [...known, ...found]);
}

/** What it said by verbs, as far as it was taken. */
export function wordsOf(kept: Kept, session: number): readonly SaidWord[] {
  return readKept(kept, sessionPath(session, "words.json"), saidWords) ?? [];
}

/** All that it said, by its marker and by verbs; null where it said nothing. */
export function heard(kept: Kept, session: number): Marker | null {
  const { store, holder } = kept;
  const bytes = store.kept(holder.state.project_id, sessionPath(session, "marker"));
  const marker = bytes === undefined ? null : parseMarker(bytes);
  return withWords(marker, wordsOf(kept, session));
}

/** What was said is settled. What nobody took is told, and taken aside. */
export function forgetWords(context: RunContext, session: number): void {
  const inbox = new Inbox(context.holder.entry);
  const seal = sealOf(context, session);
  const taken = new Set(wordsOf(context, session).map(({ name }) => name));
  for (const found of inbox.wordsOf(session)) {
    if (taken.has(found.name)) {
      inbox.remove(found.name);
      continue;
    }
    const word = ownWord(context, found, seal);
    const why = typeof word === "string" ? word : `session ${session} has ended`;
    announce(context, "words-ignored", `inbox/${found.name} changes nothing: ${why}`);
    inbox.setAside(found.name, context.host);
  }
}

/** Words in the name of sessions that are not at work: a kill came before they were removed, or they came too late. */
export function forgetLeftWords(context: RunContext): void {
  for (const session of new Inbox(context.holder.entry).speakers()) {
    if (!isAtWork(context.holder.state, session)) forgetWords(context, session);
  }
}

function sealOf(kept: Kept, session: number): string | undefined {
  return readKept(kept, sessionPath(session, "seal.json"), sessionSeal)?.seal_sha256;
}

/** @returns the word, without secrets, or why it is none of this session's */
function ownWord(
  { checks }: RunContext,
  found: Found,
  sealed: string | undefined,
): SaidWord | string {
  if (found.kind === "foreign") return found.why;
  const read = readWord(found.bytes.toString("utf8"));
  if (typeof read === "string") return read;
  if (sealed === undefined || sha256Of(read.seal) !== sealed) {
    return "it does not have the seal of that session";
  }
  const { text, returns, ...word } = read.word;
  return {
    name: found.name,
    ...word,
    text: checks.redact(text),
    ...(returns !== undefined && { returns: checks.redact(returns) }),
  };
}
