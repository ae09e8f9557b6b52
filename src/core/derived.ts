// Stand-in until the rules land.
import { PHASE, ROUND_STATUS } from "./project-state.ts";
import type { ProjectState } from "./schema/project.ts";

export function derivedFields(state: ProjectState) {
  return {
    round_status: ROUND_STATUS[state.status],
    phase: PHASE[state.status],
    current_step: null,
    completed_work: { total: 0, last: [] },
    blocked_reason: null,
    awaiting_approval: false,
    retry_count: 0,
    max_retries: 0,
    interrupted: false,
    active_loop: false,
    sessions: { total: 0 },
  };
}
