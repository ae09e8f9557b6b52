// A project's status for people.
import { dataSize } from "../core/words/amounts.ts";
import type { StatusView } from "../core/schema/views.ts";
import { duration, labelsText, localTime, progressBar, spending } from "./amounts.ts";
import type { Block } from "./layout.ts";
import { nextSteps } from "./next-steps.ts";
import type { Paint } from "./paint.ts";
import type { Cell } from "./table.ts";
import { reasonText, visibleLine } from "./visible.ts";

/** What a person may have to read to its end, or to copy, is wrapped and not cut. */
const WHOLE = new Map<string, Cell["whole"]>([
  ["Next", "words"],
  ["Waits for you", "words"],
  ["Blocked by", "words"],
  ["Go on", "commands"],
  ["Folder", "commands"],
  ["Lies in", "commands"],
  ["Not promised", "words"],
  ["Not adopted", "words"],
  ["Work", "words"],
]);

const SIGNS: Record<string, string> = {
  pending: "·",
  in_progress: "▶",
  validating: "▶",
  done: "✓",
  blocked: "✗",
  awaiting_result: "…",
  awaiting_approval: "?",
  skipped: "-",
  superseded: "-",
};

export function statusText(view: StatusView, paint: Paint): Block[] {
  const { project, progress } = view;
  const heading = `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(view.status, paint)}`;
  const facts: (readonly [string, string])[] = [
    ["Goal", visibleLine(project.goal)],
    ["Manifest", visibleLine(`${project.manifest} in ${project.root}`)],
    ["Progress", progressLine(view)],
    ["Sessions", sessionsLine(view)],
    ["Time", timeLine(view)],
    ...spentLines(view),
    ...attemptLines(view),
    ...(view.pause === null ? [] : [["Paused", pausedText(view.pause)] as const]),
    ...limitLines(view),
    ["Next", visibleLine(view.next_action)],
    ...goOnLines(view),
  ];
  if (view.next_checkpoint !== null) facts.push(["Checkpoint", visibleLine(view.next_checkpoint)]);
  for (const item of view.waiting_for_a_person) {
    const until = item.expires_at === null ? "" : ` (until ${item.expires_at})`;
    facts.push(["Waits for you", `${item.id}: ${visibleLine(item.what)}${until}`]);
  }
  for (const blocker of view.blockers) {
    facts.push(["Blocked by", `${reasonText(blocker.reason)} (${visibleLine(blocker.unblock)})`]);
  }
  facts.push(...roleLines(view), ["Revision", `${view.revision}, ${lastEvent(view)}`]);
  if (view.workspace !== null) facts.push(...workspaceLines(view.workspace));
  if (view.delivery !== null) facts.push(["Work", workText(view.delivery)]);
  if (view.delivery_cut_short !== null) {
    const end = `stint doctor --repair ${project.id}`;
    facts.push(["Cut short", visibleLine(`${view.delivery_cut_short}. ${end} ends it`)]);
  }
  if (view.manifest_not_adopted !== null) {
    const { manifest } = project;
    const text = `${manifest} on disk is not taken for an edit: ${view.manifest_not_adopted}. The text from before holds.`;
    facts.push(["Not adopted", visibleLine(text)]);
  }
  if (view.folder !== "same") facts.push(["Folder", folderWarning(view)]);
  const rows = facts.map(([name, value]) => [
    { text: name, paint: paint.dim },
    { text: value, whole: WHOLE.get(name) },
  ]);
  const tasks = progress.total > 0 ? ["", ...taskLines(view, paint)] : [];
  return [heading, { rows, indent: "  " }, ...tasks];
}

/** Said once for the whole project, not for every task. */
const [UNTOLD] = spending({ tokens: null, cost_usd: null, unknown_tokens: 1, unknown_cost: 1 });

function taskLines(view: StatusView, paint: Paint): Block[] {
  const rows = view.tasks.map((task): Cell[] => {
    const colour = taskColour(task.status, paint);
    const spent = task.spent === null ? "" : spending(task.spent).join(", ");
    const notes = [task.detail ?? "", spent === UNTOLD ? "" : spent].filter((note) => note !== "");
    const detail = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    return [
      { text: SIGNS[task.status] ?? "?", paint: colour },
      { text: task.id },
      { text: task.status.replace("_", " "), paint: colour },
      { text: visibleLine(`${labelsText(task.labels)}${task.title}${detail}`) },
    ];
  });
  const more = `  … ${view.tasks_left_out} more tasks: stint status ${view.project.id} --all`;
  return [{ rows, indent: "  " }, ...(view.tasks_left_out > 0 ? [paint.dim(more)] : [])];
}

function limitLines({ agent_limits }: StatusView): [string, string][] {
  return agent_limits.map(({ agent, reason, until, in_a_row }) => {
    const when = until === undefined ? "until you did something" : `until ${localTime(until)}`;
    const times = in_a_row.usage + in_a_row.provider;
    const often = times > 1 ? `, ${times} times in a row` : "";
    return ["Limited", visibleLine(`${agent} ${when}: ${reason}${often}`)];
  });
}

function pausedText({ reason, resume_at }: NonNullable<StatusView["pause"]>): string {
  const until = resume_at === undefined ? "" : `until ${localTime(resume_at)}: `;
  return `${until}${visibleLine(reason)}`;
}

function sessionsLine({ budget }: StatusView): string {
  const { used, allowed, refused } = budget.sessions;
  const more = refused === 0 ? "" : `, ${refused} refused by a provider`;
  return `${used} used, ${Math.max(0, allowed - used)} of ${allowed} left${more}`;
}

function timeLine({ budget }: StatusView): string {
  const { used, allowed } = budget.wall_ms;
  return `${duration(used)} used, ${duration(Math.max(0, allowed - used))} of ${duration(allowed)} left`;
}

/** What agents told of their spending; nothing before the first session where nothing is limited. */
function spentLines({ budget }: StatusView): [string, string][] {
  const spent = budgetSpending(budget);
  return spent.length === 0 ? [] : [["Spent", spent.join(", ")]];
}

export function budgetSpending({ tokens, cost_usd }: StatusView["budget"]): string[] {
  return spending(
    {
      tokens: tokens.used,
      cost_usd: cost_usd.used,
      unknown_tokens: tokens.unknown,
      unknown_cost: cost_usd.unknown,
    },
    { tokens: tokens.allowed, cost_usd: cost_usd.allowed },
  );
}

function attemptLines({ current_attempt, last_failure }: StatusView): [string, string][] {
  const lines: [string, string][] = [];
  if (current_attempt !== null) {
    const { task_id, number, allowed, session, started_at } = current_attempt;
    const text = `${task_id}, attempt ${number} of ${allowed}, session ${session} since ${started_at}`;
    lines.push(["Current", text]);
  }
  if (last_failure !== null) {
    const { task_id, attempt, check, line } = last_failure;
    const said = line === "" ? "" : `: ${line}`;
    const text = `${task_id}, attempt ${attempt}, ${check}${said}`;
    lines.push(["Last failure", visibleLine(text)]);
  }
  return lines;
}

/** Work remains and nobody is at it. */
function goOnLines(view: StatusView): [string, string][] {
  if (view.roles.coordinator !== null || view.round_status === "complete") return [];
  return nextSteps(view, {}).map((step) => ["Go on", step]);
}

/** Where nothing is delegated the roles collapse into the run: it works, and recovers first. */
function roleLines({ roles }: StatusView): [string, string][] {
  const noWorker = roles.collapsed && roles.coordinator !== null ? "the coordinator" : "none";
  return [
    ["Origin", visibleLine(roles.origin)],
    ["Coordinator", visibleLine(roles.coordinator ?? "nobody: no run is active")],
    ["Worker", roles.workers.length > 0 ? visibleLine(roles.workers.join(", ")) : noWorker],
    ["Watchdog", visibleLine(roles.watchdog ?? "none: every run recovers first")],
  ];
}

function progressLine({ progress, round_status }: StatusView): string {
  const notes = [
    progress.skipped > 0 ? `${progress.skipped} skipped` : "",
    progress.blocked > 0 ? `${progress.blocked} blocked` : "",
    `last round: ${round_status}`,
  ].filter((text) => text !== "");
  return `${progressBar(progress.done, progress.total)} ${progress.done} of ${progress.total} done (${notes.join(", ")})`;
}

function lastEvent(view: StatusView): string {
  const event = view.last_event;
  return event === null ? "no event" : `${event.at}: ${visibleLine(event.summary)}`;
}

function workspaceLines(workspace: NonNullable<StatusView["workspace"]>): [string, string][] {
  const { name, isolation, path, missing, bytes, measured_at } = workspace;
  const size =
    bytes === null || measured_at === null
      ? ""
      : ` (${dataSize(bytes)}, measured ${measured_at.slice(0, 16).replace("T", " ")} UTC)`;
  const kept = isolation === "group" ? "no namespace" : `isolation by ${isolation}`;
  return [
    ["Workspace", `${name}, ${kept}`],
    ["Lies in", `${visibleLine(path)}${size}`],
    ...missing.map((text): [string, string] => ["Not promised", text]),
  ];
}

/** Where the verified work is, and what brings it in where it waits. */
export function workText(delivery: NonNullable<StatusView["delivery"]>): string {
  switch (delivery.kind) {
    case "in-place":
      return "in your files";
    case "delivered":
      return visibleLine(`on ${delivery.branch} (delivered)`);
    case "waiting": {
      const { branch, why, hint } = delivery;
      return visibleLine(`waits on ${branch}: ${why}; bring it in: ${bare(hint)}`);
    }
    default:
      return delivery satisfies never;
  }
}

/** "Bring both together: git merge x" is said as the command alone. */
function bare(hint: string): string {
  return hint.replace(/^[^:]*: (?=git |stint )/, "");
}

function folderWarning({ folder, project }: StatusView): string {
  const was = folder === "foreign" ? "is not what Stint wrote" : `is ${folder}`;
  return `${visibleLine(project.folder)}/state.json ${was}; the shadow holds the truth. Restore it: stint doctor ${project.id} --repair`;
}

export function paintStatus(status: string, paint: Paint): string {
  if (status === "Done") return paint.green(status);
  if (status === "Blocked" || status === "Abandoned") return paint.red(status);
  if (status === "AwaitingApproval" || status === "Paused") return paint.yellow(status);
  return paint.cyan(status);
}

function taskColour(status: string, paint: Paint): (text: string) => string {
  if (status === "done") return paint.green;
  if (status === "blocked") return paint.red;
  if (status === "awaiting_approval" || status === "awaiting_result") return paint.yellow;
  if (status === "in_progress" || status === "validating") return paint.cyan;
  return paint.dim;
}
