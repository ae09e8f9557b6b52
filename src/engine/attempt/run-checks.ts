// Runs the checks of a task and keeps what they left behind. They reach the outside through a few functions:
// each child in the run's isolation, ended with it, and only as long as the run is wanted.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { CheckContext, CheckPorts, CheckRun, PersonsYes } from "../../checks/check-run.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { evidenceRecord, validationRow } from "../../checks/evidence.ts";
import { runCheck } from "../../checks/run-check.ts";
import { showPage } from "../../checks/page-check.ts";
import type { TaskId } from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Check, Evidence, Task } from "../../core/schema/task.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import type { ChildCommand } from "../../process/find-program.ts";
import type { View } from "../../process/namespace/view.ts";
import { type CommandResult, runCommand } from "../../process/run-command.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Host } from "../../store/host.ts";
import { keptPath } from "../../store/store.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext, StopWanted, Surroundings } from "../base/run-context.ts";
import { whileWanted } from "../base/while-wanted.ts";
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
}

export async function* runChecks(
  context: RunContext,
  task: Task,
  checking: Checking,
): Steps<CheckRun[]> {
  const run = (ready: Ready): Steps<CheckRun[]> => runAll(context, checking, ready);
  if (!checking.checks.some(isExecuting)) return yield* run({ trouble: () => null });
  const start = startFolder(context, task);
  const notSetUp = await setUp(context, task);
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
  { checks, when, baseline = new Map(), output }: Checking,
  { env, ...beside }: Ready,
): Steps<CheckRun[]> {
  const runs: CheckRun[] = [];
  const approved = output?.approved;
  if (checks.some(readsGit)) {
    const branch = `stint/${context.holder.entry.slug}`;
    await context.space.freshGit({ branch, canPush: false });
  }
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

/** Evidence first: a result is persisted with what proves it, never without. @returns proofs of what passed */
export function keepRuns(
  { holder }: RunContext,
  runs: readonly CheckRun[],
  attempted: { readonly task: TaskId; readonly attempt: number },
  nextStep: string,
): { readonly proofs: readonly Evidence[]; readonly rows: readonly string[] } {
  const kept = runs.map((run, index) => {
    const place = { ...attempted, ordinal: index + 1 };
    const { path, text, files, evidence } = evidenceRecord(run, place);
    for (const each of files) holder.keepWithNext(keptPath(...each.path.split("/")), each.bytes);
    holder.keepWithNext(keptPath(...path.split("/")), text);
    const row = validationRow(run, place, nextStep).trimEnd();
    return { row, proofs: run.passed ? evidence : [] };
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
  const { at, view, checkout, env, allow, host, stopWanted, browser } = surroundings;
  const own = (): Record<string, string> =>
    childEnvironment(env, { allow, extra: { STINT_CHECK: randomUUID() } });

  const runChild = async (
    what: string,
    command: ChildCommand,
    limits: { readonly timeoutMs: number; readonly maxOutputBytes: number },
    seen: View = view,
  ): Promise<CommandResult> =>
    await whileWanted(stopWanted, what, async (signal) => {
      surroundings.touched();
      const result = await runCommand(command, {
        ...limits,
        killMs: surroundings.killMs,
        runId: surroundings.runId,
        isolation: surroundings.isolation,
        view: seen,
        redact: makeRedactor(env),
        signal,
      });
      if (result.stopped) throw signal.reason;
      return result;
    });

  return {
    runShell: async (command, { dir = "", in: place, env: more, ...limits }) => {
      const start = place === "checkout" ? checkout : { at, view };
      const given = { ...own(), [WORK_TREE_VARIABLE]: start.at, ...more };
      return await runChild(
        `"${command}"`,
        { program: "sh", args: ["-c", command], cwd: join(start.at, dir), env: given },
        limits,
        start.view,
      );
    },
    showPage: async (page, options) =>
      await showPage(page, options, {
        sought: { configured: browser.configured, env, root: at, own: browser.program },
        program: browser.program,
        env: own(),
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
    redact: (text) => text.split("\n").map(makeRedactor(env)).join("\n"),
  };
}
