// What a session says by the verbs in its shell: files in the inbox, named for the session and sealed with its token.
// Pure. Together with the marker they are what the session said; no word can answer, approve, skip or accept anything.
import { parseJsonLine, stringIn } from "./json-line.ts";
import { type Marker, parseMarker } from "./marker.ts";
import type { ProjectState } from "./schema/project.ts";
import type { SaidWord } from "./schema/session-records.ts";

/** The variables by which a verb finds its session. */
export const INBOX_VARIABLE = "STINT_INBOX";
/** Not named a token: some agents keep variables of that name from their shells. */
export const SEAL_VARIABLE = "STINT_SEAL";

/** Those that leave a word, and those that only read. */
export const WORD_VERBS = ["note", "ask", "block", "propose", "dispatch", "done"] as const;
export const READ_VERBS = ["brief", "status"] as const;

export type WordVerb = (typeof WORD_VERBS)[number];

/** What a word holds, before it has a name. */
export type Word = Omit<SaidWord, "name">;

/** A question, a reason and a note are for people to read. */
export const LONGEST_WORD = 4000;

/** What lies beyond is not heard. */
export const MOST_WORDS = 50;

const NAME = /^s([1-9]\d{0,8})-[0-9a-f-]{8,40}\.json$/;

/** Names come in the order in which they were said. */
export function wordName(session: number, atMs: number, tag: string): string {
  return `s${session}-${Math.floor(atMs).toString(16).padStart(12, "0")}-${tag}.json`;
}

/** The session that a file in the inbox is named for; null where it is somebody else's. */
export function sessionOfName(name: string): number | null {
  const number = NAME.exec(name)?.[1];
  return number === undefined ? null : Number(number);
}

/** Why a text cannot be said; null where it can. */
export function whyUnsayable(text: string, longest: number = LONGEST_WORD): string | null {
  if (text.trim() === "") return "there is no text";
  if (text.length > longest) return `it is longer than ${longest} characters`;
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(text.replaceAll("\r\n", "\n")))
    return "it contains control characters";
  return null;
}

/** As it lies in the inbox. */
export function wordText(word: Word, seal: string): string {
  return `${JSON.stringify({ ...word, seal })}\n`;
}

/** @returns the word and its seal, or why it is none */
export function readWord(text: string): { readonly word: Word; readonly seal: string } | string {
  const said = parseJsonLine(text);
  if (said === undefined) return "it is not a JSON object";
  const verb = WORD_VERBS.find((each) => each === said["verb"]);
  if (verb === undefined) return "it is not a verb of a session";
  const words = said["text"];
  if (typeof words !== "string") return "it has no text";
  // A whole manifest is as long as its file may be.
  const why = verb === "done" && words === "" ? null : whyUnsayable(words, Infinity);
  if (why !== null) return why;
  if (said["is_whole"] !== true && words.length > LONGEST_WORD) return "it is too long";
  const [returns, look, deadline] = ["returns", "look", "deadline"].map((key) =>
    stringIn(said[key])?.slice(0, LONGEST_WORD),
  );
  const word: Word = {
    verb,
    text: words,
    ...(verb === "propose" && said["is_whole"] === true && { is_whole: true as const }),
    ...(returns !== undefined && { returns }),
    ...(look !== undefined && { look }),
    ...(deadline !== undefined && { deadline }),
  };
  return { word, seal: stringIn(said["seal"]) ?? "" };
}

/** Whether this session is at work, by the state alone. */
export function isAtWork(
  { tasks, dispatches }: Pick<ProjectState, "tasks" | "dispatches">,
  session: number,
): boolean {
  return (
    tasks.some((task) => task.status === "in_progress" && task.attempt.session === session) ||
    dispatches.some(
      ({ status, worker }) =>
        status === "sent" && worker.kind === "session" && worker.session === session,
    )
  );
}

/** A marker that says nothing. */
const SILENT = parseMarker(new Uint8Array());

/** All that a session said: its marker first, then its words in their order. Null where it said nothing. */
export function withWords(marker: Marker | null, words: readonly Word[]): Marker | null {
  const said = (verb: WordVerb): Word[] => words.filter((word) => word.verb === verb);
  const own = ["ask", "block", "dispatch", "done"] as const;
  if (own.every((verb) => said(verb).length === 0)) return marker;
  const base = marker ?? SILENT;
  const reasons = said("block").map(({ text }) => text.trim());
  const asked = said("ask").map(({ text }) => text.trim());
  return {
    ...base,
    questions: [...new Set([...base.questions, ...asked])],
    // Whoever says why it cannot go on does not explain a success.
    remainingSteps: reasons.length > 0 ? null : base.remainingSteps,
    reason: joined([base.reason, ...reasons]),
    others: { ...delegation(said("dispatch").at(-1)), ...base.others },
  };
}

function joined(parts: readonly (string | null)[]): string | null {
  const all = [...new Set(parts.filter((part) => part !== null && part !== ""))];
  return all.length === 0 ? null : all.join("\n");
}

/** As the keys of a marker. */
function delegation(word: Word | undefined): Record<string, string> {
  if (word === undefined) return {};
  const { text, returns, look, deadline } = word;
  return {
    delegate: text.trim(),
    ...(returns !== undefined && { returns }),
    ...(look !== undefined && { look }),
    ...(deadline !== undefined && { deadline }),
  };
}
