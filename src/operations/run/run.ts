// `run` and `resume`: take a project to Done, or to the next thing that only a person can decide.
// Periods of work, each under the lease, with waits between them that hold nothing.
import type { RunView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { RUN_ID_VARIABLE, WORK_TREE_VARIABLE } from "../../engine/space/open-space.ts";
import { findRepository } from "../../store/repository.ts";
import { projectFor } from "../project-for.ts";
import type { RunInput } from "./run-input.ts";
import { runView } from "./run-view.ts";
import { freshRunId, type System } from "../system.ts";
import { waitForAgents } from "./wait-for-agents.ts";
import { workPeriod } from "./work-period.ts";

export async function run(system: System, input: RunInput): Promise<RunView> {
  refuseInsideOwnRun(system);
  const project = await projectFor(system, input.target);
  const run_id = freshRunId(system);
  let worked = await workPeriod(system, input, { project, run_id, began: null });
  for (;;) {
    const { began, lease } = worked;
    // Each period follows the wait before it.
    // oxlint-disable-next-line no-await-in-loop
    const end = await waitForAgents(system, input, worked);
    if (end !== null) return await runView(system, { lease, project, began, why: end, input });
    // oxlint-disable-next-line no-await-in-loop
    worked = await workPeriod(system, input, { project, run_id, began });
  }
}

/** A session or a check of a run cannot start another run in the same work tree. */
function refuseInsideOwnRun({ cwd, env, descent }: System): void {
  const outer = env[RUN_ID_VARIABLE];
  // Who cleared the variables that say where it belongs belongs here.
  const isElsewhere = outer !== undefined && env[WORK_TREE_VARIABLE] !== findRepository(cwd).root;
  if (isElsewhere || descent() === null) return;
  throw new StintError(
    "lease-held",
    `${outer === undefined ? "a run" : `run ${outer}`} is at work here and started this very process; it starts every session itself`,
    "Do your own task and end; the run goes on with the next one.",
  );
}
