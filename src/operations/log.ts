// `log`: the journal of a project, verified as a whole before a line of it is shown.
import type { LogView } from "../core/schema/views.ts";
import { resolveProject } from "./resolve-project.ts";
import type { System } from "./system.ts";

export interface LogInput {
  readonly project?: string | undefined;
  /** Only the last so many lines. */
  readonly lines?: number | undefined;
}

export async function log(system: System, input: LogInput): Promise<LogView> {
  const id = await resolveProject(system, input.project);
  const lines = system.store.journal(id);
  const shown = input.lines === undefined ? lines : lines.slice(-input.lines);
  return { project_id: id, total: lines.length, lines: shown };
}
