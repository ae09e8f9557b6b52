// How tasks were verified, as an in-toto statement about the commit that holds them: a test result that any
// tool can read, and beside it what Stint knows beyond that. The same state gives the same bytes.
import type { DoneTask } from "../project-state.ts";
import type {
  EvidenceStatement,
  MarkedTask,
  NotedCheck,
  NotedProof,
  NotedTask,
} from "../schema/evidence-note.ts";
import type { Task } from "../schema/task.ts";
import { VERSION } from "../words/version.ts";
import { counted } from "../words/amounts.ts";
import { oneLine } from "../words/plain-line.ts";

export interface Subject {
  readonly commit: string;
  readonly tree: string;
}

export interface StatementFacts {
  readonly project: NotedProject["project"];
  /** As a reader of the repository knows it. */
  readonly manifest: string;
  readonly tasks: readonly NotedTask[];
  readonly marked?: readonly MarkedTask[];
  /** Where the commit was made anew from another. */
  readonly replayed?: NotedProject["replayed"];
  readonly proof?: NotedProof;
}

type NotedProject = EvidenceStatement["predicate"]["stint"];

export function evidenceStatement(
  { commit, tree }: Subject,
  { project, manifest, tasks, marked = [], replayed, proof }: StatementFacts,
): EvidenceStatement {
  const [warned, passed] = [tasks.filter(isWeak), tasks.filter((task) => !isWeak(task))];
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      { name: "commit", digest: { gitCommit: commit } },
      { name: "tree", digest: { gitTree: tree } },
    ],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: warned.length > 0 ? "WARNED" : "PASSED",
      configuration: [{ name: manifest, digest: { gitCommit: commit } }],
      passedTests: [...passed.flatMap(testNames), ...provenTests(proof)],
      warnedTests: warned.flatMap(testNames),
      failedTests: [],
      stint: {
        version: VERSION,
        project,
        ...(replayed === undefined ? {} : { replayed }),
        tasks: [...tasks],
        ...(marked.length === 0 ? {} : { marked: [...marked] }),
        ...(proof === undefined ? {} : { proof }),
      },
    },
  };
}

/** Whether somebody who relies on it should look at it first. */
export function isWeak({ labels, checks, chunks = [] }: NotedTask): boolean {
  return labels.length > 0 || (checks.length === 0 && chunks.length === 0);
}

function testNames({ name, checks }: NotedTask): string[] {
  return checks.length === 0 ? [name] : checks.map(({ text }) => `${name}: ${text}`);
}

function provenTests(proof: NotedProof | undefined): string[] {
  return proof === undefined ? [] : [`${counted(proof.checks, "check")} in a fresh clone`];
}

/** A done task as its statement names it; `checks` is what its records say. */
export function notedTask(task: DoneTask, checks: readonly NotedCheck[]): NotedTask {
  const { id, name, title, attempts, done_at, labels = [], evidence, grants = [] } = task;
  const changed = evidence.find((each) => each.kind === "diff");
  const chunks = evidence.flatMap((each) => (each.kind === "chunks" ? each.tasks : []));
  const people = evidence.flatMap((each) => (each.kind === "person" ? [each.who] : []));
  const approvals = grants.map(({ kind, by, at, subject_sha256 }) => ({
    kind,
    by,
    at,
    subject_sha256,
  }));
  return {
    id,
    name: oneLine(name),
    title: oneLine(title),
    attempt: attempts,
    done_at,
    labels: [...labels],
    checks: [...checks],
    ...(changed === undefined ? {} : { changed_tree: changed.tree }),
    ...(chunks.length === 0 ? {} : { chunks }),
    ...(people.length === 0 ? {} : { said_by: people }),
    ...(approvals.length === 0 ? {} : { approvals }),
  };
}

/** More of them would be a list, not a note. */
const MOST_MARKED = 200;

/**
 * Tasks that are done by a person's word since the last commit of the project: no commit of their own tells of
 * them, so the next one does, once.
 */
export function markedSince(tasks: readonly Task[]): MarkedTask[] {
  const done = tasks.filter((task): task is DoneTask => task.status === "done");
  const last = done
    .filter(({ commit }) => commit !== undefined)
    .reduce((latest, { done_at }) => (done_at > latest ? done_at : latest), "");
  return done
    .filter(({ commit, done_at }) => commit === undefined && done_at > last)
    .flatMap(({ id, name, title, done_at, evidence: [first, ...more] }) =>
      first.kind === "person" && more.length === 0
        ? [{ id, name: oneLine(name), title: oneLine(title), by: first.who, at: done_at }]
        : [],
    )
    .slice(0, MOST_MARKED);
}

/** Whether a statement tells of this very completion of a task. */
export function tellsOf(
  { predicate }: EvidenceStatement,
  project: string,
  { id, attempts, done_at }: Pick<DoneTask, "id" | "attempts" | "done_at">,
): boolean {
  const { stint } = predicate;
  return (
    stint.project === project &&
    stint.tasks.some(
      (task) => task.id === id && task.attempt === attempts && task.done_at === done_at,
    )
  );
}
