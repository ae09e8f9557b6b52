// A manifest for people: its problems, the project made of it, and what would be done.
import type { LintView, NewView, PlanView, ProblemView } from "../core/schema/views.ts";
import { counted } from "../core/words/amounts.ts";
import { exampleLabel } from "../core/words/example-label.ts";
import { givenName } from "../core/words/given-name.ts";
import { NOT_VERIFIED } from "../core/words/task-standing.ts";
import { shellWord } from "../core/written/commands.ts";
import { localTime } from "./amounts.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { boundsLines, type Branch, branchSign, inTree } from "./task-tree.ts";
import { visibleLine, visibleText } from "./visible.ts";
import { paintStatus } from "./status-text.ts";
import { statusWord } from "./status/idle.ts";

export function lintText(view: LintView, paint: Paint): Block[] {
  return view.files.flatMap((file) => [
    ...reviewLines(file, paint),
    ...file.problems.flatMap((problem) => problemText(file.file, problem, paint)),
    summary(file, paint),
    ...(file.foretold === undefined ? [] : foretoldLines(file.foretold, paint)),
  ]);
}

const WHEN = {
  before: "before it starts",
  release: "before it starts, because it is a release step",
  after: "about its output, before it is done",
} as const;

/** What a run of it would do, in the words of a plan. */
function foretoldLines(
  { workspace, delivery, acts, asked, next }: NonNullable<LintView["files"][number]["foretold"]>,
  paint: Paint,
): Block[] {
  const isCopy = workspace.kind === "own-copy";
  return [
    ...deliveryLines(delivery, paint),
    fact("Workspace", isCopy ? startText(workspace, false) : "in place, in your files", paint),
    ...leftOutLines(workspace, paint),
    ...commandsBefore(workspace, paint),
    ...acts.map(({ task, act }) => fact("Stint runs itself", `${act}, as task ${task}`, paint)),
    ...asked.map(({ task, when }) => fact("Asks you", `task ${task}, ${WHEN[when]}`, paint)),
    { commands: fact("All of it", next, paint) },
  ];
}

function deliveryLines({ text, deliver, kind, push }: PlanView["delivery"], paint: Paint): Block[] {
  const name = kind === "in-place" ? "Commits" : `Commits (deliver: ${deliver})`;
  return [fact(name, text, paint), ...(push === null ? [] : [fact("Push", push, paint)])];
}

/** What makes a workspace ready, and what runs beside the work. */
function commandsBefore(
  { setup, serve }: Pick<PlanView["workspace"], "setup" | "serve">,
  paint: Paint,
): Block[] {
  return [
    ...setup.map((command) => ({ commands: fact("Setup", command, paint) })),
    ...(serve === null
      ? []
      : [fact("Serves", `${serve.command}, until GET ${serve.ready} answers`, paint)]),
  ];
}

export function problemText(file: string, problem: ProblemView, paint: Paint): Block[] {
  const place = problem.column === undefined ? problem.line : `${problem.line}:${problem.column}`;
  const colour = problem.severity === "error" ? paint.red : paint.yellow;
  return [
    `${visibleLine(file)}:${place}: ${colour(problem.severity)}: ${visibleText(problem.message)} ${paint.dim(`[${problem.rule}]`)}`,
    ...block("found", problem.found),
    ...block(exampleLabel(problem), problem.example),
  ];
}

/** As it stands in the manifest, or is to be written there. */
function block(label: string, text: string): Block[] {
  if (text === "") return [];
  return visibleText(text)
    .split("\n")
    .map((line, index) => ({ whole: `    ${index === 0 ? `${label}:` : "      "} ${line}` }));
}

/** What a review log asks for, each item at its line. */
function reviewLines({ file, review = [] }: LintView["files"][number], paint: Paint): Block[] {
  return review.map(({ line, id, title, resolved_by }) => {
    const state =
      resolved_by === null
        ? paint.yellow("open")
        : `${paint.green("resolved")} by ${visibleLine(resolved_by)}`;
    return `${visibleLine(file)}:${line}: ${paint.bold(visibleLine(id))} ${visibleLine(title)}: ${state}`;
  });
}

function summary(file: LintView["files"][number], paint: Paint): string {
  if (file.review !== undefined) return reviewSummary(file, file.review, paint);
  const counts = `${counted(file.tasks, "task")}, ${counted(file.errors, "error")}, ${counted(file.warnings, "warning")}`;
  const colour = file.errors > 0 ? paint.red : file.warnings > 0 ? paint.yellow : paint.green;
  return `${visibleLine(file.file)}: ${colour(counts)}`;
}

function reviewSummary(
  { file, warnings }: LintView["files"][number],
  review: NonNullable<LintView["files"][number]["review"]>,
  paint: Paint,
): string {
  const open = review.filter(({ resolved_by }) => resolved_by === null).length;
  const counts = `a review log with ${counted(review.length, "item")}, ${open} open, ${counted(warnings, "warning")}`;
  return `${visibleLine(file)}: ${(warnings > 0 ? paint.yellow : paint.green)(counts)}`;
}

const SHOWN = 20;

export function newText(view: NewView, paint: Paint): Block[] {
  const { project } = view;
  const tasks = view.tasks
    .slice(0, SHOWN)
    .map((task) => [
      { text: task.done ? "✓" : "·", paint: task.done ? paint.green : paint.dim },
      { text: task.id },
      { text: visibleLine(task.title) },
    ]);
  const hidden = view.tasks.length - tasks.length;
  return [
    ...view.problems.flatMap((problem) => problemText(project.manifest, problem, paint)),
    `Created ${paint.bold(project.slug)} with id ${paint.bold(project.id)}`,
    { rows: tasks, indent: "  " },
    ...(hidden > 0 ? [paint.dim(`  … ${hidden} more`)] : []),
    `Folder  ${visibleLine(project.folder)}`,
    { commands: `Next    ${view.next}` },
  ];
}

export function planText(view: PlanView, paint: Paint): Block[] {
  const { project, limits, sessions } = view;
  const least = counted(sessions.least, "session");
  return [
    `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(statusWord(view.status, view.held), paint)}: ${wordOf(view)}`,
    fact("Goal", project.goal, paint),
    fact("Manifest", `${project.manifest} sha256 ${view.plan.digest.slice(0, 12)}`, paint),
    ...(view.plan.is_behind
      ? [
          `  ${paint.yellow("The file has changes that are not part of this plan:")} stint diff ${project.id}`,
        ]
      : []),
    ...workspaceLines(view.workspace, project.root, paint),
    ...deliveryLines(view.delivery, paint),
    ...(view.warnings === 0 ? [] : [warningLine(view, paint)]),
    "",
    ...inTree(view.tasks).flatMap((branch) => taskLines(branch, paint)),
    "",
    ...gateLines(view, paint),
    ...(view.agents.length === 0 ? [] : [fact("Agent", view.agents.join(", "), paint)]),
    fact(
      "Sessions",
      `${least} if every task works at once, at most ${sessions.most}; the budget has ${sessions.left} left`,
      paint,
    ),
    ...waveLines(view, paint),
    fact(
      "Limits",
      `${limits.tasks_per_session} tasks a session, ${limits.files_per_task} files a task, ${limits.new_files_per_session} new files a session, ${limits.moves_per_task} moves a task${limits.strict ? "; beyond them you are asked" : ""}`,
      paint,
    ),
    ...commandLines(view, paint),
    ...nextFacts(view.next, paint),
  ];
}

function warningLine({ warnings, project }: PlanView, paint: Paint): Block {
  const look = `stint lint ${shellWord(project.manifest)}`;
  return { commands: fact("Lint", `${counted(warnings, "warning")}: ${look}`, paint) };
}

/** What a person can say yes to now, and what they are asked about all the same. */
function gateLines({ gates }: PlanView, paint: Paint): Block[] {
  const { ahead, command, later } = gates;
  const starts = ahead.length === 1 ? "start" : "starts";
  return [
    ...(ahead.length === 0
      ? []
      : [fact("Asks you", `before the ${starts} of ${ahead.join(", ")}`, paint)]),
    ...(command === null ? [] : [{ commands: fact("Approve all gates now", command, paint) }]),
    ...later.map((what) => fact("Cannot be approved ahead", what, paint)),
  ];
}

const SHOWN_WAVES = 20;

function waveLines({ parallel }: PlanView, paint: Paint): Block[] {
  if (parallel === undefined || parallel.waves.length === 0) return [];
  const { sessions, waves, longest } = parallel;
  const shown = waves
    .slice(0, SHOWN_WAVES)
    .map((wave, index) => fact(`Wave ${index + 1}`, wave.join(", "), paint));
  const more = waves.length - SHOWN_WAVES;
  return [
    fact(
      "In parallel",
      `at most ${counted(sessions, "session")}; ${counted(waves.length, "wave")} if all take equally long`,
      paint,
    ),
    ...shown,
    ...(more > 0 ? [paint.dim(`  … ${counted(more, "more wave")}`)] : []),
    fact("Longest path", `${counted(longest.length, "task")}: ${longest.join(" → ")}`, paint),
  ];
}

function wordOf({ plan }: PlanView): string {
  if (plan.approved_by !== null && plan.approved_at !== null) {
    return `approved by ${plan.approved_by} at ${localTime(plan.approved_at)}`;
  }
  return plan.needs_word
    ? "the plan waits for your yes"
    : "not approved yet; whoever starts the run approves it";
}

function workspaceLines(workspace: PlanView["workspace"], root: string, paint: Paint): Block[] {
  const { kind, dir, unseen } = workspace;
  const isCopy = kind === "own-copy";
  return [
    fact("Workspace", placeText(workspace, root), paint),
    ...(isCopy ? [fact("Brings", bringText(workspace.bring), paint)] : []),
    ...leftOutLines(workspace, paint),
    ...commandsBefore(workspace, paint),
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
  return `${startText(workspace, includes_changes)} in ${folder}; sessions see it ${shown}`;
}

type StartFacts = Pick<PlanView["workspace"], "has_commit" | "left_out">;

function startText({ has_commit }: StartFacts, includesChanges: boolean): string {
  if (has_commit) return `a copy of the last commit${includesChanges ? " and your changes" : ""}`;
  return includesChanges
    ? "a copy of your changes"
    : "an empty folder (the repository has no commit yet)";
}

function leftOutLines({ left_out }: StartFacts, paint: Paint): Block[] {
  return left_out.map((text) => fact("Not in it", text, paint));
}

const BROUGHT = {
  default: "dependency folders, .env files and the agents' local settings",
  all: "everything that is not in git, ignored files included",
  none: "nothing that is not in git",
} as const;

function bringText(bring: PlanView["workspace"]["bring"]): string {
  return typeof bring === "string" ? BROUGHT[bring] : bring.join(", ");
}

function taskLines({ task, depth }: Branch<PlanView["tasks"][number]>, paint: Paint): Block[] {
  const after =
    task.after === null
      ? ""
      : ` (after: ${task.after.length === 0 ? "none" : task.after.join(", ")})`;
  const act = task.act === null ? [] : [actLine(task.act)];
  const name = task.chunk_of === undefined ? givenName(task) : null;
  const title = name === null ? task.title : `${name} - ${task.title}`;
  const below = `      ${"  ".repeat(depth)}`;
  const child = task.child === undefined ? [] : [`${below}child ${visibleLine(task.child)}`];
  const bounds = task.bounds === undefined ? [] : boundsLines(task.bounds);
  return [
    `  ${branchSign(depth)}${task.id} ${task.status.replace("_", " ")}  ${visibleLine(title)}${after}`,
    ...child,
    ...(task.dir === null ? [] : [`${below}in ${visibleLine(task.dir)}/`]),
    ...(task.in === null ? [] : [`${below}runs in your checkout itself, not in a workspace`]),
    ...(task.delegated === undefined
      ? []
      : [`${below}delegated to ${visibleLine(task.delegated)}`]),
    ...[...act, ...provedBy(task)].map((line) => ({ commands: `${below}${visibleLine(line)}` })),
    ...task.approvals.map((line) => `${below}${paint.yellow("asks you:")} ${visibleLine(line)}`),
    ...bounds.map((line) => `${below}${paint.dim(line)}`),
  ];
}

/** What makes it done, or made it so. */
function provedBy({ checks, act, marked }: PlanView["tasks"][number]): readonly string[] {
  const written = checks.map((check) => `check: ${check}`);
  if (marked === true) return [...written, `marked by a person, ${NOT_VERIFIED}`];
  if (written.length > 0) return written;
  return [
    act === null
      ? "no check: weakly verified, by what it changes"
      : "no check: it is done when that succeeds",
  ];
}

/** As the manifest writes it. */
function actLine(act: string): string {
  return act.startsWith("POST http") ? `webhook: ${act}` : `run: \`${act}\``;
}

/** What may run; a command that a task, the setup or the server has shown above is not written out again. */
function commandLines(view: PlanView, paint: Paint): Block[] {
  const { commands, tasks, workspace } = view;
  if (commands.length === 0) return [fact("May run", "nothing of the manifest", paint)];
  const above = new Set([
    ...tasks.flatMap(({ checks, act }) => [...checks, ...(act === null ? [] : [`\`${act}\``])]),
    ...[...workspace.setup, workspace.serve?.command ?? ""].map((command) => `\`${command}\``),
  ]);
  const isAbove = ({ command }: PlanView["commands"][number]): boolean =>
    above.has(`\`${command}\``);
  const told = commands.filter(isAbove);
  const open = told.filter(({ allowed }) => !allowed).length;
  const isMixed = open > 0 && open < told.length;
  const words = isMixed ? ` (${open} of them not allowed yet)` : standing(open === 0);
  const counts = fact("May run", `${counted(told.length, "command")} above${words}`, paint);
  const others = commands
    .filter((each) => !isAbove(each))
    .map(({ command, allowed }) => ({
      commands: fact("May run", `${command}${standing(allowed)}`, paint),
    }));
  return told.length === 0 ? others : [counts, ...others];
}

function standing(isAllowed: boolean): string {
  return isAllowed ? "" : " (not allowed yet)";
}
