// A run in the background for people: that it was started, and that it goes on where nobody watches.
import type { DetachedView, WatchView } from "../core/schema/views.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { visibleLine } from "./visible.ts";

export function detachedText({ project_id, pid, log, next }: DetachedView, paint: Paint): Block[] {
  return [
    `${paint.bold(project_id)} runs in the background, pid ${pid}. You may close this terminal.`,
    { whole: fact("Log", visibleLine(log), paint) },
    ...nextFacts(next, paint, "Or"),
  ];
}

export function leftText({ project_id, pid }: WatchView, paint: Paint): Block[] {
  const who = pid === null ? "" : ` (pid ${pid})`;
  return [
    `You no longer watch ${project_id}; its run continues${who}.`,
    ...nextFacts([`stint watch ${project_id}`, `stint stop ${project_id}`], paint, "Or"),
  ];
}
