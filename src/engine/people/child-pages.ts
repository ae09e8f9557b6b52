// The pages of child workflows: what became of the chunks of a task, written from the state where a person and
// their tools look for a child. A page is made once its task was split, and anew whenever it would say something
// else; nothing reads it. No link is followed to it, and what somebody else put in its place stays there.
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { slugify, type Slug } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { oneLine } from "../../core/words/plain-line.ts";
import { limitsFor } from "../../core/written/bounds.ts";
import { childPath, type IterationSettings } from "../../iteration/settings.ts";
import { childWorkflowText, stepStatus } from "../../iteration/workflow.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import type { WorkflowStep } from "../../manifest/workflow-step.ts";
import { Disk } from "../../store/disk.ts";
import { realFiles } from "../../store/files.ts";
import type { RunContext } from "../base/run-context.ts";
import { knownText } from "./manifest-texts.ts";
import { lookAt } from "../../process/look-at.ts";

export interface ChildPages {
  /** Brings every page to what this state says. */
  persisted(state: ProjectState): void;
}

interface Page {
  readonly path: string;
  readonly text: string;
}

/** `home` and the root are a person's own: what leads to them is not looked at. */
export function childPages(
  context: Pick<RunContext, "holder" | "store" | "tell">,
  settings: IterationSettings,
  home: string,
): ChildPages {
  const { holder, tell } = context;
  const disk = new Disk(realFiles, holder.entry.project_id);
  const trusted = [holder.entry.root, home];
  const written = new Map<string, string>();
  const told = new Set<string>();
  const say = (text: string): void => {
    if (!told.has(text)) tell({ kind: "notice", text });
    told.add(text);
  };
  return {
    persisted(state) {
      for (const { path, text } of pagesOf(context, state, settings)) {
        if (written.get(path) === text) continue;
        const problem = inTheWay(path, settings.workflow_dir.value, trusted);
        if (problem === null) write(disk, path, text, say);
        else say(`the page of a child workflow is not written: ${problem}`);
        written.set(path, text);
      }
    },
  };
}

function write(disk: Disk, path: string, text: string, say: (text: string) => void): void {
  const bytes = Buffer.from(text, "utf8");
  try {
    disk.ensureFolderLightly(join(path, ".."));
    if (disk.read(path)?.equals(bytes) !== true) disk.replaceLightly(path, bytes);
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    // The work does not depend on it.
    say(`the page of a child workflow is not written: ${error.message}`);
  }
}

/** What is on the way to the page and is no folder, or in its place and is no file; null where nothing is. */
function inTheWay(path: string, folder: string, trusted: readonly string[]): string | null {
  const top = trusted.find((each) => isAbsolute(each) && isInside(folder, each)) ?? folder;
  const names = relative(top, path).split(sep);
  for (let count = 0; count <= names.length; count += 1) {
    const at = join(top, ...names.slice(0, count));
    const facts = lookAt(at);
    if (facts === undefined) return null;
    const isPage = count === names.length;
    const isRight = isPage
      ? facts.isFile()
      : facts.isDirectory() || (count === 0 && top !== folder);
    if (isRight) continue;
    const what = facts.isSymbolicLink()
      ? "a link"
      : facts.isDirectory()
        ? "a folder"
        : "not a folder";
    return `${at} is ${isPage && what === "not a folder" ? "not a file" : what}`;
  }
  return null;
}

function isInside(path: string, top: string): boolean {
  const way = relative(top, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function pagesOf(
  context: Pick<RunContext, "holder" | "store">,
  { tasks, scope_guardrails }: ProjectState,
  settings: IterationSettings,
): Page[] {
  const split = tasks.filter(
    ({ split_after, status }) => split_after !== undefined && status !== "superseded",
  );
  if (split.length === 0) return [];
  const { root, manifest, slug } = context.holder.entry;
  const { workflow } = frontMatterOf(knownText(context));
  const parent = typeof workflow === "string" ? slugify(workflow, slug) : slug;
  return split.map((task) => {
    const id = slugify(task.child ?? task.name, task.id as string as Slug);
    return {
      path: childPath(settings, parent, id),
      text: childWorkflowText({
        id,
        parent: { path: resolve(root, manifest), task: task.id, title: task.title },
        repository: root,
        limits: limitsFor(scope_guardrails.limits, task.limit),
        because: task.child === undefined ? whyTooLarge(task) : "The task has its own workflow",
        steps: tasks.filter(({ chunk_of }) => chunk_of === task.id).map(stepOf),
      }),
    };
  });
}

/** Which bound, planned and actual, as far as that was kept. */
function whyTooLarge({ split_because }: Task): string {
  const why = split_because === undefined ? "" : `: ${oneLine(split_because)}`;
  return `The task was more than one session can do${why}`;
}

/** What a chunk says of itself stands in its details; one that was made of what is left says less. */
function stepOf({ name, title, details = "", status }: Task): WorkflowStep {
  const says = (part: string): string[] =>
    details
      .split("\n")
      .filter((line) => line.startsWith(`- ${part}: `))
      .map((line) => line.slice(part.length + 4));
  const [input = "what is done so far", ...inputs] = says("inputs");
  const [action = title, ...actions] = says("actions");
  const [output = "a commit that passes its checks", ...outputs] = says("outputs");
  return {
    id: name,
    title,
    inputs: [input, ...inputs],
    actions: [action, ...actions],
    outputs: [output, ...outputs],
    status: stepStatus(status),
  };
}
