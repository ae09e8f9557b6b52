// How a commit is written: in the person's name, with the trailers by which it is known again after a crash,
// signed as their settings say. A signer that fails is a reason in git's own words, for a person to fix; no
// commit is made then.
import { StintError } from "../../core/stint-error.ts";
import { isOn } from "../base/git-config.ts";
import { type GitCommand, OBJECT_ID } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import { identity } from "./identity.ts";
import type { CommitRequest, Committed } from "../workspace.ts";

export type NotCommitted = Extract<Committed, { kind: "failed" }>;

export const NAMELESS = {
  why: "Git does not know who you are",
  hint: 'Tell git who you are: git config user.name "Your Name" && git config user.email you@example.com',
};

/** In the person's name, signed where they sign. @returns the commit, or why there is none */
export async function writeCommit(
  place: Place,
  tree: string,
  message: string,
): Promise<string | NotCommitted> {
  const commit = place.tip?.commit ?? null;
  const parent = commit === null ? [] : ["-p", commit];
  const words = [...parent, "-F", "-", tree];
  try {
    return await commitTree(place, words, { input: message });
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    const isNameless = /tell me who you are|empty ident|auto-detect|no (?:email|name) was given/i;
    if (isNameless.test(error.message)) return { kind: "failed", ...NAMELESS };
    if (!(error instanceof CannotSign)) throw error;
    const why = `The commit could not be signed: ${error.said}`;
    return { kind: "failed", why, hint: error.hint ?? "" };
  }
}

/** A commit on the tip that nothing refers to tells, unless the settings do. It has no files, so it also tells on a new branch. */
export async function whyNoCommit(place: Place): Promise<NotCommitted | null> {
  if (place.person === null) return null;
  const isSigned = isOn(place.settings, "commit.gpgsign");
  if (!isSigned && identity(place.settings, new Date()) !== null) return null;
  const nothing = await place.git.id(["mktree"], { input: "" });
  const tried = await writeCommit(place, nothing, "Whether git can commit here\n");
  return typeof tried === "string" ? null : tried;
}

/** `words` are those of commit-tree. @throws CannotSign */
export async function commitTree(
  { git, settings }: Place,
  words: readonly string[],
  command: GitCommand = {},
): Promise<string> {
  if (!isOn(settings, "commit.gpgsign")) return await git.id(["commit-tree", ...words], command);
  const args = ["commit-tree", "-S", ...words];
  const { code, stdout, stderr } = await git.run(args, { ...command, accept: "any" });
  const id = stdout.trim();
  if (code === 0 && OBJECT_ID.test(id)) return id;
  throw new CannotSign(stderr);
}

export class CannotSign extends StintError {
  /** On one line. */
  readonly said: string;

  constructor(stderr: string) {
    const lines = stderr.split("\n").map((line) => line.replace(/^(?:error|fatal): /, "").trim());
    const said = lines.filter((line) => line !== "").join("; ") || "git said nothing";
    super(
      "git-failed",
      `the replayed work could not be signed: ${said}`,
      "Make signing work without a prompt (gpg-agent, ssh-agent), or: git config commit.gpgsign false",
    );
    this.said = said;
  }
}

type Trailers = CommitRequest["trailers"];

/** What the message says of other tasks is left out: a session writes it, and commits are known again by it. */
export function withTrailers(message: string, trailers: Trailers): string {
  const text = withoutOthers(message, []).trim();
  return trailers.length === 0 ? `${text}\n` : `${text}\n\n${linesOf(trailers).join("\n")}\n`;
}

/** A hook may have rewritten the message. */
export function withMissingTrailers(message: string, trailers: Trailers): string {
  const text = withoutOthers(message, trailers).trim();
  const has = new Set(linesIn(text));
  const missing = linesOf(trailers).filter((line) => !has.has(line));
  return missing.length === 0 ? `${text}\n` : `${text}\n\n${missing.join("\n")}\n`;
}

/** It has all of them, and none of another task or project. */
export function carries(message: string, trailers: Trailers): boolean {
  const has = new Set(linesIn(message).filter((line) => OWN_TRAILER.test(line)));
  const wanted = linesOf(trailers);
  const isSame = has.size === new Set(wanted).size && wanted.every((line) => has.has(line));
  return wanted.length > 0 && isSame;
}

const OWN_TRAILER = /^Stint-[\w-]+\s*:/i;

function withoutOthers(message: string, trailers: Trailers): string {
  const own = new Set(linesOf(trailers));
  const isKept = (line: string): boolean => !OWN_TRAILER.test(line) || own.has(line);
  return message
    .split("\n")
    .filter((line) => isKept(line.trim()))
    .join("\n");
}

function linesIn(message: string): string[] {
  return message.split("\n").map((line) => line.trim());
}

function linesOf(trailers: Trailers): string[] {
  return trailers.map(([name, value]) => `${name}: ${value.replace(/\s+/g, " ").trim()}`);
}
