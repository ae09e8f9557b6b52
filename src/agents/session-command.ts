// What the commands of agents are put together from: the variables of a session, the folders and servers it may use,
// and the commands that it must refuse.
import type { McpServer, SessionRequest } from "./agent.ts";

/** What every session gets, whichever agent it is: where its brief is, whose work it does. */
export function sessionEnv(request: SessionRequest): Record<string, string> {
  return {
    STINT_BRIEF: request.briefPath,
    STINT_PROJECT: request.project,
    STINT_SESSION: String(request.session),
    STINT_TASK: request.task.id,
    STINT_TASK_NAME: request.task.name,
    ...(request.task.chunkOf !== undefined && { STINT_CHUNK_OF: request.task.chunkOf }),
    STINT_ATTEMPT: String(request.attempt),
    STINT_MANIFEST: request.manifestPath,
  };
}

/**
 * The top of the work tree, where the session starts below it: agents that keep to the folder they start in are told
 * that all of it is theirs.
 */
export function rootAbove({ root, workTree }: SessionRequest): string | undefined {
  return root === workTree ? undefined : root;
}

/** An option with its value, or nothing where there is no value. */
export function given(flag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [flag, value];
}

/**
 * In the shape that most agents read: `{"mcpServers": {name: {command, args, env}}}`; `extra` goes into every entry.
 * Undefined where there are none.
 */
export function mcpServersJson(
  servers: readonly McpServer[] = [],
  extra: Readonly<Record<string, boolean>> = {},
): string | undefined {
  if (servers.length === 0) return undefined;
  const entries = servers.map(({ name, command, args, env }) => [
    name,
    { command, args, env, ...extra },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

/** Variables that make sense for most, and yield to what the person has set. */
export function setUnlessGiven(
  { inheritedEnv = {} }: SessionRequest,
  wanted: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name]) => (inheritedEnv[name] ?? "") === ""),
  );
}

/**
 * A command that takes away what nobody can bring back: the agents that can do so are asked to refuse it. Few and sure;
 * what slips through shows in the diff afterwards and is restored from the snapshot taken before the session.
 */
export interface DestructiveCommand {
  readonly start: string;
  /** Only with this word, wherever it stands after the start. */
  readonly having?: string;
}

export const DESTRUCTIVE_COMMANDS: readonly DestructiveCommand[] = [
  { start: "git reset", having: "--hard" },
  { start: "git clean" },
  { start: "git push", having: "--force" },
  { start: "git push", having: "-f" },
  { start: "git push", having: "--mirror" },
  { start: "git push", having: "--delete" },
  { start: "git branch", having: "-D" },
  { start: "git stash drop" },
  { start: "git stash clear" },
  { start: "git reflog expire" },
  { start: "git filter-branch" },
  { start: "git checkout -- ." },
  { start: "git restore ." },
  { start: "rm -rf ~" },
  { start: "rm -rf .." },
  { start: "rm -rf .git" },
  { start: "npm uninstall -g" },
  { start: "apt remove" },
  { start: "apt purge" },
  { start: "apt-get remove" },
  { start: "apt-get purge" },
  { start: "brew uninstall" },
];

/** Whether a command is, or holds, one of these. */
export function isDestructive(command: string): boolean {
  return DESTRUCTIVE_COMMANDS.some((known) => isCommand(known, command));
}

/** Those that a session must refuse, given the commands that a person has approved for it. */
export function refusedCommands(approved: readonly string[] = []): readonly DestructiveCommand[] {
  return DESTRUCTIVE_COMMANDS.filter(
    (known) => !approved.some((command) => isCommand(known, command)),
  );
}

/** The same as beginnings of a command in which `*` stands for anything. */
export function refusedGlobs(approved?: readonly string[]): readonly string[] {
  return refusedCommands(approved).flatMap(({ start, having }) =>
    having === undefined ? [`${start}*`] : [`${start} ${having}*`, `${start} * ${having}*`],
  );
}

/** Whether a command is, or holds, this one. */
export function isCommand({ start, having }: DestructiveCommand, command: string): boolean {
  const at = command.indexOf(start);
  if (at === -1) return false;
  if (having === undefined) return true;
  const words = command.slice(at + start.length).split(/\s+/);
  return words.some((word) => word.startsWith(having));
}
