// `iterate`: one request, routed. Within the bounds it is one iteration, which runs at once; beyond them it becomes a
// workflow, of which nothing is done before a person has approved it. Both are manifests outside of any tree, written
// once and never over another text.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isWithin } from "../core/files.ts";
import type { IterateView, RunView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { shellWord } from "../core/written/commands.ts";
import { treeFiles } from "../engine/base/tree-files.ts";
import { planIteration, type PlannedIteration } from "../iteration/plan-iteration.ts";
import { openItems, readReviewLog } from "../iteration/review-log.ts";
import { workflowPath } from "../iteration/settings.ts";
import { responseIn } from "../iteration/stages.ts";
import { Disk } from "../store/disk.ts";
import { realFiles } from "../store/files.ts";
import { type IterationOptions, type WorksBy, worksBy } from "./config.ts";
import { planIn } from "./manifest-file.ts";
import type { RunInput } from "./run/run-settings.ts";
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
  const planned = planFor(by, input.request);
  if (planned.kind === "nothing-open") return nothingOpen(by, input.request);
  if (planned.kind === "needs-task-id") throw needsTaskId(planned.because, input.request);
  const manifest = placeOf(by, planned);
  writeOnce(system, by, manifest, planned.text);
  const view = await run(system, { ...input.run, target: manifest });
  return {
    kind: planned.kind,
    request: input.request,
    manifest,
    because: planned.kind === "workflow" ? [...planned.because] : [],
    steps: planIn(planned.text).tasks.map(({ name, title, child }) => ({
      name,
      title,
      child: child ?? null,
    })),
    run: view,
    response: responseOf(system, view),
  };
}

function planFor(by: WorksBy, request: string): PlannedIteration {
  const { repository, settings, limits, checks } = by;
  const { root, gitFolder } = repository;
  if (gitFolder === null) {
    throw new StintError(
      "bad-input",
      `${root} is not in a git repository, and an iteration is about one`,
      "Go to a work tree, or make one: git init",
    );
  }
  if (request.trim() === "") {
    throw new StintError(
      "bad-input",
      "the request is empty",
      'Say what is to be done: stint iterate "fix the parser"; or work on the open items of the review log: stint iterate iteration',
    );
  }
  const log = treeFiles({ root, manifest: null, projectFolder: "" }).textNow(
    settings.review_log.value,
  );
  return planIteration({
    repository: realpathSync(root),
    settings,
    limits,
    checks: checks.value.map(asCode),
    request,
    items: log === undefined ? [] : openItems(readReviewLog(log)),
  });
}

/** As a manifest writes a command, whatever backticks are in it. */
export function asCode(command: string): string {
  const runs = command.match(/`+/gu) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const gap = runs.length === 0 ? "" : " ";
  return `${fence}${gap}${command}${gap}${fence}`;
}

function placeOf({ settings }: WorksBy, { kind, id }: Written): string {
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
    `${path} is there already and says something else; it is not written over`,
    `Go on with what is there: stint run ${shellWord(path)}; or give this request another name: --task-id <name>`,
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
      `${at} is in the way: the folder of a workflow is a real folder of its own`,
      `See what it is: ls -ld ${shellWord(at)}; or say where workflows go: --workflow-dir <folder>`,
    );
  }
}

function nothingOpen({ settings }: WorksBy, request: string): IterateView {
  const summary = `nothing is open in ${settings.review_log.value}`;
  return {
    kind: "nothing-open",
    request,
    manifest: null,
    because: [],
    steps: [],
    run: null,
    response: { summary, next: [] },
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
  const written =
    status.status === "Done" ? responseIn(system.store.journal(project.id)) : undefined;
  if (written !== undefined) return { summary: written.summary, next: [written.next] };
  const done = `${progress.done} of ${progress.total} tasks done`;
  return { summary: `${project.slug}: ${done}, ${status.status}: ${why}`, next };
}
