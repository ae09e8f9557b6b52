// What an iteration works by: given explicitly, or derived from the repository and the environment. Pure.
import { basename, join } from "node:path/posix";
import { slugify, type Slug } from "../core/ids.ts";

/** Where a value came from, as a person is told. */
export type Source = "option" | "stint.config.yaml" | "repository" | "default";

export interface Sourced<T> {
  readonly value: T;
  readonly from: Source;
}

/** `iteration.*` as written; any may be missing. */
export interface WrittenSettings {
  readonly repo_id?: string | undefined;
  readonly workflow_dir?: string | undefined;
  readonly task_id?: string | undefined;
  readonly review_log?: string | undefined;
  readonly subtask_log?: string | undefined;
}

export interface IterationSettings {
  readonly repo_id: Sourced<string>;
  /** Absolute. */
  readonly workflow_dir: Sourced<string>;
  /** Null: nobody named it, and no workflow can be created. */
  readonly task_id: Sourced<string | null>;
  /** Below the root of the repository. */
  readonly review_log: Sourced<string>;
  /** The same; `<task-id>` stands for the id of the task. */
  readonly subtask_log: Sourced<string>;
}

const REVIEW_LOG = "docs/_feedback.md";
const SUBTASK_LOG = "tasks/<task-id>/feedback.md";
const WORKFLOWS = "~/.udx/dev.kit/state/codex/workflows";

export function iterationSettings(
  root: string,
  home: string,
  written: { readonly options: WrittenSettings; readonly config: WrittenSettings },
): IterationSettings {
  const given = (key: keyof WrittenSettings): Sourced<string> | undefined => {
    const { options, config } = written;
    if (options[key] !== undefined) return { value: options[key], from: "option" };
    if (config[key] !== undefined) return { value: config[key], from: "stint.config.yaml" };
    return undefined;
  };
  const repoId = given("repo_id") ?? { value: basename(root), from: "repository" };
  const folder = given("workflow_dir") ?? {
    value: `${WORKFLOWS}/${pathName(repoId.value)}`,
    from: "default",
  };
  return {
    repo_id: repoId,
    workflow_dir: { ...folder, value: absolute(folder.value, root, home) },
    task_id: given("task_id") ?? { value: null, from: "default" },
    review_log: given("review_log") ?? { value: REVIEW_LOG, from: "default" },
    subtask_log: given("subtask_log") ?? { value: SUBTASK_LOG, from: "default" },
  };
}

/** For whoever needs the logs alone. */
export function logPaths({ iteration }: { readonly iteration?: WrittenSettings | undefined }): {
  readonly review: string;
  readonly subtask: string;
} {
  return {
    review: iteration?.review_log ?? REVIEW_LOG,
    subtask: iteration?.subtask_log ?? SUBTASK_LOG,
  };
}

/** A repository may be called anything; what becomes a folder must stay one. */
function pathName(repoId: string): string {
  return /^[\w.-]+$/u.test(repoId) && !/^\.+$/u.test(repoId)
    ? repoId
    : slugify(repoId, "repository" as Slug);
}

function absolute(path: string, root: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return path.startsWith("/") ? path : join(root, path);
}

export function workflowPath(
  { workflow_dir: { value } }: IterationSettings,
  taskId: string,
): string {
  return join(value, taskId, "workflow.md");
}

export function childPath(
  { workflow_dir: { value } }: IterationSettings,
  parent: string,
  child: string,
): string {
  return join(value, parent, child, "index.md");
}

/** `written` is the setting. */
export function subtaskLogPath(written: string, taskId: string): string {
  return written.replaceAll("<task-id>", taskId);
}
