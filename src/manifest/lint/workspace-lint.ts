// What a manifest expects and a workspace does not have: files that no commit holds, and a server that serves the
// work instead of the person's files.
import { posix } from "node:path";
import {
  plainPath,
  workspaceCommands,
  type WorkspaceSettings,
} from "../../core/written/workspace-settings.ts";
import { splitWords } from "../../core/written/commands.ts";
import type { Plan, PlannedTask } from "../plan.ts";
import { shownAddress, isLoopback } from "../../core/written/address.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";

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

/** `mentions` are those whose file is there and which no session would see. */
export function unseenFiles(
  { sections }: Pick<ManifestDocument, "sections">,
  mentions: readonly MentionedPath[],
): Problem[] {
  const references = sections.find(({ name }) => name === "References")?.line;
  return mentions.map(({ path, found, task, isReference }) => {
    const line = task?.box.line ?? (isReference === true ? references : undefined) ?? 1;
    return warningAt(line, "not-committed", {
      message: unseenText(path),
      example: `---\nbring: ${bringOf(path)}\n---`,
      found,
    });
  });
}

function unseenText(path: string): string {
  return `${path} is not committed, and a session will not see it; commit it, or: bring: ${bringOf(path)}`;
}

/** The folder that it lies in, where it lies in one. */
function bringOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end === -1 ? path : path.slice(0, end + 1);
}

/** Where sessions work in a copy and nothing serves it. */
export function loopbackWithoutServe(plan: Pick<Plan, "tasks">): Problem[] {
  return plan.tasks
    .filter(({ box }) => !box.checked)
    .flatMap((task) =>
      task.checks.flatMap((check) => {
        if (check.kind !== "http" && check.kind !== "browser") return [];
        if (!isLoopback(check.url)) return [];
        const shown = shownAddress(check.url);
        return warningAt(task.box.line, "loopback-without-serve", {
          message: `${shown} is a server on this machine: one that you started serves your checkout, and not what a session changed; have Stint serve the workspace`,
          example:
            'serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"\ncheck: GET http://localhost:$STINT_PORT/ 200',
          found: check.kind === "http" ? `check: GET ${shown}` : `check: browser ${shown}`,
        });
      }),
    );
}
