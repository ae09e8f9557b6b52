// Words of a manifest that may be paths of files it needs: in its commands and in References. Whether
// there are such files is for whoever can look.
import { posix } from "node:path";
import { plainPath } from "../../core/written/path-below.ts";
import { splitWords } from "../../core/written/split-words.ts";
import type { Plan, PlannedTask } from "../plan.ts";
import { workspaceCommands, type WorkspaceSettings } from "../workspace-settings.ts";

export interface MentionedPath {
  /** Below the root, plain. */
  readonly path: string;
  /** Where it is mentioned, as written. */
  readonly found: string;
  /** Absent where it stands in the front matter or in the settings. */
  readonly task?: PlannedTask;
  readonly isReference?: true;
}

/** More words than a person writes; a generated manifest is looked at up to here. */
const MOST = 5000;

export function mentionedPaths(
  plan: Pick<Plan, "tasks" | "references">,
  settings: WorkspaceSettings,
): readonly MentionedPath[] {
  const { dir = "" } = settings;
  const mentions = [
    ...workspaceCommands(settings).flatMap((command) =>
      inCommand(command, "").map((path) => ({ path, found: command })),
    ),
    ...plan.tasks.filter(({ box }) => !box.checked).flatMap((task) => inTask(task, dir)),
    ...inProse(plan.references).map((path) => ({ path, found: path, isReference: true as const })),
  ];
  const first = new Map<string, MentionedPath>();
  for (const mention of mentions.slice(0, MOST)) {
    if (!first.has(mention.path)) first.set(mention.path, mention);
  }
  return [...first.values()];
}

function inTask(task: PlannedTask, dir: string): MentionedPath[] {
  const commands = [
    ...task.checks.flatMap((check) =>
      check.kind === "command" ? [{ key: "check", command: check.command }] : [],
    ),
    // In the checkout everything is there that lies there.
    ...(task.run === undefined || task.in !== undefined ? [] : [{ key: "run", command: task.run }]),
  ];
  return commands.flatMap(({ key, command }) =>
    inCommand(command, task.dir ?? dir).map((path) => ({
      path,
      found: `${key}: \`${command}\``,
      task,
    })),
  );
}

function inCommand(command: string, dir: string): string[] {
  const split = splitWords(command);
  const words = split.ok ? split.words : [];
  return words.flatMap((word) => word.split(/[<>|&;()=]/)).flatMap((word) => pathIn(word, dir));
}

function inProse(text: string): string[] {
  return text
    .split(/[\s()[\]<>`"'*]+/)
    .map((word) => word.replace(/#.*$/, "").replace(/[.,:;!?]+$/, ""))
    .flatMap((word) => pathIn(word, ""));
}

/** A bare word is rarely a file: "test" in `npm test` is none. */
function pathIn(word: string, dir: string): string[] {
  if (!/[/.]/.test(word) || !/[^/.]/.test(word) || /^(?:-|\/|~|[a-z][\w+.-]*:)/i.test(word))
    return [];
  if (/[\p{Cc}$*?{}\\]/u.test(word)) return [];
  const joined = posix.join(dir, word);
  if (joined === ".." || joined.startsWith("../")) return [];
  const path = plainPath(joined);
  return path === "" || path === ".git" || path.startsWith(".git/") ? [] : [path];
}
