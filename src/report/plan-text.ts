// A plan for people: what would be done, checked, asked and executed.
import type { PlanView } from "../core/schema/views.ts";
import { counted } from "./amounts.ts";
import { fact, nextFacts } from "./facts.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { paintStatus } from "./status-text.ts";
import { visibleLine } from "./visible.ts";

export function planText(view: PlanView, paint: Paint): Block[] {
  const { project, limits, sessions } = view;
  const least = counted(sessions.least, "session");
  return [
    `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(view.status, paint)}: ${wordOf(view)}`,
    fact("Goal", project.goal, paint),
    fact("Manifest", `${project.manifest} sha256 ${view.plan.digest.slice(0, 12)}`, paint),
    ...(view.plan.is_behind
      ? [
          `  ${paint.yellow("The file holds changes that are not part of this plan:")} stint diff ${project.id}`,
        ]
      : []),
    ...workspaceLines(view.workspace, project.root, paint),
    fact("Work", view.delivery.text, paint),
    ...(view.delivery.push === null ? [] : [fact("Push", view.delivery.push, paint)]),
    "",
    ...view.tasks.flatMap((task) => taskLines(task, paint)),
    "",
    ...(view.agents.length === 0 ? [] : [fact("Agent", view.agents.join(", "), paint)]),
    fact(
      "Sessions",
      `${least} if every task works at once, at most ${sessions.most}; the budget has ${sessions.left} left`,
      paint,
    ),
    fact(
      "Limits",
      `${limits.tasks_per_session} tasks a session, ${limits.files_per_task} files a task, ${limits.new_files_per_session} new files a session, ${limits.moves_per_task} moves a task${limits.strict ? "; beyond them you are asked" : ""}`,
      paint,
    ),
    ...commandLines(view, paint),
    ...nextFacts(view.next, paint),
  ];
}

function wordOf({ plan }: PlanView): string {
  if (plan.approved_by !== null) return `approved by ${plan.approved_by} at ${plan.approved_at}`;
  return plan.needs_word
    ? "the plan waits for your yes"
    : "not approved yet; whoever starts the run approves it";
}

function workspaceLines(workspace: PlanView["workspace"], root: string, paint: Paint): Block[] {
  const { kind, setup, serve, dir, unseen } = workspace;
  const isCopy = kind === "own-copy";
  return [
    fact("Workspace", placeText(workspace, root), paint),
    ...(isCopy ? [fact("Brings", bringText(workspace.bring), paint)] : []),
    ...setup.map((command) => ({ commands: fact("Setup", command, paint) })),
    ...(serve === null
      ? []
      : [fact("Serves", `${serve.command}, until GET ${serve.ready} answers`, paint)]),
    ...(dir === null ? [] : [fact("Starts in", `${dir}/`, paint)]),
    ...unseen.map(
      (path) =>
        `  ${paint.yellow("Not committed:")} ${visibleLine(path)}; a session will not see it`,
    ),
  ];
}

function placeText(workspace: PlanView["workspace"], root: string): string {
  const { kind, shown_at, folder, includes_changes } = workspace;
  if (kind === "in-place") return `in place, in ${root} itself`;
  const shown = shown_at === "own-path" ? "there" : `at ${root}`;
  const start = includes_changes ? "the last commit and your changes" : "the last commit";
  return `a copy of ${start} in ${folder}; sessions see it ${shown}`;
}

const BROUGHT = {
  default: "dependency folders, .env files and the agents' local settings",
  all: "everything that no commit holds, ignored files included",
  none: "nothing that no commit holds",
} as const;

function bringText(bring: PlanView["workspace"]["bring"]): string {
  return typeof bring === "string" ? BROUGHT[bring] : bring.join(", ");
}

function taskLines(task: PlanView["tasks"][number], paint: Paint): Block[] {
  const after =
    task.after === null
      ? ""
      : ` (after: ${task.after.length === 0 ? "none" : task.after.join(", ")})`;
  const checks =
    task.checks.length === 0
      ? ["no check: weakly verified, by what it changes"]
      : task.checks.map((check) => `check: ${check}`);
  return [
    `  ${task.id} ${task.status.replace("_", " ")}  ${visibleLine(task.title)}${after}`,
    ...(task.dir === null ? [] : [`      in ${visibleLine(task.dir)}/`]),
    ...(task.in === null ? [] : ["      runs in your checkout itself, not in a workspace"]),
    ...checks.map((line) => ({ commands: `      ${visibleLine(line)}` })),
    ...task.approvals.map((line) => `      ${paint.yellow("asks you:")} ${visibleLine(line)}`),
  ];
}

function commandLines({ commands }: PlanView, paint: Paint): Block[] {
  if (commands.length === 0) return [fact("May run", "nothing of the manifest", paint)];
  return commands.map(({ command, allowed }) => ({
    commands: fact("May run", `${command}${allowed ? "" : " (not allowed yet)"}`, paint),
  }));
}
