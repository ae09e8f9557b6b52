import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildRunner } from "../../test/support/build-runner.ts";
import { PATH, processesWith, program, until } from "../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { newRunId } from "../core/ids.ts";
import { type IsolationKind } from "./namespace/isolation.ts";
import { availableKinds } from "../../test/support/available-kinds.ts";
import { endProcessesOfRun } from "./end-processes.ts";
import { newRunVariables, RUN_ID_VARIABLE } from "./child-environment.ts";
import { bootId, findProcess, pidNamespace, type ProcessRecord } from "./process-table.ts";

const NAMESPACES = availableKinds().filter((kind) => kind !== "group");

let runnerFile: string;
let build: TemporaryFolder;
let folder: TemporaryFolder;
let started: ChildProcess[] = [];

beforeAll(async () => {
  build = temporaryFolder();
  runnerFile = await buildRunner(build.path);
});
afterAll(() => build.remove());
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  started = [];
  for (const pid of processesWith(folder.path)) process.kill(pid, "SIGKILL");
  folder.remove();
});

function spawnKept(file: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(file, args, { env: { PATH, ...env }, stdio: "ignore", detached: true });
  started.push(child);
  return child;
}

/** A run as its own process, with a program that leaves children in every way it can. */
async function startRunner(kind: IsolationKind, file: string, ...args: string[]) {
  const words = [runnerFile, kind, folder.path, program(file), ...args];
  const runner = spawnKept(process.execPath, words, { RUNNER_RUN_ID: newRunId(randomBytes) });
  await until("the program is ready", () => existsSync(`${folder.path}/ready`));
  const record = JSON.parse(readFileSync(`${folder.path}/record.json`, "utf8")) as ProcessRecord;
  return { runner, record };
}

function sessionProcesses(): number[] {
  const own = new Set(started.map((child) => child.pid));
  return processesWith(folder.path).filter((pid) => !own.has(pid));
}

describe("what a killed run leaves", () => {
  it.each(NAMESPACES)("is nothing in %s", async (kind) => {
    const { runner, record } = await startRunner(kind, "escape.sh", folder.path, "wait", "clear");
    expect(sessionProcesses().length).toBeGreaterThan(3);
    runner.kill("SIGKILL");
    await until("all are gone", () => sessionProcesses().length === 0);
    expect(await endProcessesOfRun(record)).toBe(0);
  });

  it.each(availableKinds())("is no program that was not written down, in %s", async (kind) => {
    const args = [kind, folder.path, "/bin/sh", "-c", `: > '${folder.path}/acted'`];
    const runner = spawnKept(process.execPath, [runnerFile, ...args], {
      RUNNER_RUN_ID: newRunId(randomBytes),
      RUNNER_DIES_AT_GATE: "1",
    });
    await until("the run is gone", () => findProcess(runner.pid ?? 0)?.zombie !== false);
    await until("the start shell is gone", () => sessionProcesses().length === 0);
    expect(existsSync(`${folder.path}/acted`)).toBe(false);
  });

  it("in a group is ended by the next run", async () => {
    const args = [folder.path, "wait", "keep-environment"];
    const { runner, record } = await startRunner("group", "escape.sh", ...args);
    runner.kill("SIGKILL");
    await until("the run is gone", () => findProcess(runner.pid ?? 0)?.zombie !== false);
    expect(sessionProcesses().length).toBeGreaterThanOrEqual(3);
    expect(await endProcessesOfRun(record, { killMs: 50 })).toBeGreaterThanOrEqual(3);
    expect(sessionProcesses()).toEqual([]);
    expect(await endProcessesOfRun(record)).toBe(0);
  });

  it("in a group is ended too when the program itself killed the run", async () => {
    const { runner, record } = await startRunner("group", "kill-parent.sh", folder.path);
    await until("the run is gone", () => findProcess(runner.pid ?? 0)?.zombie !== false);
    // While it becomes another program it has no words to be found by.
    await until("the program is found", () => sessionProcesses().length >= 1);
    expect(await endProcessesOfRun(record)).toBeGreaterThanOrEqual(1);
    expect(sessionProcesses()).toEqual([]);
  });

  it("is never a process that only has the recorded pid", async () => {
    const stranger = spawnKept("sh", [program("wait.sh"), folder.path, `${folder.path}/ready`], {});
    await until("it runs", () => existsSync(`${folder.path}/ready`));
    const pid = stranger.pid ?? 0;
    const process_start = findProcess(pid)?.start ?? "";
    const record: ProcessRecord = {
      run_id: newRunId(randomBytes),
      pid,
      process_start,
      boot_id: bootId(),
      pid_namespace: pidNamespace(),
      isolation: "group",
    };
    expect(await endProcessesOfRun({ ...record, process_start: "1" })).toBe(0);
    expect(await endProcessesOfRun({ ...record, boot_id: "another boot" })).toBe(0);
    expect(await endProcessesOfRun({ ...record, pid_namespace: "pid:[1]" })).toBe(0);
    expect(await endProcessesOfRun({ ...record, process_start: "unknown" })).toBe(0);
    expect(findProcess(pid)).toMatchObject({ start: process_start, zombie: false });
    expect(await endProcessesOfRun(record)).toBeGreaterThanOrEqual(1);
    expect(findProcess(pid)?.zombie ?? true).toBe(true);
  });

  it("is found by its variable from another pid namespace's record", async () => {
    const run_id = newRunId(randomBytes);
    const args = [program("wait.sh"), folder.path, `${folder.path}/ready`];
    spawnKept("sh", args, { [RUN_ID_VARIABLE]: run_id });
    await until("it runs", () => existsSync(`${folder.path}/ready`));
    const ended = await endProcessesOfRun({
      run_id,
      pid: 1,
      process_start: "1",
      boot_id: bootId(),
      pid_namespace: "pid:[1]",
      isolation: "group",
    });
    expect(ended).toBeGreaterThanOrEqual(1);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("includes what a run inside its session started", async () => {
    const run_id = newRunId(randomBytes);
    const env = {
      ...newRunVariables(run_id).variables,
      ...newRunVariables(newRunId(randomBytes)).variables,
    };
    spawnKept("sh", [program("wait.sh"), folder.path, `${folder.path}/ready`], env);
    await until("it runs", () => existsSync(`${folder.path}/ready`));
    expect(env[RUN_ID_VARIABLE]).not.toBe(run_id);
    const record = { run_id, pid: 1, process_start: "unknown", isolation: "group" as const };
    const place = { boot_id: bootId(), pid_namespace: pidNamespace() };
    expect(await endProcessesOfRun({ ...record, ...place })).toBeGreaterThanOrEqual(1);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("does not include the run that looks, though it carries the variable", async () => {
    const run_id = newRunId(randomBytes);
    const args = [runnerFile, "group", folder.path, "/bin/true"];
    // A run that was started inside a session of the run it cleans up after.
    const inner = spawnKept(process.execPath, args, {
      RUNNER_RUN_ID: newRunId(randomBytes),
      RUNNER_CLEANS: run_id,
      [RUN_ID_VARIABLE]: run_id,
    });
    await until("it has ended", () => existsSync(`${folder.path}/ended.json`));
    await until("it is gone", () => inner.exitCode !== null);
    expect(inner.exitCode).toBe(0);
  });
});
