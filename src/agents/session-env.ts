// The variables every session gets, whichever agent it is: where its brief is, whose work it does.
import type { SessionRequest } from "./agent.ts";

export function sessionEnv(request: SessionRequest): Record<string, string> {
  return {
    STINT_BRIEF: request.briefPath,
    STINT_PROJECT: request.project,
    STINT_SESSION: String(request.session),
    STINT_TASK: request.task.id,
    STINT_TASK_NAME: request.task.name,
    STINT_ATTEMPT: String(request.attempt),
    STINT_MANIFEST: request.manifestPath,
  };
}
