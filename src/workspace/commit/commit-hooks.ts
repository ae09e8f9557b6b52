// The person's commit hooks, run as they are in the person's checkout, where sessions run, on a repository
// that is thrown away. What they made of the files and of the message is what gets committed.
import { appendFileSync, cpSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { writePlainly } from "../base/durable-file.ts";
import { renderSettings, valueOf } from "../base/git-config.ts";
import { type GitCommand, OBJECT_ID } from "../base/own-git.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import type { InsideResult, Place, WithGit } from "../base/place.ts";
import { factsIfPossible } from "../base/raw-path.ts";
import type { NotCommitted } from "./write-commit.ts";
import { capture } from "../tree/capture.ts";
import { treeWith } from "../tree/combine.ts";
import { lay } from "../tree/lay.ts";
import { storeOwnFiles } from "../tree/own-index.ts";
import { writeSessionGit } from "../tree/session-git.ts";
import type { OwnFile } from "../workspace.ts";

const NAMES = new Set(["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]);
const LAST_LINES = 20;

interface HookedCommit {
  readonly tree: string;
  readonly own: readonly OwnFile[];
  readonly message: string;
}

export type Hooked =
  | { readonly kind: "passed"; readonly tree: string; readonly message: string }
  | NotCommitted;

/** The folder of the hooks; null where no hook of a commit is there. */
export function commitHooks(place: WithGit): string | null {
  const folder = hooksFolder(place);
  const isConfigured = place.settings.some(({ key }) => key.startsWith("hook."));
  return isConfigured || namesIn(folder).some((name) => isProgram(join(folder, name)))
    ? folder
    : null;
}

export function hooksFolder({ person, settings }: WithGit): string {
  const configured = valueOf(settings, "core.hookspath");
  const home = process.env["HOME"] ?? homedir();
  return configured === null
    ? join(person.folder.common, "hooks")
    : resolve(person.checkout, configured.replace(/^~(?=\/)/, home));
}

export async function runCommitHooks(
  place: WithGit,
  hooks: string,
  commit: HookedCommit,
): Promise<Hooked> {
  await lay(place, commit.tree);
  const branch = `stint/${place.options.slug}`;
  const git = await writeSessionGit(place, { branch, canPush: false });
  const settings = [
    { key: "core.hookspath", value: putHooks(git, place.person, hooks) },
    { key: "core.editor", value: "true" },
    ...place.settings.filter(({ key }) => key.startsWith("hook.")),
  ];
  appendFileSync(join(git, "config"), renderSettings(settings));
  writePlainly(join(git, "STINT_MESSAGE"), commit.message);
  const { exitCode, output } = await commitInside(place, ".git/STINT_MESSAGE");
  const head = sessionHead(place.folder);
  if (exitCode !== 0 || head === null || head === place.tip?.commit)
    return hookRefusal(hooks, output);
  const message = await sessionCommitMessage(place, head);
  const captured = await capture(place);
  if (captured.kind === "uncommittable") {
    const [problem] = captured.problems;
    const why = `The hooks left ${problem?.path}, which ${problem?.why}`;
    return { kind: "failed", why, hint: problem?.hint ?? "" };
  }
  const own = await storeOwnFiles(place, commit.own, captured.tree);
  return { kind: "passed", tree: await treeWith(place, captured.tree, own), message };
}

/** The hooks run with it, where sessions run: a session could have written them. `file` holds the message. */
export async function commitInside({ options, at }: Place, file: string): Promise<InsideResult> {
  const args = ["commit", "--quiet", "--no-status", "--cleanup=whitespace", "-F", file];
  return await options.runInside({ program: "git", args, cwd: at, env: {} });
}

/** Copies of the person's files: those in the workspace are a session's. @returns where git finds them */
export function putHooks(git: string, person: PersonRepository, hooks: string): string {
  const isOurs = [person.checkout, person.folder.common].some((top) => hooks.startsWith(top + sep));
  if (!isOurs) return hooks;
  // Tools that keep their runner in a folder `_` keep the hooks themselves beside it.
  const root = basename(hooks) === "_" ? dirname(hooks) : hooks;
  const name = basename(root);
  cpSync(root, join(git, "stint-hooks", name), { recursive: true, dereference: true });
  return join(".git", "stint-hooks", name, relative(root, hooks));
}

export function hookRefusal(hooks: string, output: string): NotCommitted {
  return {
    kind: "failed",
    why: `A commit hook refused: ${lastWords(output)}`,
    hint: `The work is kept. The hooks are in ${hooks}: correct the work or the hook, then continue`,
  };
}

/** What a hook said at its end. */
export function lastWords(output: string): string {
  return output.trim().split("\n").slice(-LAST_LINES).join("\n") || "it printed nothing";
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAMES.has(name));
  } catch {
    return [];
  }
}

export function isProgram(path: string): boolean {
  try {
    return (statSync(path).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

const MOST = 100;
const LARGEST_BYTES = 16 * 1024 * 1024;
/** Its objects are what a session left: pipes among them would hold git for ever. */
const LONGEST_MS = 10_000;

/**
 * Of the commits that a session made in its own repository. Its refs are read as files and its objects through
 * Stint's own git, so that nothing it configured counts.
 */
export async function sessionMessages(place: Place): Promise<readonly string[]> {
  const head = sessionHead(place.folder);
  const base = place.tip?.commit ?? null;
  if (head === null || head === base) return [];
  const range = base === null ? [head] : [head, `^${base}`];
  const args = ["log", "--reverse", "-z", `--max-count=${MOST}`, "--format=%B", ...range];
  try {
    const { stdout } = await place.git.run(args, withSessionObjects(place));
    return stdout
      .split("\0")
      .map((text) => text.trim())
      .filter((text) => text !== "");
  } catch (error) {
    // A session may leave anything in there; its messages are no more than a courtesy.
    if (error instanceof StintError) return [];
    throw error;
  }
}

async function sessionCommitMessage(place: Place, commit: string): Promise<string> {
  const args = ["log", "-1", "--format=%B", commit];
  return (await place.git.run(args, withSessionObjects(place))).stdout.trim();
}

/** For git that reads what a session made, with none of its settings. */
export function withSessionObjects(place: Place): Pick<GitCommand, "env" | "timeoutMs"> {
  const objects = join(place.folder, ".git", "objects");
  return { env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }, timeoutMs: LONGEST_MS };
}

/** The commit that a session's repository is at. */
function sessionHead(folder: string): string | null {
  const git = join(folder, ".git");
  if (factsIfPossible(git)?.isDirectory() !== true) return null;
  const head = plainText(join(git, "HEAD"));
  const ref = /^ref: (refs\/[^\n]+)$/.exec(head)?.[1];
  if (ref === undefined) return commitIn(head);
  if (ref.split("/").includes("..")) return null;
  const packed = plainText(join(git, "packed-refs")).split("\n");
  const line = packed.find((each) => each.slice(each.indexOf(" ") + 1) === ref) ?? "";
  return commitIn(plainText(join(git, ref))) ?? commitIn(line.slice(0, line.indexOf(" ")));
}

function commitIn(text: string): string | null {
  return OBJECT_ID.exec(text)?.[0] ?? null;
}

/** Of a file that is one; "" for everything else. */
export function plainText(path: string): string {
  try {
    const facts = lstatSync(path);
    return facts.isFile() && facts.size < LARGEST_BYTES ? readFileSync(path, "utf8").trim() : "";
  } catch {
    return "";
  }
}
