// One fresh clone of a commit: made, set up, served, its checks run in the order of their tasks, and removed again
// whatever happens. What it leaves is what its checks said.
import type { CheckRun, Trouble } from "../../checks/check-run.ts";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { runCheck } from "../../checks/run-check.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Repeated } from "../../core/proof/when-due.ts";
import type { ProofRecord } from "../../core/schema/proof-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { startServer } from "../space/serve.ts";
import { runSetupCommand } from "../space/set-up.ts";
import { startFolder, wishesOf } from "../space/workspace-commands.ts";

type Asked = ProofRecord["clones"][number]["asked"];

export interface CloneWish {
  /** An id, or a revision that git reads as one commit. */
  readonly commit: string;
  readonly asked: Asked;
  readonly tasks: readonly Repeated[];
  /** Outside of the repository, and not seen there. */
  readonly hidden: readonly string[];
}

export interface CloneRun {
  readonly commit: string;
  /** Why it could not be made ready; nothing was checked then. */
  readonly trouble: Trouble | null;
  readonly runs: readonly { readonly task: TaskId; readonly run: CheckRun }[];
  readonly record: ProofRecord["clones"][number];
}

export async function runInClone(context: RunContext, wish: CloneWish): Promise<CloneRun> {
  const fresh = await context.clone(wish.commit, wish.hidden);
  try {
    return await runOpened(fresh, wish);
  } finally {
    await fresh.space.remove();
  }
}

async function runOpened(fresh: RunContext, { asked, tasks }: CloneWish): Promise<CloneRun> {
  const { space, holder } = fresh;
  const { commit, tree } = await space.tip();
  if (commit === null) throw new Error("a clone without a commit");
  await space.freshGit({ branch: `stint/${holder.entry.slug}`, canPush: false });
  const { ran, trouble } = await setUpClone(fresh, tree);
  const runs = trouble === null ? await runTasks(fresh, tasks, tree) : [];
  const checks = runs.map(({ task, run }) => ({
    task,
    check: describeCheck(run.check),
    result: run.result,
    summary: run.summary,
    exit_code: run.exitCode ?? null,
    output: run.output,
    started_at: run.startedAt,
    duration_ms: run.durationMs,
  }));
  return { commit, trouble, runs, record: { commit, asked, setup: ran, checks } };
}

async function setUpClone(
  fresh: RunContext,
  tree: string,
): Promise<{
  readonly ran: ProofRecord["clones"][number]["setup"];
  readonly trouble: Trouble | null;
}> {
  const ran: ProofRecord["clones"][number]["setup"] = [];
  for (const [index, command] of (wishesOf(fresh).setup ?? []).entries()) {
    const log = `proof/setup/${index + 1}.log`;
    // One after another: each builds on what the ones before it made.
    // oxlint-disable-next-line no-await-in-loop
    const { exit_code, trouble } = await runSetupCommand(fresh, command, log);
    ran.push({ command, exit_code, output: trouble?.output ?? "" });
    if (trouble !== null) return { ran, trouble };
  }
  if (ran.length > 0) await fresh.space.lay(tree);
  return { ran, trouble: null };
}

/** The same check of two tasks is run once. */
async function runTasks(
  fresh: RunContext,
  tasks: readonly Repeated[],
  tree: string,
): Promise<CloneRun["runs"]> {
  const { serve: _, stop, ...server } = await startServer(fresh, "proof");
  const runs: { task: TaskId; run: CheckRun }[] = [];
  const known = new Map<string, CheckRun>();
  try {
    for (const { task, checks } of tasks) {
      const start = startFolder(fresh, task);
      for (const check of checks) {
        const key = `${start.dir}\n${checkKey(check)}`;
        let run = known.get(key);
        if (run === undefined) {
          fresh.tell({ kind: "checking", check: describeCheck(check), when: "after" });
          // One after another: checks may share files.
          // oxlint-disable-next-line no-await-in-loop
          run = await runCheck(check, fresh.checks, {
            workTree: fresh.space.folder,
            start,
            ...(server.port === undefined ? {} : { port: server.port }),
            trouble: server.trouble,
            ...(fresh.checkTimeoutMs === undefined ? {} : { timeoutMs: fresh.checkTimeoutMs }),
          });
          known.set(key, run);
        }
        runs.push({ task: task.id, run });
      }
      // What its checks changed among committed files is not there for those of the next task.
      // oxlint-disable-next-line no-await-in-loop
      if (task !== tasks.at(-1)?.task) await fresh.space.lay(tree);
    }
  } finally {
    await stop();
  }
  return runs;
}
