// The verbs of a session, in any agent's shell: they find their session by the environment, write only to the inbox,
// and say in a line or two what comes next. What they leave is carried out when the session is collected; none of them
// decides anything. Loads as little as possible: an agent waits for every call.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { describeCheck } from "../checks/check-text.ts";
import { objectsIn, parseJsonLine, stringIn } from "../core/json-line.ts";
import { MESSAGE_MAX_BYTES } from "../core/returned-work.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Check } from "../core/schema/task.ts";
import {
  INBOX_VARIABLE,
  isAtWork,
  LONGEST_WORD,
  MOST_WORDS,
  READ_VERBS,
  readWord,
  SEAL_VARIABLE,
  whyUnsayable,
  type Word,
  WORD_VERBS,
  wordName,
  wordText,
  type WordVerb,
} from "../core/session-words.ts";
import { StintError } from "../core/stint-error.ts";
import { oneLine } from "../core/words/plain-line.ts";
import { QUESTIONS_PER_SESSION } from "../core/written/bounds.ts";
import { parseDuration } from "../core/written/times.ts";
import { Inbox } from "../engine/base/inbox.ts";
import { sha256Of } from "../store/digest.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface SessionCall {
  /** The verb, and what follows it. */
  readonly words: readonly string[];
  readonly env: Env;
  readonly cwd: string;
}

const PERSONS_ACTS = new Set(["list", "send", "cancel", "return", "adopt"]);

/** What a person's `dispatch` begins with; anything else names whom a session gives its task to. */
export function isPersonsAct(word: string | undefined): boolean {
  return PERSONS_ACTS.has(word ?? "");
}

/** Whether words are for the session that they are typed in. Names that persons have too go by the environment. */
export function isForSession({
  words: [verb = "", ...rest],
  env,
}: Omit<SessionCall, "cwd">): boolean {
  if (!isInSession(env) || rest.some((word) => word === "--help" || word === "-h")) return false;
  if (verb === "status") return !rest.some((word) => word.startsWith("-"));
  if (verb === "dispatch") return !isPersonsAct(rest[0]);
  return [...WORD_VERBS, ...READ_VERBS].some((each) => each === verb);
}

export function isInSession(env: Env): boolean {
  return (env[INBOX_VARIABLE] ?? "") !== "" && (env[SEAL_VARIABLE] ?? "") !== "";
}

/** What is said in a session, as words of a shell or as arguments of a tool. */
export type Saying =
  | { readonly verb: "brief" }
  | { readonly verb: "status"; readonly project?: string | undefined }
  | { readonly verb: "note" | "ask" | "block" | "done"; readonly text: string }
  /** One more step, or the whole manifest as it should be. */
  | { readonly verb: "propose"; readonly text: string; readonly isWhole: boolean }
  | {
      readonly verb: "dispatch";
      readonly owner: string;
      readonly returns: string | undefined;
      readonly look?: string | undefined;
      readonly deadline?: string | undefined;
    };

/** @returns what to print. @throws where it cannot be said, and nothing was changed */
export function inSession({ words: [verb = "", ...rest], env, cwd }: SessionCall): string {
  const session = findSession(verb, env);
  return say(session, sayingIn(verb, readArguments(verb, rest), cwd));
}

/** The same, for whoever has arguments instead of words. */
export function speakInSession(saying: Saying, env: Env): string {
  return say(findSession(saying.verb, env), saying);
}

/** The project that a session belongs to, as the session sees it. @throws as every verb does */
export function projectOfSession(
  env: Env,
): Pick<Session, "folder" | "state" | "task"> & { readonly manifest: string | undefined } {
  const { folder, state, task } = findSession("mcp", env);
  return { folder, state, task, manifest: env["STINT_MANIFEST"] };
}

function say(session: Session, saying: Saying): string {
  switch (saying.verb) {
    case "brief":
      return briefOf(session);
    case "status":
      return statusOf(session, saying.project);
    case "note":
      leave(session, { verb: saying.verb, text: sayable(saying.verb, saying.text) });
      return "Noted. It will be in the next session's brief, below Notes.";
    case "ask":
      return ask(session, sayable(saying.verb, saying.text));
    case "block":
      leave(session, { verb: saying.verb, text: sayable(saying.verb, saying.text) });
      return `Kept: ${session.task} is blocked with this reason when you exit, unless its checks pass. Exit now.`;
    case "propose":
      return propose(session, saying);
    case "dispatch":
      return dispatch(session, saying);
    case "done":
      leave(session, { verb: saying.verb, text: saying.text });
      return doneText(session);
    default:
      return saying satisfies never;
  }
}

/** @throws for words that say nothing */
function sayingIn(verb: string, given: Given, cwd: string): Saying {
  const { words, options } = given;
  switch (verb) {
    case "brief":
      return { verb };
    case "status":
      return { verb, project: words[0] };
    case "note":
    case "ask":
    case "block":
      return { verb, text: textGiven(words) };
    case "propose": {
      const { file } = options;
      return file === undefined
        ? { verb, text: textGiven(words), isWhole: false }
        : { verb, text: manifestIn(resolve(cwd, file)), isWhole: true };
    }
    case "dispatch": {
      const { returns, look, deadline } = options;
      return { verb, owner: words.join(" "), returns, look, deadline };
    }
    case "done":
      return { verb, text: words.join(" ") };
    default:
      throw wrong(`there is no verb "${verb}" in a session`, "See all options: stint --help");
  }
}

type Proposing = Extract<Saying, { verb: "propose" }>;
type Dispatching = Extract<Saying, { verb: "dispatch" }>;

interface Session {
  readonly number: number;
  readonly task: string;
  /** The folder of the project, as the session sees it. */
  readonly folder: string;
  readonly logs: string;
  readonly seal: string;
  readonly state: ProjectState;
  readonly brief: string;
}

/** @throws where the environment is that of no session, of another, or of one that has ended */
function findSession(verb: string, env: Env): Session {
  const inbox = env[INBOX_VARIABLE] ?? "";
  const seal = env[SEAL_VARIABLE] ?? "";
  if (!isInSession(env)) {
    throw new StintError(
      "refused",
      `stint ${verb} is for a session that a run started, and this shell is not in one`,
      "Start one: stint run <manifest>; verbs for people: stint --help",
    );
  }
  const number = Number(/^[1-9]\d{0,8}$/.exec(env["STINT_SESSION"] ?? "")?.[0] ?? Number.NaN);
  const project = env["STINT_PROJECT"] ?? "";
  const folder = dirname(inbox);
  const isInbox = basename(inbox) === "inbox" && resolve(inbox) === inbox;
  if (Number.isNaN(number) || !isInbox) {
    throw refused(
      `${Number.isNaN(number) ? "STINT_SESSION" : INBOX_VARIABLE} was changed; the run set another value`,
    );
  }
  const state = readObject(join(folder, "state.json")) as ProjectState | undefined;
  if (state === undefined) throw refused(`${folder} has no project that can be read`);
  if (state.project_id !== project) {
    throw refused(
      `this inbox is that of ${state.project_id}, and STINT_PROJECT says "${project.slice(0, 40)}"`,
    );
  }
  const logs = join(folder, "logs", "sessions", String(number));
  const known = stringIn(readObject(join(logs, "seal.json"))?.["seal_sha256"]);
  if (known === undefined || known !== sha256Of(seal)) {
    throw refused(`${SEAL_VARIABLE} is not the seal of session ${number} of ${project}`);
  }
  const isOver = lstatSync(join(logs, "result.json"), { throwIfNoEntry: false }) !== undefined;
  if (isOver || !isAtWork(state, number)) {
    throw new StintError(
      "refused",
      `session ${number} of ${project} has ended; it can no longer send messages`,
      `A person can see its result: stint log ${project}`,
    );
  }
  const brief = join(logs, "brief.md");
  return { number, task: env["STINT_TASK"] ?? "the task", folder, logs, seal, state, brief };
}

function refused(why: string): StintError {
  return new StintError(
    "refused",
    why,
    "Leave STINT_* as the run set them: a session can only speak for itself.",
  );
}

function wrong(message: string, hint: string): StintError {
  return new StintError("bad-input", message, hint);
}

/** Undefined for what is no plain file with a JSON object in it. */
function readObject(path: string): Readonly<Record<string, unknown>> | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return parseJsonLine(readFileSync(path, "utf8"));
}

interface Given {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  propose: ["--file"],
  dispatch: ["--returns", "--look", "--deadline"],
};

function readArguments(verb: string, all: readonly string[]): Given {
  const words: string[] = [];
  const options: Record<string, string> = {};
  const rest = [...all];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      words.push(...rest.splice(0));
    } else if (/^--[a-z]/.test(word)) {
      const [name = "", inline] = word.split(/=(.*)/s);
      const value = inline ?? rest.shift();
      if (OPTIONS[verb]?.includes(name) !== true || value === undefined) {
        const what =
          value === undefined ? `${name} needs a value` : `unknown option ${name.slice(0, 40)}`;
        throw wrong(what, `See all options: stint ${verb} --help`);
      }
      options[name.slice(2)] = value;
    } else {
      words.push(word);
    }
  }
  return { words, options };
}

/** `-` reads it from standard input. */
export function textGiven(words: readonly string[]): string {
  return words.length === 1 && words[0] === "-" ? readStream(0) : words.join(" ");
}

/** @throws bad-input for what is no text, too long, or not plain */
export function sayable(verb: WordVerb, text: string): string {
  const why = whyUnsayable(text);
  if (why === null) return text.trim();
  const example = { ask: "Which colour?", block: "no network here", note: "tests need port 8080" };
  const right = example[verb as keyof typeof example] ?? "…";
  throw wrong(
    `stint ${verb}: ${why}`,
    text.length > LONGEST_WORD
      ? "Make it shorter, and name the file with the rest."
      : `For example: stint ${verb} "${right}"`,
  );
}

/** Of a stream or a file, as much as a message may hold, and one byte more. */
function readStream(fd: number): string {
  const buffer = Buffer.alloc(MESSAGE_MAX_BYTES + 1);
  let length = 0;
  try {
    for (let read = 1; read > 0 && length < buffer.length; length += read) {
      read = readSync(fd, buffer, length, buffer.length - length, null);
    }
  } catch (cause) {
    throw wrong(`what was given cannot be read: ${(cause as Error).message}`, "Give it as words.");
  }
  return buffer.subarray(0, length).toString("utf8");
}

function leave({ number, folder, seal }: Session, word: Word): void {
  const text = wordText(word, seal);
  if (Buffer.byteLength(text) > MESSAGE_MAX_BYTES) {
    throw wrong("it is larger than 64 KiB", "Change your copy of the manifest itself instead.");
  }
  const box = join(folder, "inbox");
  if (lstatSync(box, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refused(`${box} is not a folder`);
  }
  const inbox = new Inbox({ root: folder, folder: "." });
  if (inbox.wordsOf(number).length >= MOST_WORDS) {
    throw wrong(
      `session ${number} has sent ${MOST_WORDS} messages, which is the limit`,
      "Put the rest into files, and exit.",
    );
  }
  const tag = randomBytes(4).toString("hex");
  try {
    inbox.drop(wordName(number, Date.now(), tag), text, { randomBytes });
  } catch (cause) {
    if (!(cause instanceof StintError)) throw cause;
    throw new StintError(
      cause.code,
      `nothing was sent: ${cause.message}`,
      "Write it into .agent_iteration_done in the repository root instead: question: …, or reason: …",
      { cause },
    );
  }
}

function ask(session: Session, text: string): string {
  const before = saidBefore(session, "ask");
  if (before >= QUESTIONS_PER_SESSION) {
    throw wrong(
      `${before} questions are asked already, and a session has ${QUESTIONS_PER_SESSION}`,
      "Exit now: a person answers them before the next session on this task.",
    );
  }
  leave(session, { verb: "ask", text });
  const count = `${before + 1} of ${QUESTIONS_PER_SESSION}`;
  return `Asked (${count}). Nobody can answer while you run: leave the work as it is and exit. The answer is in the next brief.`;
}

function saidBefore({ number, folder }: Session, verb: WordVerb): number {
  const found = new Inbox({ root: folder, folder: "." }).wordsOf(number);
  return found.filter((each) => {
    const read = each.kind === "file" ? readWord(each.bytes.toString("utf8")) : "";
    return typeof read !== "string" && read.word.verb === verb;
  }).length;
}

function propose(session: Session, { text, isWhole }: Proposing): string {
  if (isWhole) leave(session, { verb: "propose", text, is_whole: true });
  else leave(session, { verb: "propose", text: sayable("propose", text) });
  return "Proposed. A person decides; until then the manifest stays as it is. Continue with your task.";
}

/** A whole manifest as a file has it. @throws bad-input */
export function manifestIn(path: string): string {
  let fd: number;
  try {
    // A pipe would wait for whoever writes into it.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    throw wrong(`${path} cannot be read`, "Name a file with the whole new manifest.");
  }
  try {
    if (!fstatSync(fd).isFile()) throw wrong(`${path} is not a file`, "Name a file.");
    const text = readStream(fd);
    const why = whyUnsayable(text, Infinity);
    if (why !== null) throw wrong(`${path}: ${why}`, "A manifest is plain text.");
    return text;
  } finally {
    closeSync(fd);
  }
}

function dispatch(session: Session, { owner, ...times }: Dispatching): string {
  leave(session, dispatchWord(owner, times));
  return `Kept: when you exit, ${session.task} waits for them and is then checked. If nobody has allowed its command, a person is asked first. Exit now.`;
}

/** @throws bad-input where it cannot be sent as it is */
export function dispatchWord(
  owner: string,
  { returns, look, deadline }: Readonly<Record<string, string | undefined>>,
): Word {
  const right = 'For example: stint dispatch "the design team" --returns "file logo.svg"';
  const why = whyUnsayable(owner, 200) ?? (returns === undefined ? "--returns is missing" : null);
  if (why !== null) throw wrong(`stint dispatch: ${why}`, right);
  for (const text of [look, deadline]) {
    if (text !== undefined && parseDuration(text) === undefined) {
      throw wrong(`"${text.slice(0, 40)}" is not a duration such as 30m, 2h or 3d`, right);
    }
  }
  const unsayable = whyUnsayable(returns ?? "", 1000);
  if (unsayable !== null) throw wrong(`--returns: ${unsayable}`, right);
  return {
    verb: "dispatch",
    text: owner.trim(),
    ...(returns !== undefined && { returns }),
    ...(look !== undefined && { look }),
    ...(deadline !== undefined && { deadline }),
  };
}

function briefOf({ brief }: Session): string {
  if (lstatSync(brief, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new StintError("not-found", `${brief} does not exist`, "It was your prompt.");
  }
  return readFileSync(brief, "utf8").trimEnd();
}

/** What decides, whatever is said here. */
function doneText({ logs }: Session): string {
  const start = readObject(join(logs, "start.json"));
  const given = objectsIn(start?.["tasks"]).flatMap(({ checks: all }) => objectsIn(all));
  const checks = given as unknown as readonly Check[];
  if (checks.length === 0)
    return "Noted. The task has no check: Stint looks at what you changed. Exit now.";
  const shown = checks.slice(0, 2).map((check) => short(describeCheck(check), 50));
  const more = checks.length > 2 ? `, and ${checks.length - 2} more` : "";
  return `Noted. When you exit, Stint decides by: ${shown.join("; ")}${more}. Exit now.`;
}

function short(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

function statusOf({ state, number, task }: Session, project: string | undefined): string {
  if (project !== undefined && project !== state.project_id && project !== state.slug) {
    throw refused(`this is a session of ${state.project_id}; it cannot see other projects`);
  }
  const live = state.tasks.filter(({ status }) => status !== "superseded");
  const done = live.filter(({ status }) => status === "done").length;
  const own = live.find(({ id }) => id === task);
  const mine = own === undefined ? task : `${own.id}, attempt ${own.attempts}`;
  const open = [
    ...state.questions.filter(({ status }) => status === "open"),
    ...state.approval_items.filter(({ status }) => status === "open"),
  ].map(({ id }) => id);
  const left = live.filter(({ status }) => status === "pending").map(({ id }) => id);
  const few = (ids: readonly string[]): string =>
    ids.length === 0
      ? "none"
      : short(ids.slice(0, 4).join(", "), 40) + (ids.length > 4 ? " …" : "");
  return [
    `${state.project_id}, session ${number}: ${mine}. Done: ${done} of ${live.length}.`,
    `Later: ${few(left)}. Waits for a person: ${few(open)}.`,
  ].join("\n");
}
