// Runs the checks of a task and keeps what they left behind. They reach the outside through a few functions:
// each child in the run's isolation, ended with it, and only as long as the run is wanted.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { CheckContext, CheckPorts, CheckRun, PersonsYes } from "../../checks/check-run.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { type EvidencePlace, evidenceRecord, validationRow } from "../../checks/evidence.ts";
import { runCheck } from "../../checks/run-check.ts";
import { showPage } from "../../checks/page-check.ts";
import type { Baseline } from "../../core/task-memory.ts";
import { instantFromMs } from "../../core/instant.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Check, Evidence, Task } from "../../core/schema/task.ts";
import { childEnvironment, heldBack, missedCredentials } from "../../process/child-environment.ts";
import type { ChildCommand } from "../../process/find-program.ts";
import type { View } from "../../process/namespace/view.ts";
import { type CommandResult, runCommand } from "../../process/run-command.ts";
import type { Host } from "../../store/host.ts";
import { keptPath } from "../../store/store.ts";
import { memoryOfStarted } from "../base/kept-record.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext, StopWanted, Surroundings } from "../base/run-context.ts";
import { redacted } from "../base/secrets.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { layTree } from "../space/task-work.ts";
import { WORK_TREE_VARIABLE } from "../space/open-space.ts";
import { startServer } from "../space/serve.ts";
import { setUp } from "../space/set-up.ts";
import { startFolder } from "../space/workspace-commands.ts";
import { agentAsker, type Review, type Reviewed } from "./agent-review.ts";

/** What others are asked about: the output of a task, and a person's yes to it. */
export interface Output extends Reviewed {
  readonly approved?: PersonsYes | undefined;
}

export interface Checking {
  readonly checks: readonly Check[];
  readonly when: "before" | "after";
  /** Digests of the files that they name, as they were before. */
  readonly baseline?: ReadonlyMap<string, Sha256 | null>;
  readonly output?: Output | undefined;
  /** Which of these files a command opens or executes is looked at. */
  readonly watch?: readonly string[];
  /** Which results of a short command are not believed before it ran a second time. */
  readonly again?: (run: CheckRun) => boolean;
  /** The files that they run on, to be put back where a command said something else the second time. */
  readonly tree?: string;
  /** What may explain a failure, in a sentence. */
  readonly hint?: string | undefined;
  /** Only a question about what a check tells: nobody is told how it went, nothing is set up for it. */
  readonly question?: { readonly timeoutMs: number };
}

/** What a check left behind. */
export type Ran = CheckRun & {
  /** Which of the watched files it read; undefined where that was not looked at. */
  readonly read?: ReadonlySet<string> | undefined;
  /** It said the same when it was run once more. */
  readonly isSameAgain?: boolean;
  /** It failed before that, with nothing changed in between. */
  readonly unreliable?: CheckRun;
  /** It passed before that, with nothing changed in between. */
  readonly flickered?: true;
};

export async function* runChecks(
  context: RunContext,
  task: Task,
  checking: Checking,
): Steps<Ran[]> {
  const run = (ready: Ready): Steps<Ran[]> => runAll(context, checking, ready);
  if (!checking.checks.some(isExecuting)) return yield* run({ trouble: () => null });
  const start = startFolder(context, task);
  const notSetUp = checking.question === undefined ? await setUp(context, task) : null;
  if (notSetUp !== null) return yield* run({ start, trouble: () => notSetUp });
  const { serve: _, stop, ...server } = await startServer(context, `${task.id}-${checking.when}`);
  try {
    return yield* run({ start, ...server });
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
  checking: Checking,
  { env, ...beside }: Ready,
): Steps<Ran[]> {
  const { checks, when, baseline = new Map(), output, watch = [], hint, question } = checking;
  const runs: Ran[] = [];
  const approved = output?.approved;
  if (checks.some(readsGit)) {
    const branch = `stint/${context.holder.entry.slug}`;
    await context.space.freshGit({ branch, canPush: false });
  }
  const reviews: Review[] = [];
  const asking = agentAsker(context, when === "after" ? output : undefined, reviews, env);
  const notAsking = agentAsker(context, undefined, reviews);
  const timeoutMs = question?.timeoutMs ?? context.checkTimeoutMs;
  for (const check of checks) {
    if (question === undefined) {
      context.tell({ kind: "checking", check: describeCheck(check), when });
    }
    const isWatched = check.kind === "command" && watch.length > 0;
    const reads = isWatched ? context.space.watchReads(watch) : undefined;
    // One after another: checks of one task may share files.
    const run = (): Promise<CheckRun> =>
      runCheck(check, context.checks, {
        workTree: context.space.folder,
        baseline,
        // Nobody looks at what has failed already.
        askAgent: runs.some(({ result }) => result === "failed") ? notAsking : asking,
        ...beside,
        ...(approved === undefined ? {} : { approved }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    // oxlint-disable-next-line no-await-in-loop
    const ran = withHint(await believed(context, checking, run), hint);
    // What a review cost is durable before its answer is, which is not asked for again.
    for (const { spent, keep } of reviews.splice(0)) {
      yield { event: spent };
      keep();
    }
    if (question === undefined) tellOf(context, ran, { when, hint });
    runs.push(reads === undefined ? ran : { ...ran, read: reads() });
  }
  return runs;
}

function withHint(run: Ran, hint: string | undefined): Ran {
  if (hint === undefined || run.result !== "failed") return run;
  const gap = run.output === "" || run.output.endsWith("\n") ? "" : "\n";
  return { ...run, output: `${run.output}${gap}stint: ${hint}\n` };
}

/** A command that takes longer is not run twice. */
const SHORT_MS = 10_000;

/** A short command that says something else the second time says nothing: both are told. */
async function believed(
  context: RunContext,
  { again, tree, when }: Checking,
  run: () => Promise<CheckRun>,
): Promise<Ran> {
  const first = await run();
  // One that was not run at all has no exit code.
  const isShort = typeof first.exitCode === "number" && first.durationMs < SHORT_MS;
  if (first.check.kind !== "command" || !isShort || again?.(first) !== true) return first;
  const second = await run();
  if (second.passed === first.passed) return { ...first, isSameAgain: true };
  if (when === "before") return second.passed ? { ...second, unreliable: first } : second;
  // What it left itself may be in its way: it gets the same files once more.
  const touched = tree === undefined ? [] : await layTree(context, tree);
  const third = touched.length === 0 ? second : await run();
  if (third.passed) return { ...third, isSameAgain: true };
  if (third.result !== "failed") return third;
  return {
    ...third,
    flickered: true,
    summary: `it passed, and when Stint ran it once more ${third.summary}`,
    output: `First it passed:\n${first.output.trimEnd()}\n\nThen it failed, with nothing changed in between:\n${third.output}`,
  };
}

/**
 * Before a session: red is run again, once for a task; green, if it was red on these very files.
 * @param redHere keys of the checks that were
 */
export function againBefore(
  context: RunContext,
  task: Task,
  redHere: ReadonlyMap<string, unknown> = new Map(),
): (run: CheckRun) => boolean {
  const { redTwice = [], unreliable = [] } = memoryOfStarted(context, task);
  const known = new Set([...redTwice, ...unreliable]);
  return ({ check, passed, result }) => {
    const key = checkKey(check);
    return passed ? redHere.has(key) : result === "failed" && !known.has(key);
  };
}

/** A person's word, and what a file holds, need neither setup nor server. */
function isExecuting({ kind }: Check): boolean {
  return kind !== "file" && kind !== "review" && kind !== "render";
}

/** A command may ask git; it sees the tree that would be committed. */
function readsGit({ kind }: Check): boolean {
  return kind === "command" || kind === "agent-review";
}

function failingKeys(runs: readonly CheckRun[]): string[] {
  return runs.filter(({ result }) => result === "failed").map(({ check }) => checkKey(check));
}

/** What the checks of a task said before a session, as it is remembered. */
export function whatWasRed(
  runs: readonly Ran[],
): Pick<Baseline, "failing" | "redTwice" | "unreliable"> {
  const keys = (some: readonly Ran[]): string[] => some.map(({ check }) => checkKey(check));
  return {
    failing: failingKeys(runs),
    redTwice: keys(runs.filter(({ passed, isSameAgain }) => !passed && isSameAgain === true)),
    unreliable: keys(runs.filter(({ unreliable }) => unreliable !== undefined)),
  };
}

/** What nobody answered yet, or could not be run, neither passed nor failed. */
function tellOf(
  { tell }: RunContext,
  run: CheckRun,
  { when, hint }: Pick<Checking, "when" | "hint">,
): void {
  const check = describeCheck(run.check);
  if (run.result === "passed" || run.result === "failed") {
    const why = hint === undefined ? run.summary : `${run.summary}; ${hint}`;
    const seen = run.passed ? {} : { seen: why };
    tell({ kind: "check", check, passed: run.passed, when, ...seen });
  } else if (when === "after") tell({ kind: "notice", text: `check ${check}: ${run.summary}` });
}

/** A run of a check, which one of its task's it is, and what it was asked on where that is not the work itself. */
export type Kept = Pick<EvidencePlace, "ordinal" | "asked"> & { readonly run: CheckRun };

/** Evidence first: a result is persisted with what proves it, never without. @returns proofs of what passed */
export function keepRuns(
  { holder }: RunContext,
  all: readonly Kept[],
  attempted: Pick<EvidencePlace, "task" | "attempt" | "isLook">,
  nextStep: string,
): { readonly proofs: readonly Evidence[]; readonly rows: readonly string[] } {
  const kept = all.map(({ run, ...which }) => {
    const place = { ...attempted, ...which };
    const { path, text, files, evidence } = evidenceRecord(run, place);
    for (const each of files) holder.keepWithNext(keptPath(...each.path.split("/")), each.bytes);
    holder.keepWithNext(keptPath(...path.split("/")), text);
    const row = validationRow(run, place, nextStep).trimEnd();
    // A question proves something whatever its answer is.
    return { row, proofs: run.passed || which.asked !== undefined ? evidence : [] };
  });
  return { proofs: kept.flatMap(({ proofs }) => proofs), rows: kept.map(({ row }) => row) };
}

export interface BrowserChoice {
  /** `browser:` of the settings. */
  readonly configured: string | undefined;
  /** The bundled program that drives a browser. */
  readonly program: string;
}

export interface CheckSurroundings extends Surroundings {
  /** The person's own files, for commands that a manifest wants there. */
  readonly checkout: Pick<Surroundings, "at" | "view">;
  readonly browser: BrowserChoice;
  /** The tree that was laid last. */
  readonly laidTree: () => string;
  /** Called whenever something is about to run that may change files. */
  readonly touched: () => void;
  readonly host: Host;
  readonly stopWanted: () => StopWanted | null;
}

const DRIVER_OUTPUT_BYTES = 16 * 1024;

export function checkPorts(surroundings: CheckSurroundings): CheckPorts {
  const { at, view, walls, network, checkout, env, allow, secrets, host, stopWanted, browser } =
    surroundings;
  const own = (credentials: readonly string[] | undefined): Record<string, string> =>
    childEnvironment(env, { allow, credentials, extra: { STINT_CHECK: randomUUID() } });

  const runChild = async (
    what: string,
    command: ChildCommand,
    limits: { readonly timeoutMs: number; readonly maxOutputBytes: number },
    seen: View = walls.around(view),
  ): Promise<CommandResult> =>
    await whileWanted(stopWanted, what, async (signal) => {
      surroundings.touched();
      const result = await runCommand(command, {
        ...limits,
        killMs: surroundings.killMs,
        runId: surroundings.runId,
        isolation: surroundings.isolation,
        ownFolder: surroundings.ownFolder,
        view: seen,
        redact: secrets.redactor(),
        signal,
      });
      if (result.stopped) throw signal.reason;
      return result;
    });

  return {
    runShell: async (command, options) => {
      const { dir = "", in: place, protect, credentials, env: more, ...limits } = options;
      const isThere = place === "checkout";
      const start = isThere ? checkout : { at, view };
      const walled = walls.around(
        { ...start.view, network },
        isThere ? { folders: [start.at] } : {},
      );
      const seen = protect === "off" ? start.view : walled;
      const passed = credentials === "all" ? undefined : [];
      const given = { ...own(passed), [WORK_TREE_VARIABLE]: start.at, ...more };
      const ran = await runChild(
        `"${command}"`,
        { program: "sh", args: ["-c", command], cwd: join(start.at, dir), env: given },
        limits,
        seen,
      );
      if (ran.exitCode === 0) return ran;
      const why = [
        missedCredentials(ran.output, heldBack(env, { allow, credentials: passed })),
        (protect === "off" ? null : walls.refusal(ran.output, start.at)) ?? "",
      ];
      const said = why.filter((each) => each !== "").map((each) => `stint: ${each}\n`);
      return said.length === 0 ? ran : { ...ran, output: `${ran.output}${said.join("")}` };
    },
    showPage: async (page, options) =>
      await showPage(page, options, {
        sought: { configured: browser.configured, env, root: at, own: browser.program },
        program: browser.program,
        env: own([]),
        isRoot: process.getuid?.() === 0,
        run: async (command, timeoutMs) =>
          await runChild("the browser", command, {
            timeoutMs,
            maxOutputBytes: DRIVER_OUTPUT_BYTES,
          }),
      }),
    whileWanted: async (what, work) => await whileWanted(stopWanted, what, work),
    treeHash: async () => surroundings.laidTree(),
    now: () => instantFromMs(host.nowMs()),
    variable: (name) => env[name],
    redact: (text) => redacted(secrets, text),
  };
}
