// `iterate`: one request, routed. Within the bounds it is one iteration, which runs at once; beyond them it becomes a
// workflow, of which nothing is done before a person has approved it. Both are manifests outside of any tree, written
// once and never over another text.
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { chooseAgent } from "../agents/agents.ts";
import { isWithin } from "../core/files.ts";
import { slugify, type Slug } from "../core/ids.ts";
import { isTerminal } from "../core/project-state.ts";
import type { IterateView, RunView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { counted } from "../core/words/amounts.ts";
import { shellWord } from "../core/written/commands.ts";
import { statusWord } from "../report/status/idle.ts";
import { treeFiles } from "../engine/base/tree-files.ts";
import { requireProgram } from "../engine/run/run-agents.ts";
import { isAboutLog, planIteration, type PlannedIteration } from "../iteration/plan-iteration.ts";
import { openItems, readReviewLog, type ReviewLog } from "../iteration/review-log.ts";
import { workflowPath } from "../iteration/settings.ts";
import { responseIn } from "../iteration/stages.ts";
import { frontMatterOf } from "../manifest/settings.ts";
import { Disk } from "../store/disk.ts";
import { realFiles } from "../store/files.ts";
import { type IterationOptions, type WorksBy, worksBy } from "./settings/config.ts";
import { planIn } from "./manifest-file.ts";
import { assertKnownAgents } from "./run/known-agents.ts";
import { agentsFor, chooseSettings, type RunInput } from "./run/run-settings.ts";
import { refuseInsideOwnRun, run } from "./run/run.ts";
import type { System } from "./system.ts";

export interface IterateInput {
  readonly request: string;
  readonly options: IterationOptions;
  readonly run: Omit<RunInput, "target">;
}

type Written = Extract<PlannedIteration, { readonly kind: "iteration" | "workflow" }>;

export async function iterate(system: System, input: IterateInput): Promise<IterateView> {
  refuseInsideOwnRun(system);
  const by = await worksBy(system, input.options);
  const earlier = isAboutLog(input.request) ? iterationsOfLog(system, by) : NONE_YET;
  if (earlier.unfinished !== null) return await goOnWith(system, by, input, earlier.unfinished);
  const log = logFor(by, input.request);
  const planned = planFor(by, input.request, { logIteration: earlier.nextName, log });
  if (planned.kind === "nothing-open") return nothingOpen(by, input.request, log);
  if (planned.kind === "needs-task-id") throw needsTaskId(planned.because, input.request);
  requireAgents(system, by, input, planned.text);
  const manifest = placeOf(by, planned);
  writeOnce(system, by, manifest, planned.text);
  return await runIt(system, input, { ...planned, manifest });
}

/** Nothing is written for an agent that is not there. No step of such a text names its own. */
function requireAgents(
  system: System,
  { repository: { root, gitFolder }, written: config }: WorksBy,
  { run: typed }: IterateInput,
  text: string,
): void {
  const { env, cwd: calledFrom, scriptedProgram, agents: own = [] } = system;
  const plan = planIn(text);
  const place = { root, hasGit: gitFolder !== null, home: env["HOME"] };
  const chosen = chooseSettings(typed, plan.settings, config, place);
  assertKnownAgents(system, typed, { plan, config, root });
  for (const spec of agentsFor({}, typed, chosen.agents)) {
    requireProgram(chooseAgent(spec, { calledFrom, scriptedProgram, own }), root, env);
  }
}

/** Whatever else is open by now: what was begun is brought to its end first. */
async function goOnWith(
  system: System,
  { settings }: WorksBy,
  input: IterateInput,
  found: Begun,
): Promise<IterateView> {
  const text = `continues the unfinished ${found.kind} ${found.manifest}; other open items in ${settings.review_log.value} come after it`;
  input.run.tell({ kind: "notice", text });
  return await runIt(system, input, found);
}

type Begun = Pick<Written, "kind" | "text"> & {
  readonly manifest: string;
  readonly because?: readonly string[];
};

async function runIt(
  system: System,
  input: IterateInput,
  { kind, manifest, text, because = [] }: Begun,
): Promise<IterateView> {
  const view = await run(system, { ...input.run, target: manifest });
  return {
    kind,
    request: input.request,
    manifest,
    because: [...because],
    steps: planIn(text).tasks.map(({ name, title, child }) => ({
      name,
      title,
      child: child ?? null,
    })),
    run: view,
    response: responseOf(system, view),
  };
}

interface Earlier {
  /** The one that is not at its end yet. */
  readonly unfinished: Begun | null;
  /** What the next one is called. */
  readonly nextName: string;
}

const NONE_YET: Earlier = { unfinished: null, nextName: "iteration" };

/** Iterations of the review log are numbered where nobody names them: iteration, iteration-2, and so on. */
function iterationsOfLog(system: System, by: WorksBy): Earlier {
  const named = by.settings.task_id.value;
  for (let number = 1; ; number += 1) {
    const nextName = named ?? (number === 1 ? "iteration" : `iteration-${number}`);
    const begun = begunAs(system, by, nextName);
    if (begun === null || !begun.isOver) return { unfinished: begun, nextName };
    // A name that somebody chose is not made another.
    if (named !== null) return { unfinished: null, nextName };
  }
}

/** What was begun under a name, in this repository; null where nothing was. No link is followed to it. */
function begunAs(
  system: System,
  by: WorksBy,
  name: string,
): (Begun & { readonly isOver: boolean }) | null {
  const root = realpathSync(by.repository.root);
  const id = slugify(name, "iteration" as Slug);
  for (const kind of ["workflow", "iteration"] as const) {
    const manifest = placeOf(by, { kind, id });
    if (lstatSync(manifest, { throwIfNoEntry: false })?.isFile() !== true) continue;
    refuseLink(by, dirname(manifest));
    const text = readFileSync(manifest, "utf8");
    const about = frontMatterOf(text);
    if (about[kind] === undefined || about["repository"] !== root) continue;
    const real = realpathSync(manifest);
    const entry = system.store.list().find((each) => resolve(each.root, each.manifest) === real);
    const isOver = entry !== undefined && isTerminal(system.store.read(entry.project_id).state);
    return { kind, manifest, text, isOver };
  }
  return null;
}

/** What a review log asks for; null where there is none, or where the request is about something else. */
function logFor({ repository: { root }, settings }: WorksBy, request: string): ReviewLog | null {
  const { value: path, from } = settings.review_log;
  const text = treeFiles({ root, manifest: null, projectFolder: "" }).textNow(path);
  if (text !== undefined) return readReviewLog(text);
  const isThere = lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  // The usual one need not be there yet.
  if (!isAboutLog(request) || (from === "default" && !isThere)) return null;
  throw new StintError(
    "bad-input",
    isThere
      ? `the review log ${path} cannot be read: it is not a file of ${root}`
      : `the review log ${path} does not exist in ${root}`,
    from === "option"
      ? "Name the file that has the items: stint iterate iteration --review-log <path>"
      : "Correct iteration.review_log in stint.config.yaml, or create that file",
  );
}

interface Planning {
  readonly logIteration: string;
  readonly log: ReviewLog | null;
}

function planFor(by: WorksBy, request: string, { logIteration, log }: Planning): PlannedIteration {
  const { repository, settings, limits, checks } = by;
  const { root, gitFolder } = repository;
  if (gitFolder === null) {
    throw new StintError(
      "bad-input",
      `${root} is not in a git repository, and an iteration needs one`,
      "Go to a work tree, or create one: git init",
    );
  }
  if (request.trim() === "") {
    throw new StintError(
      "bad-input",
      "the request is empty",
      'Say what is to be done: stint iterate "fix the parser"; or work on the open items of the review log: stint iterate iteration',
    );
  }
  return planIteration({
    repository: realpathSync(root),
    settings,
    limits,
    checks: checks.value.map(asCode),
    request,
    logIteration,
    items: log === null ? [] : openItems(log),
  });
}

/** As a manifest writes a command, whatever backticks are in it. */
export function asCode(command: string): string {
  const runs = command.match(/`+/gu) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const gap = runs.length === 0 ? "" : " ";
  return `${fence}${gap}${command}${gap}${fence}`;
}

function placeOf({ settings }: WorksBy, { kind, id }: Pick<Written, "kind" | "id">): string {
  const workflow = workflowPath(settings, id);
  return kind === "workflow" ? workflow : join(dirname(workflow), "iteration.md");
}

/** @throws where another text is there already, or a link leads elsewhere */
function writeOnce(system: System, by: WorksBy, path: string, text: string): void {
  const disk = new Disk(realFiles, Buffer.from(system.host.randomBytes(6)).toString("hex"));
  const folder = dirname(path);
  refuseLink(by, folder);
  disk.ensureFolder(folder);
  if (disk.create(path, Buffer.from(text, "utf8"))) return;
  const there = lstatSync(path).isFile() ? disk.read(path)?.toString("utf8") : undefined;
  if (there !== undefined && withoutBoxes(there) === withoutBoxes(text)) return;
  throw new StintError(
    "bad-input",
    `${path} exists already with another text; it was not overwritten`,
    `Continue with that text: stint run ${shellWord(path)}; or give this request another name: --task-id <name>`,
  );
}

/** Boxes are set by Stint while the work goes on. */
function withoutBoxes(text: string): string {
  return text.replace(/^- \[[xX]\] /gmu, "- [ ] ").replace(/^( {2}- status: )\w+$/gmu, "$1planned");
}

/** The folder of a task is a real one, and so is the way to it below the root: a clone may bring links. */
function refuseLink({ repository: { root } }: WorksBy, folder: string): void {
  const names = isWithin(folder, root) ? relative(root, folder).split(sep) : [];
  const below = names.map((_, index) => join(root, ...names.slice(0, index + 1)));
  for (const at of [...below, folder]) {
    const facts = lstatSync(at, { throwIfNoEntry: false });
    if (facts === undefined || (facts.isDirectory() && names[0] !== ".git")) continue;
    throw new StintError(
      "bad-input",
      `${at} is in the way: a workflow needs its own real folder`,
      `See what it is: ls -ld ${shellWord(at)}; or say where workflows go: --workflow-dir <folder>`,
    );
  }
}

function nothingOpen({ settings }: WorksBy, request: string, log: ReviewLog | null): IterateView {
  const { value: path } = settings.review_log;
  const problems = log?.problems.length ?? 0;
  const more = problems === 0 ? "" : `, and ${counted(problems, "warning")} about what is in it`;
  const summary =
    log === null ? `nothing is open: there is no ${path}` : `nothing is open in ${path}${more}`;
  return {
    kind: "nothing-open",
    request,
    manifest: null,
    because: [],
    steps: [],
    run: null,
    response: { summary, next: problems === 0 ? [] : [`stint lint ${shellWord(path)}`] },
  };
}

function needsTaskId(because: readonly string[], request: string): StintError {
  return new StintError(
    "bad-input",
    `this becomes a workflow (${because.join("; ")}), and a workflow needs a task id`,
    `Name it: stint iterate ${shellWord(request)} --task-id <name>; or set iteration.task_id in stint.config.yaml`,
  );
}

/** Stage six, as the journal has it; before that, where the work stands. */
function responseOf(system: System, { status, why, next }: RunView): IterateView["response"] {
  const { project, progress } = status;
  const written = responseIn(system.store.journal(project.id));
  if (written !== undefined) {
    // What a person may do instead, or after it, stands beside the next action.
    return { summary: written.summary, next: status.status === "Done" ? [written.next] : next };
  }
  const done = `${progress.done} of ${counted(progress.total, "task")} done`;
  const word = statusWord(status.status, status.lease.held);
  return { summary: `${project.slug}: ${done}, ${word}: ${why}`, next };
}
