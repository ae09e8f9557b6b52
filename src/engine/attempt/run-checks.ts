// Runs the checks of a task and keeps what they left behind.
import type { CheckContext, CheckRun, PersonsYes } from "../../checks/check-run.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { type EvidenceRecord, evidenceRecord, validationRow } from "../../checks/evidence.ts";
import { runCheck } from "../../checks/run-check.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Check, Evidence, Task } from "../../core/schema/task.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { keptPath } from "../../store/store.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { startServer } from "../space/serve.ts";
import { setUp } from "../space/set-up.ts";
import { startFolder } from "../space/workspace-wishes.ts";
import { agentAsker, type Review, type Reviewed } from "./agent-review.ts";

/** What others are asked about: the output of a task, and a person's yes to it. */
export interface Output extends Reviewed {
  readonly approved?: PersonsYes | undefined;
}

export async function* runChecks(
  context: RunContext,
  task: Task,
  checks: readonly Check[],
  when: "before" | "after",
  baseline: ReadonlyMap<string, Sha256 | null> = new Map(),
  output?: Output,
): Steps<CheckRun[]> {
  const run = (ready: Ready): Steps<CheckRun[]> =>
    runAll(context, checks, { when, baseline, output, ready });
  if (!checks.some(isExecuting)) return yield* run({ trouble: () => null });
  const start = startFolder(context, task);
  const notSetUp = await setUp(context, task);
  if (notSetUp !== null) return yield* run({ start, trouble: () => notSetUp });
  const { server, stop } = await startServer(context, `${task.id}-${when}`);
  try {
    if (server === null) return yield* run({ start, trouble: () => null });
    const { port, env, trouble } = server;
    return yield* run({ start, port, env, trouble });
  } finally {
    await stop();
  }
}

/** What stands ready beside checks: where they start, and the server. */
interface Ready extends Pick<CheckContext, "start" | "port" | "trouble"> {
  /** For whoever reviews. */
  readonly env?: Readonly<Record<string, string>>;
}

async function* runAll(
  context: RunContext,
  checks: readonly Check[],
  asked: {
    readonly when: "before" | "after";
    readonly baseline: ReadonlyMap<string, Sha256 | null>;
    readonly output: Output | undefined;
    readonly ready: Ready;
  },
): Steps<CheckRun[]> {
  const { when, baseline, output, ready } = asked;
  const runs: CheckRun[] = [];
  const approved = output?.approved;
  if (checks.some(readsGit)) {
    const branch = `stint/${context.holder.entry.slug}`;
    await context.space.freshGit({ branch, canPush: false });
  }
  const { env, ...beside } = ready;
  const reviews: Review[] = [];
  const asking = agentAsker(context, when === "after" ? output : undefined, reviews, env);
  const notAsking = agentAsker(context, undefined, reviews);
  for (const check of checks) {
    context.tell({ kind: "checking", check: describeCheck(check), when });
    // One after another: checks of one task may share files.
    // oxlint-disable-next-line no-await-in-loop
    const run = await runCheck(check, context.checks, {
      workTree: context.space.folder,
      baseline,
      // Nobody looks at what has failed already.
      askAgent: runs.some(({ result }) => result === "failed") ? notAsking : asking,
      ...beside,
      ...(approved === undefined ? {} : { approved }),
      ...(context.checkTimeoutMs === undefined ? {} : { timeoutMs: context.checkTimeoutMs }),
    });
    // What a review cost is durable before its answer is, which is not asked for again.
    for (const { spent, keep } of reviews.splice(0)) {
      yield { event: spent };
      keep();
    }
    tellOf(context, run, when);
    runs.push(run);
  }
  return runs;
}

/** A person's word, and what a file holds, need neither setup nor server. */
function isExecuting({ kind }: Check): boolean {
  return kind !== "file" && kind !== "review" && kind !== "render";
}

/** A command may ask git; it sees the tree that would be committed. */
function readsGit({ kind }: Check): boolean {
  return kind === "command" || kind === "agent-review";
}

export function failingKeys(runs: readonly CheckRun[]): string[] {
  return runs.filter(({ result }) => result === "failed").map(({ check }) => checkKey(check));
}

/** What nobody answered yet, or could not be run, neither passed nor failed. */
function tellOf({ tell }: RunContext, run: CheckRun, when: "before" | "after"): void {
  const check = describeCheck(run.check);
  if (run.result === "passed" || run.result === "failed") {
    tell({ kind: "check", check, passed: run.passed, when });
  } else if (when === "after") tell({ kind: "notice", text: `check ${check}: ${run.summary}` });
}

export interface KeptRuns {
  readonly records: readonly EvidenceRecord[];
  /** Of those that passed. */
  readonly proofs: readonly Evidence[];
  readonly rows: readonly string[];
}

/** Evidence first: a result is persisted with what proves it, never without. */
export function keepRuns(
  { holder }: RunContext,
  runs: readonly CheckRun[],
  task: TaskId,
  attempt: number,
  nextStep: string,
): KeptRuns {
  const places = runs.map((_, index) => ({ task, attempt, ordinal: index + 1 }));
  const records = runs.map((run, index) => evidenceRecord(run, at(places, index)));
  for (const { path, text, files } of records) {
    for (const each of files) holder.keepWithNext(keptPath(...each.path.split("/")), each.bytes);
    holder.keepWithNext(keptPath(...path.split("/")), text);
  }
  const rows = runs.map((run, index) => validationRow(run, at(places, index), nextStep).trimEnd());
  const proofs = records
    .filter((_, index) => runs[index]?.passed === true)
    .flatMap((record) => record.evidence);
  return { records, proofs, rows };
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
}
