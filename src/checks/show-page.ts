// Shows one page: the program that drives the browser runs as a child like every command of a check,
// so its whole tree is gone when this returns, and nothing of a browser is ever loaded into the run.
// Everything the browser writes lies in one temporary folder, which the next check removes where this
// one is killed.
import { readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildCommand } from "../process/find-program.ts";
import type { CommandResult } from "../process/run-command.ts";
import { type BrowserSought, findBrowser } from "./find-browser.ts";
import { makePageFolder, pageFolderBase } from "./page-folder.ts";
import {
  ANSWER_FILE,
  type PageAnswer,
  type PageJob,
  type PageShown,
  type PageWanted,
  PICTURE_FILE,
} from "./page-job.ts";

export interface PageSurroundings {
  readonly sought: BrowserSought;
  /** The bundled program that drives the browser. */
  readonly program: string;
  /** What the child inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly isRoot: boolean;
  /** Runs a child to its end, with everything it started. */
  readonly run: (command: ChildCommand, timeoutMs: number) => Promise<CommandResult>;
}

const LOAD_MS = 30_000;
/** A check that waits longer would wait as long before every session, when it cannot pass. */
const APPEAR_MS = 5_000;

export async function showPage(
  wanted: PageWanted,
  { timeoutMs }: { readonly timeoutMs: number },
  surroundings: PageSurroundings,
): Promise<PageShown> {
  const { sought, program } = surroundings;
  const found = findBrowser(sought);
  if (!found.found) return { kind: "unavailable", why: found.why, hint: found.hint };
  const folder = makePageFolder(pageFolderBase(tmpdir()));
  try {
    const job: PageJob = {
      ...wanted,
      driver: found.driver,
      browser: found.browser,
      sandbox: !surroundings.isRoot,
      workTree: realpathSync(sought.root),
      folder,
      loadMs: Math.min(LOAD_MS, timeoutMs),
      appearMs: Math.min(APPEAR_MS, timeoutMs),
    };
    const command: ChildCommand = {
      program: process.execPath,
      args: [program],
      cwd: folder,
      // The profile, crash reports and caches of a browser lie below these.
      env: { ...surroundings.env, TMPDIR: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      stdin: JSON.stringify(job),
    };
    const ran = await surroundings.run(command, timeoutMs);
    return answerIn(folder, ran, timeoutMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function answerIn(folder: string, ran: CommandResult, timeoutMs: number): PageShown {
  const text = readIfThere(join(folder, ANSWER_FILE))?.toString("utf8");
  const answer = text === undefined ? undefined : (JSON.parse(text) as PageAnswer);
  if (answer === undefined) {
    if (ran.timedOut) {
      return { kind: "not-shown", why: `it took longer than ${Math.round(timeoutMs / 1000)} s` };
    }
    const why = `the browser's driver ended with code ${ran.exitCode}: ${lastLines(ran.output)}`;
    return { kind: "unavailable", why, hint: HINT };
  }
  switch (answer.kind) {
    case "no-browser":
      return { kind: "unavailable", why: answer.why, hint: HINT };
    case "not-shown":
      return answer;
    case "shown":
      return { ...answer, picture: readIfThere(join(folder, PICTURE_FILE)) ?? null };
    default:
      return answer satisfies never;
  }
}

const HINT =
  "start that Chromium by hand to see what it lacks, or name another one: browser: in stint.config.yaml";

function lastLines(output: string): string {
  return output.trim().split("\n").slice(-5).join(" ");
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
