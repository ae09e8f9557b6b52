// How a run ended, read back from what it persisted: nothing here comes from its memory.
import { readHistory } from "../../core/history.ts";
import type { TaskId } from "../../core/ids.ts";
import type { JournalEntry, Lease } from "../../core/schema/project.ts";
import type { RunView } from "../../core/schema/views.ts";
import { nextSteps } from "../../report/next-steps.ts";
import { sessionReport } from "../../report/session-report.ts";
import type { RunInput } from "./run-input.ts";
import { status } from "../status.ts";
import type { System } from "../system.ts";
import { verify } from "../verify.ts";

export interface RunEnded {
  readonly lease: Lease;
  readonly project: string;
  readonly began: { readonly revision: number; readonly atMs: number };
  readonly why: string;
  readonly input: Pick<RunInput, "agent" | "fallback" | "report">;
}

export async function runView(system: System, ended: RunEnded): Promise<RunView> {
  const { lease, began, why, input } = ended;
  const view = await status(system, { project: ended.project });
  const { id, folder } = view.project;
  const lines = system.store.journal(id);
  const { completions, attempts } = readHistory(lines);
  const own = attempts.filter(({ revision }) => revision > began.revision);
  return {
    why,
    run: {
      run_id: lease.run_id,
      pid: lease.pid,
      from_revision: began.revision,
      sessions: new Set(own.map(({ session }) => session)).size,
      wall_ms: Math.max(0, Math.round(system.host.nowMs() - began.atMs)),
    },
    done: [...completions]
      .filter(([, { revision }]) => revision > began.revision)
      .map(([task]) => task as TaskId),
    commits: lastOfEach(lines.flatMap((line) => commitIn(line, began.revision))),
    evidence: `${folder}/artifacts/evidence`,
    next: nextSteps(view, input),
    report:
      input.report === true ? await told(system, view.project.id, lines, began.revision) : null,
    status: view,
  };
}

async function told(
  system: System,
  id: RunView["status"]["project"]["id"],
  lines: readonly JournalEntry[],
  since: number,
): Promise<RunView["report"]> {
  const verdict = await verify(system, { project: id });
  return sessionReport({ state: system.store.read(id).state, lines, since, verdict });
}

/** Work that followed the person's branch was committed again: the last commit is the one that counts. */
function lastOfEach(commits: RunView["commits"]): RunView["commits"] {
  return [...new Map(commits.map((each) => [each.task_id, each])).values()];
}

function commitIn({ kind, revision, data }: JournalEntry, since: number): RunView["commits"] {
  const commit = data?.["commit"];
  const isOwn = kind === "commit-recorded" && revision > since;
  if (!isOwn || typeof commit !== "string" || commit === "none") return [];
  return [{ task_id: data?.["task_id"] as TaskId, commit }];
}
