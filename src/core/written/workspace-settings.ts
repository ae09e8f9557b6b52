// What a person says of the workspace, in the front matter of a manifest or in the settings of a repository: the
// same keys, read by the same readers. A reader gives the value, or why it cannot be read.
import { hasCredentials, withAnyPort } from "./address.ts";

export interface WorkspaceSettings {
  readonly workspace?: WorkspaceWish;
  readonly bring?: Bring;
  readonly setup?: readonly string[];
  readonly serve?: Serve;
  /** Below the root, as a plain path. */
  readonly dir?: string;
}

/** Of front matter, or of the settings of a repository: both say these things in the same words. */
export function workspaceSettings(written: Readonly<Record<string, unknown>>): WorkspaceSettings {
  return {
    ...wishIn(written["workspace"]),
    ...valueOf("bring", readBring, written["bring"]),
    ...valueOf("setup", readSetup, written["setup"]),
    ...valueOf("serve", readServe, written["serve"]),
    ...valueOf("dir", readDir, written["dir"]),
  };
}

/** Every command that is executed for the workspace itself, in the order in which they start. */
export function workspaceCommands({
  setup = [],
  serve,
}: {
  readonly setup?: readonly string[];
  readonly serve?: Serve | undefined;
}): string[] {
  return [...setup, ...(serve === undefined ? [] : [serve.command])];
}

function wishIn(written: unknown): Pick<WorkspaceSettings, "workspace"> {
  const word = readWorkspaceWord(written);
  if (word.ok) return { workspace: { kind: word.value } };
  return typeof written === "object" && written !== null
    ? { workspace: written satisfies WorkspaceWish }
    : {};
}

function valueOf<K extends string, T>(
  key: K,
  read: (value: unknown) => ReadValue<T>,
  written: unknown,
): { readonly [name in K]?: T } {
  const judged = written === undefined ? undefined : read(written);
  if (judged?.ok !== true) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key widens to string
  return { [key]: judged.value } as { readonly [name in K]?: T };
}

// `workspace:` says where sessions work: in a copy that they see at the repository's path, in a copy at
// its own path, or in the folder itself.

export const WORKSPACE_WORDS = ["copy", "in-place", "own-path"] as const;
export type WorkspaceWord = (typeof WORKSPACE_WORDS)[number];

/** As written. `dir` moves the copies; it is a setting of a machine, and no manifest has it. */
export interface WorkspaceWish {
  readonly kind?: WorkspaceWord;
  readonly dir?: string;
}

function readWorkspaceWord(value: unknown): ReadValue<WorkspaceWord> {
  const word = WORKSPACE_WORDS.find((each) => each === value);
  return word === undefined ? unreadable("expected copy, in-place or own-path") : readable(word);
}

export function readWorkspaceDir(value: unknown): ReadValue<string> {
  if (typeof value !== "string" || !/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/])/.test(value)) {
    return unreadable("expected an absolute folder, or one below ~/");
  }
  return /\p{Cc}/u.test(value)
    ? unreadable("the folder contains a control character")
    : readable(value);
}

// `bring:` says what a new workspace gets of the files that git does not hold: what is usual, all,
// nothing, or what a list names. Its patterns are those of a .gitignore, and only git says what they match.

/** In a list `default` stands for what is usual, and `!pattern` takes away. */
export type Bring = "default" | "all" | "none" | readonly string[];

const WORDS = ["default", "all", "none"] as const;
const ALONE = ["all", "none"] as const;

export function readBring(value: unknown): ReadValue<Bring> {
  const word = WORDS.find((each) => each === value);
  if (word !== undefined) return readable(word);
  const patterns: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = patterns.filter((each) => typeof each === "string").map(fromTheTop);
  if (texts.length < patterns.length || texts.length === 0) {
    return unreadable("expected all, none, default, or a list of folders and patterns");
  }
  const mixed = ALONE.find((each) => texts.includes(each));
  if (mixed !== undefined)
    return unreadable(`"${mixed}" cannot be combined with others: bring: ${mixed}`);
  const reason = texts.map(patternProblem).find((each) => each !== undefined);
  if (reason !== undefined) return unreadable(reason);
  return texts.every(isTakenAway)
    ? unreadable(`it only names what to leave out; write bring: [default, ${quoted(texts)}]`)
    : readable(texts);
}

export function isTakenAway(pattern: string): boolean {
  return pattern.startsWith("!");
}

/** Git knows no `../` in a pattern. */
function fromTheTop(pattern: string): string {
  return pattern.replace(/^(!?)(?:\.\/+)+/, "$1");
}

function patternProblem(pattern: string): string | undefined {
  const wanted = isTakenAway(pattern) ? pattern.slice(1) : pattern;
  const problem = pathBelowProblem(wanted);
  if (problem !== undefined) return problem;
  return plainPath(wanted) === "" ? `"${pattern}" is everything; write bring: all` : undefined;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

// `setup:` names the commands that make a new workspace ready, in their order.

const CODE_SPAN = /^(`+)([^`]+)\1$/;

export function readSetup(value: unknown): ReadValue<readonly string[]> {
  const commands: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (commands.length === 0) return unreadable("expected a command, or a list of them");
  const read = commands.map(readCommand);
  const wrong = read.find((each) => !each.ok);
  if (wrong !== undefined && !wrong.ok) return wrong;
  return readable(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

/** A command of one line; backticks around it are those of Markdown. */
function readCommand(value: unknown): ReadValue<string> {
  if (typeof value !== "string") return unreadable("expected a command, or a list of them");
  const command = (CODE_SPAN.exec(value.trim())?.[2] ?? value).trim();
  if (command === "") return unreadable("the command is empty");
  if (/[\r\n\0]/.test(command)) {
    return unreadable("a command is one line; put more into a script and name the script");
  }
  return readable(command);
}

/**
 * `serve:` names a server that runs beside sessions and checks, in the workspace, and the address that
 * answers once it is ready. Its port is Stint's to choose, and is called $STINT_PORT.
 */
export interface Serve {
  readonly command: string;
  /** A GET of it answers when the server is ready. */
  readonly ready: string;
}

const EXPECTED = "expected a command (run) and the address that answers when it is ready (ready)";
const WRITTEN = /^(.+?)\s+ready\s+(?:GET\s+)?(\S+)$/;

export function readServe(value: unknown): ReadValue<Serve> {
  if (typeof value === "string") return readText(value.trim());
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return unreadable(EXPECTED);
  }
  const { run, ready, ...others } = value as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return unreadable(`expected run and ready, and no "${unknown}"`);
  if (typeof run !== "string" || typeof ready !== "string") return unreadable(EXPECTED);
  return serveOf(run, ready.replace(/^GET\s+/, ""));
}

function readText(text: string): ReadValue<Serve> {
  const written = WRITTEN.exec(text);
  if (written === null) {
    return unreadable('expected a command, then "ready GET" and the address that answers');
  }
  return serveOf(written[1], written[2] ?? "");
}

function serveOf(run: string | undefined, ready: string): ReadValue<Serve> {
  const command = readCommand(run);
  if (!command.ok) return command;
  const problem = addressProblem(ready);
  return problem === undefined ? readable({ command: command.value, ready }) : unreadable(problem);
}

function addressProblem(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return `"${address}" is not an http or https address`;
  if (!URL.canParse(withAnyPort(address))) return `"${address}" is not a valid address`;
  return hasCredentials(address) ? "its address contains a password" : undefined;
}

// Paths that a person names below the root of their repository: relative, and never up again.

const CONTROL = /\p{Cc}/u;

/** Why a path is refused, or undefined when it leads below the root, or to it (`.`). */
function pathBelowProblem(path: string): string | undefined {
  if (path.trim() === "") return "the path is empty";
  if (CONTROL.test(path)) return "the path contains a control character";
  if (path.includes("\\")) return `write "${path}" with forward slashes`;
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return `"${path}" is absolute`;
  if (path.startsWith("~")) return `"${path}" leads to a home folder`;
  if (path.split("/").includes("..")) return `"${path}" contains ".."`;
  return undefined;
}

/** `dir:`, as a plain path; "" is the root itself. */
export function readDir(value: unknown): ReadValue<string> {
  if (typeof value !== "string") return unreadable("expected a folder below the root");
  const path = withoutQuotes(value);
  const problem = pathBelowProblem(path);
  return problem === undefined ? readable(plainPath(path)) : unreadable(problem);
}

/** Below a task no YAML takes the quotes away that a person puts around a path. */
function withoutQuotes(text: string): string {
  return /^(["'])([^"']*)\1$/.exec(text.trim())?.[2] ?? text;
}

/** The same path without `.`, empty parts and a slash at its end; the root itself is "". */
export function plainPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

// What became of a value that a person wrote: what it means, or why it cannot be read. The reason
// follows the name of the key, as in `serve: the command is empty`.

export type ReadValue<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export function readable<T>(value: T): ReadValue<T> {
  return { ok: true, value };
}

export function unreadable(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

// Words that a person may still know and that mean nothing any longer, with what to write instead.

const NEVER_IN_YOUR_CHECKOUT = "a run never works in your checkout";

export const DIRTY_IS_GONE = `dirty: is gone: ${NEVER_IN_YOUR_CHECKOUT}. To start from your uncommitted changes: stint run … --include-changes`;

export const ALLOW_DIRTY_IS_GONE = {
  message: `--allow-dirty is gone: ${NEVER_IN_YOUR_CHECKOUT}, and uncommitted changes do not stop a run`,
  hint: "Leave it out. To start from your uncommitted changes: stint run … --include-changes",
} as const;
