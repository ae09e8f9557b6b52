// A plan for people: what would be done, checked, asked and executed.
import type { PlanView } from "../core/schema/views.ts";
import { counted } from "./amounts.ts";
import type { Paint } from "./paint.ts";
import { paintStatus } from "./status-text.ts";
import { visibleLine } from "./visible.ts";

export function planText(view: PlanView, paint: Paint): string {
  const { project, limits, sessions } = view;
  const least = counted(sessions.least, "session");
  return [
    `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(view.status, paint)}: ${wordOf(view)}`,
    `  ${paint.dim("Goal:")} ${visibleLine(project.goal)}`,
    `  ${paint.dim("Manifest:")} ${visibleLine(project.manifest)} sha256 ${view.plan.digest.slice(0, 12)}`,
    ...(view.plan.is_behind
      ? [
          `  ${paint.yellow("The file holds changes that are not part of this plan:")} stint diff ${project.id}`,
        ]
      : []),
    ...workspaceLines(view.workspace, project.root, paint),
    `  ${paint.dim("Work:")} ${visibleLine(view.delivery.text)}`,
    ...(view.delivery.push === null
      ? []
      : [`  ${paint.dim("Push:")} ${visibleLine(view.delivery.push)}`]),
    "",
    ...view.tasks.flatMap((task) => taskLines(task, paint)),
    "",
    `  ${paint.dim("Sessions:")} ${least} if every task works at once, at most ${sessions.most}; the budget has ${sessions.left} left`,
    `  ${paint.dim("Limits:")} ${limits.tasks_per_session} tasks a session, ${limits.files_per_task} files a task, ${limits.new_files_per_session} new files a session, ${limits.moves_per_task} moves a task${limits.strict ? "; beyond them you are asked" : ""}`,
    ...commandLines(view, paint),
    ...view.next.map(
      (step, index) => `  ${paint.dim(`${index === 0 ? "Next" : "Then"}:`)} ${visibleLine(step)}`,
    ),
  ].join("\n");
}

function wordOf({ plan }: PlanView): string {
  if (plan.approved_by !== null) return `approved by ${plan.approved_by} at ${plan.approved_at}`;
  return plan.needs_word
    ? "the plan waits for your yes"
    : "not approved yet; whoever starts the run approves it";
}

function workspaceLines(workspace: PlanView["workspace"], root: string, paint: Paint): string[] {
  const { kind, setup, serve, dir, unseen } = workspace;
  const isCopy = kind === "own-copy";
  const line = (name: string, text: string): string =>
    `  ${paint.dim(`${name}:`)} ${visibleLine(text)}`;
  return [
    line("Workspace", placeText(workspace, root)),
    ...(isCopy ? [line("Brings", bringText(workspace.bring))] : []),
    ...setup.map((command) => line("Setup", command)),
    ...(serve === null
      ? []
      : [line("Serves", `${serve.command}, until GET ${serve.ready} answers`)]),
    ...(dir === null ? [] : [line("Starts in", `${dir}/`)]),
    ...unseen.map(
      (path) =>
        `  ${paint.yellow("Not committed:")} ${visibleLine(path)}; a session will not see it`,
    ),
  ];
}

function placeText({ kind, shown_at, folder }: PlanView["workspace"], root: string): string {
  if (kind === "in-place") return `in place, in ${root} itself`;
  const shown = shown_at === "own-path" ? "there" : `at ${root}`;
  return `a copy of the last commit in ${folder}; sessions see it ${shown}`;
}

const BROUGHT = {
  default: "dependency folders, .env files and the agents' local settings",
  all: "everything that no commit holds, ignored files included",
  none: "nothing that no commit holds",
} as const;

function bringText(bring: PlanView["workspace"]["bring"]): string {
  return typeof bring === "string" ? BROUGHT[bring] : bring.join(", ");
}

function taskLines(task: PlanView["tasks"][number], paint: Paint): string[] {
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
    ...checks.map((line) => `      ${visibleLine(line)}`),
    ...task.approvals.map((line) => `      ${paint.yellow("asks you:")} ${visibleLine(line)}`),
  ];
}

function commandLines({ commands }: PlanView, paint: Paint): string[] {
  if (commands.length === 0) return [`  ${paint.dim("May run:")} nothing of the manifest`];
  return commands.map(
    ({ command, allowed }) =>
      `  ${paint.dim("May run:")} ${visibleLine(command)}${allowed ? "" : " (not allowed yet)"}`,
  );
}
