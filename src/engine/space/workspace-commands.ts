// What is wanted of the workspace, by the manifest as it is known and where it says nothing by the settings;
// where work in it starts; and how a command of the workspace itself, its setup or its server, is started.
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Task } from "../../core/schema/task.ts";
import { workspaceSettings } from "../../core/written/workspace-settings.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { childEnvironment, heldBack, missedCredentials } from "../../process/child-environment.ts";
import { runChild } from "../../process/run-child.ts";
import { BoundedLog, HeadAndTail, LineSplitter } from "../../process/text/bounded-output.ts";
import type {
  InsideEnd,
  RunContext,
  StartInside,
  Surroundings,
  WorkspaceWishes,
} from "../base/run-context.ts";
import { textsIn } from "../base/tree-files.ts";
import { consentOf, type Scripts } from "../people/consent.ts";
import { lookAt } from "../../process/look-at.ts";

/**
 * Commands that came into the manifest and that nobody has allowed yet are not among it: until somebody does,
 * the text that was approved counts.
 */
export function wishesOf(
  context: Pick<RunContext, "store" | "holder" | "settings">,
): WorkspaceWishes {
  const { store, holder, settings } = context;
  const { manifest, plan, project_id } = holder.state;
  const isAllowed = consentOf(store, holder.state).missingOfWorkspace().length === 0;
  const digest = isAllowed ? manifest.digest : plan?.digest;
  const text = digest === undefined ? "" : store.manifestText(project_id, digest);
  return { ...settings.wishes, ...workspaceSettings(frontMatterOf(text)) };
}

/**
 * The folder in which sessions, checks and acts of a task start. It is a folder of the workspace itself: a
 * link could lead anywhere, and a session could have made it.
 */
export interface StartFolder {
  /** Below the root; "" is the root itself. */
  readonly dir: string;
  /** Why nothing can start there; null where it can. */
  readonly problem: string | null;
}

export function startFolder(
  context: RunContext,
  task: Pick<Task, "dir">,
  root: string = context.space.folder,
): StartFolder {
  const dir = dirOf(context, task);
  return { dir, problem: dir === "" ? null : folderProblem(root, dir) };
}

export function dirOf(context: RunContext, task: Pick<Task, "dir">): string {
  return task.dir ?? wishesOf(context).dir ?? "";
}

/**
 * As they are where tasks work, and as the person has them: before the workspace is laid only theirs are there, and
 * only the workspace has what earlier tasks wrote.
 */
export function scriptsOf(context: RunContext): Scripts {
  return {
    dirOf: (task) => dirOf(context, task),
    trees: [context.copy, context.checkout].map(textsIn),
  };
}

export function folderProblem(root: string, dir: string): string | null {
  let path = root;
  for (const name of dir.split("/")) {
    path = join(path, name);
    const shown = path.slice(root.length + 1);
    const found = lookAt(path);
    if (found === undefined) return `dir: ${dir} is not in the work tree (${shown} is missing)`;
    if (found.isSymbolicLink()) return `dir: ${dir} leads through a link (${shown})`;
    if (!found.isDirectory()) return `dir: ${dir} is not a folder (${shown} is a file)`;
  }
  return null;
}

export interface InsideSurroundings extends Surroundings {
  /** The folder of logs. */
  readonly logs: string;
}

const LOG_BYTES = 10 * 1024 * 1024;
const WORDS_BYTES = 4096;

/** At the root of the workspace, seeing what sessions see, its output kept in a log. */
export function insideStarter(surroundings: InsideSurroundings): StartInside {
  const { runId, isolation, view, walls, network, at, killMs, env, allow, secrets } = surroundings;
  const credentials: readonly string[] = [];
  return (call) => {
    const file = join(surroundings.logs, call.log);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    const words = new HeadAndTail(WORDS_BYTES);
    const log = new BoundedLog(file, LOG_BYTES, (note) => words.push(`${note}\n`));
    const lines = new LineSplitter(secrets.redactor(), (line) => {
      log.line(line);
      words.push(`${line}\n`);
    });
    const child = runChild({
      command: {
        program: "sh",
        args: ["-c", call.command],
        cwd: at,
        env: childEnvironment(env, { allow, credentials, extra: call.env }),
      },
      runId,
      isolation,
      view: walls.around({ ...view, network }),
      combined: true,
      limits: { totalMs: call.timeoutMs, idleMs: Infinity, graceMs: Infinity },
      killMs,
      onOutput: (_, bytes) => lines.push(bytes),
    });
    let end: InsideEnd | null = null;
    const ended = child.ended.then(({ exitCode, endedBy }): InsideEnd => {
      lines.end();
      log.close();
      end = { exitCode, timedOut: endedBy === "total-timeout" };
      return end;
    });
    return {
      ended,
      end: () => end,
      stop: (reason) => child.stop(reason),
      lastWords: () => {
        const missed = missedCredentials(words.text, heldBack(env, { allow, credentials }));
        const why = [missed, walls.refusal(words.text, at) ?? ""].filter((each) => each !== "");
        return `${words.text}${why.map((each) => `stint: ${each}\n`).join("")}`;
      },
    };
  };
}

/** As a person reads it. */
export function howItEnded({ exitCode, timedOut }: InsideEnd, timeoutMs: number): string {
  if (timedOut) return `did not end within ${Math.round(timeoutMs / 60_000)} min`;
  return exitCode === null ? "was ended by a signal" : `exited with code ${exitCode}`;
}
