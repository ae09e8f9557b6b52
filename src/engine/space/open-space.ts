// The workspace of a run: which kind, where it lies, and what its processes see.
import { pathInTree } from "../../core/files.ts";
import { copyFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import type { ProjectId, TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import type { Bring } from "../../core/written/workspace-settings.ts";
import { runGit } from "../../git/run-git.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import type { ChildCommand } from "../../process/find-program.ts";
import type { Isolation } from "../../process/namespace/isolation.ts";
import type { Mount } from "../../process/namespace/view.ts";
import { NO_WALLS, type Walls } from "../../process/namespace/walls.ts";
import { type CommandResult, runCommand } from "../../process/run-command.ts";
import { openWorkspace, type Remembered, remembered } from "../../workspace/open-workspace.ts";
import { bringFiles } from "../../workspace/tree/bring-files.ts";
import { isLocalVariables } from "../../workspace/tree/default-bring.ts";
import { workspacesFolder } from "../../workspace/workspace-folders.ts";
import type { Workspace, WorkspaceKind } from "../../workspace/workspace.ts";
import type { Agents, LogPaths, RunContext } from "../base/run-context.ts";
import type { Secrets } from "../base/secrets.ts";
import { ownPaths } from "../base/tree-files.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { projectLogs } from "../people/project-logs.ts";
import { notCopied } from "./left-out.ts";
import { keepSpace, repositoryLoss } from "./kept-space.ts";
import { forgetSetup } from "./set-up.ts";
import { lookAt } from "../../process/look-at.ts";

/** What a person chose, and what is there to choose from. */
export interface SpaceChoice {
  readonly hasGit: boolean;
  readonly kind: WorkspaceKind;
  /** Not shown at the checkout's path even where that could be done. */
  readonly ownPath: boolean;
  /** Folder of all workspaces, where a person moved them. */
  readonly dir: string | undefined;
  /** What a new workspace gets of the files that git does not hold. */
  readonly bring?: Bring;
  /** Where what is resolved is written down. */
  readonly logs?: LogPaths;
}

export interface SpaceOptions extends Pick<
  RunContext,
  "holder" | "store" | "runId" | "agents" | "tell" | "stopWanted"
> {
  readonly isolation: Isolation;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables by which a person lets credentials through, too. */
  readonly allow?: readonly string[] | undefined;
  readonly secrets: Secrets;
  readonly stateHome: string;
  readonly choice: SpaceChoice;
  /** Around the person's hooks; absent: none. */
  readonly walls?: Walls;
}

const HOOK_OUTPUT_BYTES = 64 * 1024;
/** A person's hooks may run a whole test suite. */
const HOOK_TIMEOUT_MS = 15 * 60_000;

export interface OpenSpace extends Remembered {
  /** Lays the files of the checkout that agents are started with and no commit holds; they are never captured. */
  readonly layAgentFiles: () => void;
  /** The same of a lane of it. */
  readonly lane: (number: number) => OpenSpace;
  /** The same of a fresh clone of a commit, in which processes do not see what is hidden. */
  readonly clone: (commit: string, hidden: readonly string[]) => OpenSpace;
}

export async function openSpace(options: SpaceOptions): Promise<OpenSpace> {
  const { holder, isolation, stateHome, choice } = options;
  const { root, manifest, folder, project_id, slug } = holder.entry;
  const lost = repositoryLoss(options.store, holder.entry);
  if (lost !== null) throw lost;
  const checkout = realpathSync(root);
  const home = join(choice.dir ?? workspacesFolder(stateHome), project_id, "1");
  const projectFolder = join(checkout, folder);
  const inbox = join(projectFolder, "inbox");
  mkdirSync(inbox, { recursive: true });
  const beside =
    choice.kind === "in-place" ? [] : await agentFiles(root, holder.state.tasks, options.agents);
  const logs = projectLogs(options, choice.logs).map(({ path }) => path);
  const { page } = holder.state;
  const own = [...ownPaths({ root, manifest, projectFolder: folder, page }), ...logs, ...beside];
  const isShown = isolation.kind !== "group" && !choice.ownPath;
  const space: Workspace = openWorkspace({
    kind: choice.kind,
    checkout,
    home,
    owner: stateHome,
    project: project_id,
    slug,
    ...(pathInTree(manifest) === null ? {} : { manifest }),
    logs,
    ownPaths: own,
    shownAt: isShown ? "checkout" : "own-path",
    hide: [stateHome],
    mounts: [
      { from: projectFolder, at: projectFolder, mode: "read-only", madeBelow: checkout },
      { from: inbox, at: inbox, mode: "read-write", madeBelow: checkout },
      ...manifestMounts(join(checkout, manifest), pathInTree(manifest)),
    ],
    bring: async (tree, lane) => {
      const bring = choice.bring ?? "default";
      const from = { checkout, tree, bring, ownPaths: own };
      if (lane === "clone") {
        const few = await bringFiles({ ...from, only: isLocalVariables, tell() {} });
        return few.paths;
      }
      forgetSetup(options, lane);
      const tell = (text: string): void => options.tell({ kind: "notice", text });
      const brought = await bringFiles({ ...from, tell });
      for (const skipped of brought.skipped) tell(notCopied(skipped));
      return brought.paths;
    },
    runInside: (command) => runHook(options, space, command),
  });
  const { kind } = choice;
  keepSpace(options, { kind, home, at: space.at, isolation: isolation.kind });
  const opened = (each: Workspace): OpenSpace => ({
    ...remembered(each),
    layAgentFiles: () => layFiles(root, each.folder, beside),
    lane: (number) => opened(space.lane(number)),
    clone: (commit, hidden) => opened(withHidden(space.clone(commit), hidden)),
  });
  return opened(space);
}

/** What is hidden is empty there, and may be written: a check that only writes its output there goes on doing so. */
function withHidden(clone: Workspace, hidden: readonly string[]): Workspace {
  const empties = join(dirname(clone.folder), "hidden");
  const files = hidden.filter(isFile).map((at, index) => ({
    from: join(empties, String(index)),
    at,
    mode: "read-write" as const,
    isOptional: true as const,
  }));
  const { hide, mounts } = clone.view;
  return {
    ...clone,
    view: {
      hide: [...hide, ...hidden.filter((path) => !isFile(path))],
      mounts: [...files, ...mounts],
    },
    async open() {
      const notes = await clone.open();
      mkdirSync(empties);
      for (const { from } of files) writeFileSync(from, "");
      return notes;
    },
  };
}

/** A manifest that is in no tree is read at its own place, and not written there. */
function manifestMounts(path: string, inTree: string | null): Mount[] {
  if (inTree !== null) return [];
  return [{ from: path, at: path, mode: "read-only", isOptional: true }];
}

/** It gets the person's variables, but no credentials: what it runs lies among files that a session could write. */
async function runHook(
  { env, allow, secrets, runId, isolation, stopWanted, walls = NO_WALLS }: SpaceOptions,
  { at, view }: Workspace,
  command: ChildCommand,
): Promise<CommandResult> {
  const extra = { [WORK_TREE_VARIABLE]: at };
  const own = childEnvironment(env, { credentials: allow ?? [], extra });
  return await whileWanted(stopWanted, "a git hook", async (signal) => {
    const result = await runCommand(
      { ...command, env: { ...own, ...command.env } },
      {
        timeoutMs: HOOK_TIMEOUT_MS,
        maxOutputBytes: HOOK_OUTPUT_BYTES,
        runId,
        isolation,
        view: walls.around(view),
        redact: secrets.redactor(),
        signal,
      },
    );
    if (result.stopped) throw signal.reason;
    return result;
  });
}

export { RUN_ID_VARIABLE } from "../../process/child-environment.ts";

/** The folder that it was started in, as it sees it. */
export const WORK_TREE_VARIABLE = "STINT_WORK_TREE";

/** Files that agents are started with and no commit holds: a program, a script. Relative to the checkout. */
async function agentFiles(
  checkout: string,
  tasks: readonly Task[],
  agents: Agents,
): Promise<readonly string[]> {
  const names = new Set(tasks.flatMap((task) => agents.namesFor(task)));
  const all = [...names].flatMap((name) => agents.named(name) ?? []);
  const paths = [...new Set(all.flatMap((agent) => filesOf(agent, checkout)))];
  if (paths.length === 0) return [];
  const literal = paths.map((path) => `:(top,literal)${path}`);
  const { stdout } = await runGit(checkout, ["ls-files", "-z", "--", ...literal]);
  const tracked = new Set(stdout.split("\0"));
  return paths.filter((path) => !tracked.has(path));
}

/** Words of its command that name a file in the checkout. */
function filesOf(agent: Agent, checkout: string): string[] {
  const { program, args } = agent.buildCommand(anyRequest(checkout));
  const words = [...(isAbsolute(program) ? [program] : []), ...args];
  return words
    .map((word) => relative(checkout, resolve(checkout, word)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`))
    .filter((path) => isFile(join(checkout, path)));
}

function isFile(path: string): boolean {
  try {
    return lookAt(path)?.isFile() === true;
  } catch {
    // A word of a command may be longer than any name, or lead through a file: it names none.
    return false;
  }
}

/** As they are now: a person may have changed theirs since the last session. */
function layFiles(checkout: string, folder: string, paths: readonly string[]): void {
  for (const path of paths) {
    const [from, to] = [join(checkout, path), join(folder, path)];
    if (!isFile(from)) continue;
    mkdirSync(dirname(to), { recursive: true });
    // A link on the way would lead out of the workspace.
    if (realpathSync(dirname(to)) !== join(realpathSync(folder), dirname(path))) continue;
    rmSync(to, { recursive: true, force: true });
    copyFileSync(from, to);
  }
}

/** The program is the same for every session. */
export function anyRequest(root: string): Parameters<Agent["buildCommand"]>[0] {
  return {
    brief: "",
    briefPath: root,
    workTree: root,
    manifestPath: root,
    project: "p-0000000000" as ProjectId,
    session: 1,
    task: { id: "t1" as TaskId, name: "t1" },
    attempt: 1,
    permission: "default",
  };
}
