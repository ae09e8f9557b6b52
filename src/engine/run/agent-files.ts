// Files of the person's checkout that an agent is started with and that no commit holds: its program, its
// script. A copy of the checkout lacks them, so they are laid beside it, and never captured.
import { copyFileSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import type { Task } from "../../core/schema/task.ts";
import { runGit } from "../../git/run-git.ts";
import { anyRequest } from "./agent-program.ts";
import type { Agents } from "../base/run-context.ts";

/** Relative to the checkout. */
export async function agentFiles(
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
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** As they are now: a person may have changed theirs since the last session. */
export function layAgentFiles(checkout: string, folder: string, paths: readonly string[]): void {
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
