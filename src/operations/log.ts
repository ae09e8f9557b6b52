// `log`: the journal of a project, verified as a whole before a line of it is shown.
import * as z from "zod/mini";
import type { LogView } from "../core/schema/views.ts";
import { resolveProject } from "./resolve-project.ts";
import type { System } from "./system.ts";

export const logInput = z.object({
  project: z.optional(z.string()),
  lines: z.optional(z.int().check(z.minimum(1))),
});

export function log(system: System, input: z.infer<typeof logInput>): LogView {
  const id = resolveProject(system, input.project);
  const lines = system.store.journal(id);
  const shown = input.lines === undefined ? lines : lines.slice(-input.lines);
  return { project_id: id, total: lines.length, lines: shown };
}
