// What a manifest expects and a workspace does not have: files that no commit holds, and a server that serves the
// work instead of the person's files.
import { posix } from "node:path";
import {
  type Bring,
  plainPath,
  workspaceCommands,
  type WorkspaceSettings,
} from "../../core/written/workspace-settings.ts";
import { splitWords } from "../../core/written/commands.ts";
import type { Plan, PlannedTask } from "../plan.ts";
import { shownAddress, isLoopback } from "../../core/written/address.ts";
import { lineOfKey } from "../key-lines.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";
import { yamlList } from "../settings/yaml-text.ts";

export interface MentionedPath {
  /** Below the root, plain. */
  readonly path: string;
  /** Where it is mentioned, as written. */
  readonly found: string;
  /** Absent where it stands in the front matter or in the settings. */
  readonly task?: PlannedTask;
  /** The key of the task that mentions it, and its command. */
  readonly at?: { readonly key: "check" | "run"; readonly command: string };
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
      check.kind === "command" ? [{ key: "check" as const, command: check.command }] : [],
    ),
    // In the checkout everything is there that lies there.
    ...(task.run === undefined || task.in !== undefined
      ? []
      : [{ key: "run" as const, command: task.run }]),
  ];
  return commands.flatMap((at) =>
    inCommand(at.command, task.dir ?? dir).map((path) => ({
      path,
      found: `${at.key}: \`${at.command}\``,
      task,
      at,
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

/** `mentions` are those whose file is there and which no session would see. `bring` is what holds now. */
export function unseenFiles(
  document: ManifestDocument,
  mentions: readonly MentionedPath[],
  bring: Bring,
): Problem[] {
  const wanted = [...new Set(mentions.map(({ path }) => bringOf(path)))];
  const line = `bring: ${yamlList([...broughtNow(bring), ...wanted])}`;
  return mentions.map((mention) =>
    warningAt(lineOfMention(document, mention), "not-committed", {
      message: `${mention.path} is not committed, and a session will not see it; commit it, or bring it with bring: in the front matter`,
      example: document.frontMatter === undefined ? `---\n${line}\n---` : line,
      found: mention.found,
    }),
  );
}

function lineOfMention(
  document: ManifestDocument,
  { task, at, isReference }: MentionedPath,
): number {
  if (isReference === true) {
    return document.sections.find(({ name }) => name === "References")?.line ?? 1;
  }
  if (task === undefined || at === undefined) return 1;
  const index = document.tasks.findIndex(({ box }) => box.line === task.box.line);
  return lineOfKey(document, index, at.key, at.command);
}

/** A list replaces what is usual, unless it names it. */
function broughtNow(bring: Bring): readonly string[] {
  if (bring === "none") return [];
  return typeof bring === "string" ? ["default"] : bring;
}

/** The folder that it lies in, where it lies in one. */
function bringOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end === -1 ? path : path.slice(0, end + 1);
}

const SERVED = `---
serve: "\`npm run dev\` ready GET http://localhost:$STINT_PORT/"
---`;

/** Where sessions work in a copy and nothing serves it. `document` knows the line of each check. */
export function loopbackWithoutServe(
  plan: Pick<Plan, "tasks">,
  document: Pick<ManifestDocument, "tasks">,
): Problem[] {
  return plan.tasks.flatMap((task, index) => {
    if (task.box.checked) return [];
    return task.checks.flatMap((check) => {
      if (check.kind !== "http" && check.kind !== "browser") return [];
      if (!isLoopback(check.url)) return [];
      const shown = shownAddress(check.url);
      const line = lineOfKey(document, index, "check", check.url);
      return warningAt(line, "loopback-without-serve", {
        message: `${shown} is a server on this machine: one that you started serves your checkout, and not what a session changed; have Stint serve the workspace: write serve: in the front matter, and $STINT_PORT as the port of this check`,
        example: SERVED,
        sample: true,
        found: check.kind === "http" ? `check: GET ${shown}` : `check: browser ${shown}`,
      });
    });
  });
}
