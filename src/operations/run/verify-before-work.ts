// S1-10: before a run goes on with what earlier sessions did, it makes sure that all of it is still
// there; otherwise it starts nothing. That it did is a line of the journal. The work tree is not
// judged here: what a person changed in it is taken in, not refused.
import { PERSISTENCE_VERIFIED, judgePersistence } from "../../core/history.ts";
import { isTerminal } from "../../core/project-state.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Holder } from "../../store/store.ts";
import { examineEvidence } from "../health/examine-evidence.ts";
import { nowOf, type System } from "../system.ts";

/** @throws state-corrupt when something that was done is not preserved */
export function verifyBeforeWork(system: System, holder: Holder): void {
  const { entry, state, lease } = holder;
  if (state.counters.sessions === 0 || isTerminal(state)) return;
  const id = entry.project_id;
  const judged = judgePersistence(state, system.store.journal(id));
  const lost = examineEvidence(system, entry, state)
    .filter((each) => each.shadow !== "same" && each.folder !== "same")
    .map((each) => `the evidence ${each.path} of ${each.task_id} is ${each.shadow}`);
  const problems = [...Object.values(judged).flat(), ...lost];
  if (problems.length > 0) {
    throw new StintError(
      "state-corrupt",
      `${id}: what earlier sessions left is not preserved: ${problems.join("; ")}. Nothing was started.`,
      `Look closer: stint verify ${id}; to go on all the same: stint resume ${id} --unverified`,
    );
  }
  const done = state.tasks.filter(({ status }) => status === "done").map((task) => task.id);
  holder.note({
    at: nowOf(system),
    by: lease.owner,
    kind: PERSISTENCE_VERIFIED,
    summary: `${id} was loaded with ${done.length} of ${state.tasks.length} tasks done; all of it is preserved`,
    data: { run_id: lease.run_id, pid: lease.pid, done: done.slice(-20), total: done.length },
  });
}
