// `demo`: the multi-session story as it really happens. A three-task migration in a scratch repository,
// worked on by two separate processes of Stint: the first does one task and ends, the second is given
// nothing but the id. Each process renders its own report from what is persisted; this file only
// starts them, and carries the id from the first to the second.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DemoView, RunView, VerifyView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { noTemporaryFolder } from "../core/words/system-error.ts";
import { isFull, meaningAt } from "../store/files.ts";
import type { System } from "./system.ts";

export interface DemoInput {
  /** Leave the scratch folder where it is. */
  readonly keep?: boolean;
  /** Called with the report of each session as soon as it is there. */
  readonly tell: (lines: readonly string[]) => void;
  readonly stopWanted: () => boolean;
}

/** @returns null when it was stopped before its end; then nothing of it is left */
export async function demo(system: System, input: DemoInput): Promise<DemoView | null> {
  const folder = scratchFolder();
  const stage: Stage = { system, env: stageEnvironment(system, folder) };
  let isKept = input.keep === true;
  try {
    const repository = await prepare(stage, folder);
    const first = await session(stage, repository, ["run", "migration.md", "--sessions", "1"]);
    if (input.stopWanted()) return null;
    input.tell(first.lines);
    const id = savedId(first.lines);
    // Not even the folder is the same: the id alone finds everything.
    const second = await session(stage, folder, ["resume", id]);
    if (input.stopWanted()) return null;
    input.tell(second.lines);
    const verdict = (await stintJson(stage, folder, ["verify", id])) as VerifyView;
    const isContinued = second.lines.includes("Cross-Session Continuation: SUCCESS");
    const passed = verdict.passed && isContinued && first.pid !== second.pid;
    isKept ||= !passed;
    return {
      project_id: verdict.project_id,
      sessions: [first, second],
      verify: verdict,
      passed,
      kept: isKept ? folder : null,
    };
  } catch (error) {
    // Whatever failed failed because nothing could be written there.
    const noRoom = Object.assign(new Error("no room", { cause: error }), { code: "ENOSPC" });
    throw isFull(folder) ? noTemporaryFolder(tmpdir(), noRoom, meaningAt) : error;
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

function scratchFolder(): string {
  try {
    return mkdtempSync(join(realpathSync(tmpdir()), "stint-demo-"));
  } catch (error) {
    throw noTemporaryFolder(tmpdir(), error, meaningAt);
  }
}

type Session = DemoView["sessions"][number];

interface Stage {
  readonly system: System;
  readonly env: NodeJS.ProcessEnv;
}

/** @returns the repository, with what the list is about committed in it */
async function prepare({ system, env }: Stage, folder: string): Promise<string> {
  const repository = join(folder, "repository");
  const { examples } = system;
  mkdirSync(repository);
  cpSync(join(examples, "migration"), repository, { recursive: true });
  cpSync(join(examples, "migration.md"), join(repository, "migration.md"));
  const git = async (...words: string[]): Promise<void> => {
    const { code, err } = await ended("git", words, repository, env);
    if (code !== 0) throw new StintError("git-failed", `git ${words.join(" ")}: ${err}`, HINT);
  };
  await git("init", "--quiet");
  // The person's own hooks, signatures and identity have no part in this.
  for (const [name, value] of Object.entries(GIT_SETTINGS)) await git("config", name, value);
  await git("add", ".");
  await git("commit", "--quiet", "--message", "The shop before the migration");
  return repository;
}

async function session(stage: Stage, cwd: string, words: readonly string[]): Promise<Session> {
  const agent = `scripted:${join(stage.system.examples, "migration.script.json")}`;
  const all = [...words, "--agent", agent, "--report", "sessions"];
  const { report, run } = (await stintJson(stage, cwd, all)) as RunView;
  if (report === null) throw new Error("a run that should print a report printed none");
  return { session: report.session, run_id: run.run_id, pid: run.pid, lines: report.lines };
}

async function stintJson(
  { system, env }: Stage,
  cwd: string,
  words: readonly string[],
): Promise<object> {
  const all = [system.program, ...words, "--json"];
  const { out, err } = await ended(process.execPath, all, cwd, env);
  const view = parsed(out);
  if (view !== undefined && !("error" in view)) return view;
  throw new StintError("state-changed", `stint ${words.join(" ")}: ${out}${err}`, HINT);
}

const HINT = "Look at what it left: stint demo --keep";

const GIT_SETTINGS = {
  "user.name": "Stint demo",
  "user.email": "demo@stint.invalid",
  "commit.gpgsign": "false",
  "core.hooksPath": "/dev/null",
};

/** A state folder of its own, and no word of a repository that the demo was called from. */
function stageEnvironment(system: System, folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(system.env).filter(
    ([name]) => !name.startsWith("GIT_") && !name.startsWith("STINT_"),
  );
  return { ...Object.fromEntries(own), XDG_STATE_HOME: join(folder, "state") };
}

/** The id as a person would take it from the screen. */
function savedId(lines: readonly string[]): string {
  const saved = lines.map((line) => /^TaskList ID: (\S+) - Save this/.exec(line)?.[1]);
  const id = saved.find((each) => each !== undefined);
  if (id !== undefined) return id;
  throw new StintError("state-changed", `session 1 printed no id: ${lines.join(" / ")}`, HINT);
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function ended(
  program: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    child.on("error", (cause) => {
      const message = `${program} cannot be started: ${cause.message}`;
      reject(
        new StintError("git-failed", message, "Install it, then run the demo again.", { cause }),
      );
    });
    // It has no streams where no descriptor is free.
    if (child.pid === undefined) return;
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    child.on("close", (code) => resolve({ code, ...said }));
  });
}
