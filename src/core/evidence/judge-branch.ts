// What the notes of a repository say of the tasks on a branch, commit by commit. A task is told of by the trailers
// of its commit or by a note on it; a note counts for exactly the files that it is about. Pure.
import type {
  EvidenceStatement,
  MarkedTask,
  NotedCheck,
  NotedProof,
  NotedTask,
} from "../schema/evidence-note.ts";
import { isWeak } from "./evidence-statement.ts";

/** A task that a commit says it holds. */
export interface Claim {
  readonly project: string;
  readonly task: string;
  /** Null where the commit does not say. */
  readonly attempt: number | null;
}

export interface BranchCommit {
  readonly id: string;
  readonly tree: string;
  readonly claims: readonly Claim[];
  /** There is a note on it that nobody can read. */
  readonly isUnreadable: boolean;
}

export type SignatureFound =
  | { readonly kind: "good"; readonly by: string; readonly key: string }
  | { readonly kind: "unknown-key"; readonly key: string; readonly why: string }
  | { readonly kind: "bad"; readonly why: string }
  | { readonly kind: "unchecked"; readonly why: string }
  | { readonly kind: "none" };

/** A line of a note. */
export interface SaidOn {
  /** The commit that the note is on. */
  readonly on: string;
  readonly statement: EvidenceStatement;
  readonly signature: SignatureFound;
}

export type EvidenceStatus = "verified" | "weakly" | "marked" | "untrusted" | "changed" | "none";

export interface TaskEvidence {
  readonly project: string;
  readonly task: string;
  readonly name: string | null;
  readonly title: string | null;
  /** Null where no commit of its own holds it. */
  readonly commit: string | null;
  readonly status: EvidenceStatus;
  /** What that rests on, in words. */
  readonly why: string;
  readonly labels: readonly string[];
  readonly checks: readonly NotedCheck[];
  readonly approvals: NonNullable<NotedTask["approvals"]>;
  readonly signature: SignatureFound;
}

export interface BranchEvidence {
  /** The oldest first. */
  readonly tasks: readonly TaskEvidence[];
  /** The youngest commit that is proven to pass in a fresh clone. */
  readonly proof: (NotedProof & { readonly commit: string }) | null;
}

/** The trailers of a commit, wherever in its message a squash or a merge has put them. */
export function claimsIn(message: string): Claim[] {
  const claims: Claim[] = [];
  let project = "";
  for (const line of message.split("\n")) {
    const [, name, value = ""] = /^\s*Stint-(Project|Task|Attempt): (\S+)\s*$/.exec(line) ?? [];
    const last = claims.at(-1);
    if (name === "Project") project = value;
    else if (name === "Task") claims.push({ project, task: value, attempt: null });
    else if (name === "Attempt" && last?.attempt === null && /^\d{1,9}$/.test(value)) {
      claims[claims.length - 1] = { ...last, attempt: Number(value) };
    }
  }
  return claims;
}

/** `commits` are those of the branch that claim a task or have a note, the oldest first. */
export function judgeBranch(
  commits: readonly BranchCommit[],
  said: readonly SaidOn[],
  options: { readonly mustBeSigned: boolean },
): BranchEvidence {
  const tasks = commits.flatMap((commit) =>
    [...commit.claims, ...unclaimed(commit, said)].map((claim) =>
      withTrust(judgeClaim(commit, claim, said), options.mustBeSigned),
    ),
  );
  const known = new Set(tasks.map(({ project, task }) => `${project} ${task}`));
  const fitting = commits.flatMap((commit) => said.filter((each) => isAbout(each, commit)));
  const marked = fitting.flatMap(({ statement, signature }) => {
    const { project, marked: list = [] } = statement.predicate.stint;
    return list.map((task) => markedEvidence(project, task, signature));
  });
  const proven = fitting.findLast(({ statement }) => statement.predicate.stint.proof !== undefined);
  const proof = proven?.statement.predicate.stint.proof;
  return {
    tasks: [...marked.filter(({ project, task }) => !known.has(`${project} ${task}`)), ...tasks],
    proof:
      proven === undefined || proof === undefined || proven.signature.kind === "bad"
        ? null
        : { ...proof, commit: proven.on },
  };
}

/** Tasks that changed nothing have no commit of their own: the note on what they stand on tells of them. */
function unclaimed(commit: BranchCommit, said: readonly SaidOn[]): Claim[] {
  return said
    .filter((each) => isAbout(each, commit))
    .flatMap(({ statement: { predicate } }) =>
      predicate.stint.tasks.map(({ id, attempt }) => ({
        project: predicate.stint.project as string,
        task: id as string,
        attempt,
      })),
    )
    .filter(
      ({ project, task }) =>
        !commit.claims.some((claim) => claim.project === project && claim.task === task),
    );
}

interface Telling extends SaidOn {
  readonly task: NotedTask;
  readonly about: string;
  readonly tree: string;
}

function judgeClaim(commit: BranchCommit, claim: Claim, said: readonly SaidOn[]): TaskEvidence {
  const telling = said.flatMap((each) => tellingOf(each, claim));
  const here = telling.filter(({ on }) => on === commit.id);
  const exact = telling.filter(({ about, tree }) => about === commit.id && tree === commit.tree);
  const best = bestOf(exact.filter(({ on }) => on === commit.id));
  if (best !== null) return evidence(commit, claim, best, wordsOf(best));
  const [moved] = exact;
  if (moved !== undefined) {
    return changed(commit, claim, moved, `its note is on ${short(moved.on)} instead`);
  }
  const same = bestOf(telling.filter(({ tree }) => tree === commit.tree));
  if (same !== null) {
    const words = `${wordsOf(same)}; verified as ${short(same.about)}, with the same files`;
    return evidence(commit, claim, same, words);
  }
  const [other] = [...here, ...telling];
  if (other !== undefined) {
    const isHere = other.on === commit.id;
    const what = isHere ? "the note on it is about" : "it was verified as";
    return changed(commit, claim, other, `${what} ${short(other.about)}, which has other files`);
  }
  return {
    ...nothingKnown(commit, claim),
    why: commit.isUnreadable ? "the note on it cannot be read" : "there is no note about it",
  };
}

function tellingOf(each: SaidOn, { project, task, attempt }: Claim): Telling[] {
  const { predicate, subject } = each.statement;
  if (predicate.stint.project !== project) return [];
  const found = predicate.stint.tasks.find(
    (noted) => noted.id === task && (attempt === null || noted.attempt === attempt),
  );
  if (found === undefined) return [];
  const [{ digest: of }, { digest: with_ }] = subject;
  return [{ ...each, task: found, about: of.gitCommit, tree: with_.gitTree }];
}

function isAbout({ on, statement }: SaidOn, { id, tree }: BranchCommit): boolean {
  const [{ digest: of }, { digest: with_ }] = statement.subject;
  return on === id && of.gitCommit === id && with_.gitTree === tree;
}

const TRUST = ["good", "unknown-key", "unchecked", "none", "bad"];

/** Whoever adds a line to a note takes nothing away from the others. */
function bestOf(telling: readonly Telling[]): Telling | null {
  const inOrder = telling.toSorted(
    (one, other) => TRUST.indexOf(one.signature.kind) - TRUST.indexOf(other.signature.kind),
  );
  return inOrder[0] ?? null;
}

function evidence(commit: BranchCommit, claim: Claim, best: Telling, why: string): TaskEvidence {
  const { task, signature } = best;
  const isMarked =
    task.checks.length === 0 &&
    task.changed_tree === undefined &&
    (task.chunks ?? []).length === 0 &&
    (task.said_by ?? []).length > 0;
  const status = isMarked ? "marked" : isWeak(task) ? "weakly" : "verified";
  return { ...knownOf(commit, claim, task), status, why, signature };
}

function changed(commit: BranchCommit, claim: Claim, found: Telling, why: string): TaskEvidence {
  const { task, signature } = found;
  return { ...knownOf(commit, claim, task), status: "changed", why, signature };
}

function knownOf(
  commit: BranchCommit,
  claim: Claim,
  { name, title, labels, checks, approvals = [] }: NotedTask,
): Omit<TaskEvidence, "status" | "why" | "signature"> {
  return { ...nothingKnown(commit, claim), name, title, labels, checks, approvals };
}

function nothingKnown({ id }: BranchCommit, { project, task }: Claim): Omit<TaskEvidence, "why"> {
  return {
    project,
    task,
    name: null,
    title: null,
    commit: id,
    status: "none",
    labels: [],
    checks: [],
    approvals: [],
    signature: { kind: "none" },
  };
}

function markedEvidence(
  project: string,
  { id, name, title, by }: MarkedTask,
  signature: SignatureFound,
): TaskEvidence {
  return {
    project,
    task: id,
    name,
    title,
    commit: null,
    status: "marked",
    why: `marked by ${by}, not verified by Stint`,
    labels: [],
    checks: [],
    approvals: [],
    signature,
  };
}

/** A signature that does not fit says that somebody changed it since; one that is wanted must be known. */
function withTrust(found: TaskEvidence, mustBeSigned: boolean): TaskEvidence {
  const { signature, status } = found;
  if (status === "none" || status === "changed") return found;
  switch (signature.kind) {
    case "good":
      return found;
    case "bad":
      return { ...found, status: "changed", why: `its note was changed: ${signature.why}` };
    case "none":
      return mustBeSigned
        ? { ...found, status: "untrusted", why: "its note is not signed" }
        : found;
    case "unknown-key":
    case "unchecked": {
      const why = signature.kind === "unchecked" ? signature.why : unknownWords(signature);
      return mustBeSigned ? { ...found, status: "untrusted", why } : found;
    }
    default:
      return signature satisfies never;
  }
}

function unknownWords({ key, why }: Extract<SignatureFound, { kind: "unknown-key" }>): string {
  return `its note is signed with ${key}: ${why}`;
}

function wordsOf({ task, statement }: Telling): string {
  const { checks, labels, changed_tree, chunks = [], said_by = [] } = task;
  const { replayed } = statement.predicate.stint;
  const words = [
    ...checks.map(({ text }) => text),
    ...(changed_tree === undefined ? [] : ["files changed"]),
    ...(chunks.length === 0 ? [] : [`its parts ${chunks.join(", ")}`]),
    ...said_by.map((who) => `${who} said yes`),
  ].join(", ");
  const labelled = labels.length === 0 ? words : `${words} (${labels.join(", ")})`;
  return replayed === undefined ? labelled : `${labelled}; replayed from ${short(replayed.from)}`;
}

function short(commit: string): string {
  return commit.slice(0, 10);
}
