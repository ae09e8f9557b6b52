// What a worker says of delegated work, by a file in the inbox, and what that comes to: pure. A worker's word can only
// bring a dispatch back that is out; whatever else arrives is a fact, and changes nothing.
import { type DispatchId, parseDispatchId } from "./ids.ts";
import { objectIn, parseJsonLine } from "./json-line.ts";
import type { Dispatch } from "./schema/items.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";

/** More than this is no message. */
export const MESSAGE_MAX_BYTES = 64 * 1024;

/** Of a worker's words, which may be a page; the whole is kept beside the state. */
const LONGEST_WORDS = 2000;

/** Which file it is: written anew under the same name, it is another. */
export interface MessageFile {
  readonly name: string;
  readonly ino: number;
  readonly mtime_ms: number;
}

/** Whether a line of the journal says what came of it: then it was taken, and a kill came before it was removed. */
export function isTaken(
  lines: readonly JournalEntry[],
  { name, ino, mtime_ms }: MessageFile,
): boolean {
  return lines.some(({ data }) => {
    const message = objectIn(data?.["message"]);
    return message?.["name"] === name && message["ino"] === ino && message["mtime_ms"] === mtime_ms;
  });
}

export interface Message {
  readonly dispatch_id: DispatchId;
  readonly status: "done" | "failed";
  readonly words: string;
}

/** `<dispatch>.json`, or with a word of its own where several are sent: `d3-second.json`. */
const NAME = /^(d[1-9]\d{0,8})(?:-[\w-]{1,40})?\.json$/;

/** @returns the message, or why it is none */
export function readMessage(name: string, text: string): Message | string {
  const dispatch_id = parseDispatchId(NAME.exec(name)?.[1] ?? "");
  if (dispatch_id === undefined) return "its name is not that of a dispatch, such as d1.json";
  const said = parseJsonLine(text);
  if (said === undefined)
    return 'it is not a JSON object such as {"status": "done", "result": "…"}';
  const { status, result, dispatch } = said;
  if (status !== "done" && status !== "failed") return 'its status is neither "done" nor "failed"';
  if (typeof result !== "string" || result.trim() === "") return "it has no result, in words";
  if (dispatch !== undefined && dispatch !== dispatch_id) {
    return `its name says ${dispatch_id}, and its content another dispatch`;
  }
  return { dispatch_id, status, words: result.trim() };
}

export function messageText({ status, words }: Pick<Message, "status" | "words">): string {
  return `${JSON.stringify({ status, result: words })}\n`;
}

export type Judgement =
  /** It is back. */
  | { readonly kind: "back"; readonly dispatch: SentDispatch }
  /** It is said to be back; whether it is, its condition says. */
  | { readonly kind: "look"; readonly dispatch: SentDispatch }
  /** Its worker gives it up. */
  | { readonly kind: "failed"; readonly dispatch: SentDispatch; readonly reason: string }
  | { readonly kind: "ignored"; readonly why: string };

export type SentDispatch = Extract<Dispatch, { status: "sent" }>;

export function judgeMessage(state: ProjectState, message: Message): Judgement {
  const { dispatch_id: id, status, words } = message;
  const item = state.dispatches.find((each) => each.id === id);
  if (item === undefined) return ignored(whyUnknown(state, id));
  const newer = state.dispatches.findLast((each) => each.task_id === item.task_id);
  const instead =
    newer === undefined || newer.id === id
      ? ""
      : `; ${newer.id} was sent instead, to ${newer.owner}`;
  switch (item.status) {
    case "sent":
      if (item.worker.kind === "session") {
        return ignored(`${id} is a session; it is back when it has ended`);
      }
      if (status === "failed") {
        return {
          kind: "failed",
          dispatch: item,
          reason: `${item.owner} says: ${shortened(words)}`,
        };
      }
      return { kind: item.returns.kind === "message" ? "back" : "look", dispatch: item };
    case "returned":
      return ignored(`${id} was returned at ${item.closed_at}: this is a second result`);
    case "timed_out":
      return ignored(`${id} was given up at ${item.closed_at}: this is too late${instead}`);
    case "lost":
      return ignored(`${id} was lost at ${item.closed_at}${instead}`);
    case "cancelled":
      return ignored(`${item.by} cancelled ${id} at ${item.closed_at}${instead}`);
    default:
      return item satisfies never;
  }
}

/** What was closed earlier is no longer in the state; the journal has it. */
function whyUnknown({ counters }: ProjectState, id: DispatchId): string {
  return Number(id.slice(1)) <= counters.dispatches
    ? `${id} was closed earlier`
    : `there is no dispatch ${id}`;
}

export function shortened(words: string): string {
  return words.length <= LONGEST_WORDS ? words : `${words.slice(0, LONGEST_WORDS)}…`;
}

function ignored(why: string): Judgement {
  return { kind: "ignored", why };
}
