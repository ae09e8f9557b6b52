// What the watchdog did and what ticks it, for people. A tick that found nothing says nothing.
import type { WatchdogView } from "../core/schema/views.ts";
import type { Block, Paint } from "./layout.ts";
import { statusWord } from "./status/idle.ts";
import { visibleLine } from "./visible.ts";

type Act = NonNullable<WatchdogView["tick"]>["acts"][number];
type Timer = NonNullable<WatchdogView["timer"]>;

export function watchdogText(view: WatchdogView, paint: Paint): Block[] {
  if (view.timer !== null) return timerText(view.action, view.timer, paint);
  return (view.tick?.acts ?? []).map((act) => actLine(act));
}

/** One line, also for a log: who, what, why, and where to look. */
export function actLine({ project_id, slug, act, why, recovery }: Act): string {
  const name = slug === null ? project_id : `${project_id} ${slug}`;
  const what = {
    resume: `continues in the background (${recovery === 1 ? "first" : "second"} time without new evidence)`,
    escalate: `was paused and waits for you`,
    look: "needs you to look",
  }[act];
  const next = {
    resume: `stint status ${project_id}; to end it: stint stop ${project_id}`,
    escalate: `stint resume ${project_id}`,
    look: `stint doctor ${project_id}`,
  }[act];
  return `stint watchdog: ${name} ${what}: ${visibleLine(why)} (${next})`;
}

const KINDS = {
  systemd: "a systemd timer",
  launchd: "a launchd agent",
  cron: "a line of your crontab",
  process: "its own process",
};

function timerText(action: WatchdogView["action"], timer: Timer, paint: Paint): Block[] {
  const { kind, live, places, changed, last_tick, watches, unreadable } = timer;
  if (action === "remove") {
    return [changed ? "removed; nothing ticks automatically any more" : "nothing was installed"];
  }
  const lines: Block[] = [];
  if (kind === null) {
    lines.push(
      "Nothing ticks automatically on this machine.",
      `  ${paint.dim("→")} stint watchdog install`,
    );
  } else {
    const done = action === "install" && changed ? "installed: " : "";
    lines.push(`${done}${KINDS[kind]}, ${live ? paint.green("live") : paint.red("not live")}`);
    lines.push(...places.map((place) => `  ${visibleLine(place)}`));
  }
  lines.push(last_tick === null ? "It has not ticked yet." : `It ticked last at ${last_tick}.`);
  if (watches.length === 0 && unreadable.length === 0) lines.push("No project is watched.");
  else if (watches.length > 0)
    lines.push(`It watches ${watches.length} ${watches.length === 1 ? "project" : "projects"}:`);
  for (const { project_id, slug, status, held } of watches)
    lines.push(`  ${project_id} ${slug} ${statusWord(status, held)}`);
  for (const { project_id, why } of unreadable) {
    lines.push(`${project_id} cannot be read: ${visibleLine(why)}`);
    lines.push(`  ${paint.dim("→")} stint doctor ${project_id}`);
  }
  return lines;
}
