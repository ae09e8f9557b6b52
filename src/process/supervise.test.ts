import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  commandOf,
  NEVER_MS,
  PATH,
  processesWith,
  quietSupervision,
  until,
} from "../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { StintError } from "../core/stint-error.ts";
import { type IsolationKind, isolationOf } from "./namespace/isolation.ts";
import { availableKinds } from "../../test/support/available-kinds.ts";
import { findProcess } from "./process-table.ts";
import type { ChildCommand } from "./find-program.ts";
import { supervise, type Supervision } from "./supervise.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const KINDS: IsolationKind[] = ["bwrap", "unshare", "group"];
const MISSING = KINDS.filter((kind) => !availableKinds().includes(kind));

const redact = (line: string): string => line.replaceAll("hunter2", "[redacted]");

function isNotReached(): never {
  throw new Error("it was started");
}

function shell(line: string): ChildCommand {
  return { program: "sh", args: ["-c", line], cwd: folder.path, env: { PATH } };
}

it.each(MISSING)("a child in %s is not tried: this kind does not work on this machine", (kind) => {
  expect(kind).not.toBe("group");
});

describe.each(availableKinds())("a child in %s", (kind) => {
  function start(command: ChildCommand, changes: Partial<Supervision> = {}) {
    const quiet = quietSupervision(folder.path);
    const isolation = isolationOf(kind);
    return { ...quiet, ...supervise(command, { ...quiet, isolation, ...changes }) };
  }

  function refusal(command: ChildCommand): unknown {
    try {
      start(command, { onStarted: isNotReached });
    } catch (error) {
      if (error instanceof StintError) return [error.code, error.message, error.hint];
      throw error;
    }
    return isNotReached();
  }

  it("ends by itself with its exit code, and its output is heard and kept", async () => {
    const child = start(shell("echo one; echo two >&2; exit 3"));
    expect(await child.ended).toEqual({
      exitCode: 3,
      signal: null,
      endedBy: "itself",
      reason: null,
      durationMs: expect.any(Number),
      stdoutBytes: 4,
      stderrBytes: 4,
      stderrTail: "two\n",
      leftBehind: 0,
      keptMs: 0,
    });
    expect(child.lines.toSorted()).toEqual(["stderr: two", "stdout: one"]);
    expect(readFileSync(`${folder.path}/out.log`, "utf8")).toBe("one\n");
    expect(readFileSync(`${folder.path}/err.log`, "utf8")).toBe("two\n");
    expect(statSync(`${folder.path}/out.log`).mode & 0o777).toBe(0o600);
  });

  it("may end at once", async () => {
    const ended = await start({ ...shell(""), program: "true", args: [] }).ended;
    expect(ended).toMatchObject({ exitCode: 0, endedBy: "itself", leftBehind: 0 });
  });

  it("that dies by a signal tells which", async () => {
    const ended = await start(shell("kill -SEGV $$")).ended;
    expect(ended).toMatchObject({ exitCode: null, signal: "SIGSEGV", stderrTail: "" });
  });

  it("waits until its record is kept", async () => {
    const seen: boolean[] = [];
    const child = start(shell(": > acted"), {
      onStarted(record) {
        // Whatever is that waits has all the time it could want.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
        seen.push(existsSync(`${folder.path}/acted`));
        expect(findProcess(record.pid)?.start).toBe(record.process_start);
        expect(record).toMatchObject({ isolation: kind });
      },
    });
    await child.ended;
    expect(seen).toEqual([false]);
    expect(existsSync(`${folder.path}/acted`)).toBe(true);
  });

  it("never runs when its record cannot be kept", async () => {
    let pid = 0;
    const refuse = (): void => {
      start(shell(": > acted"), {
        onStarted(record) {
          pid = record.pid;
          throw new Error("the disk is full");
        },
      });
    };
    expect(refuse).toThrow("the disk is full");
    await until("the start shell is gone", () => findProcess(pid)?.zombie !== false);
    expect(existsSync(`${folder.path}/acted`)).toBe(false);
  });

  it("gets its input, can open its streams by name, and carries a variable of the run", async () => {
    const line = "cat /dev/stdin; echo again > /dev/stderr; echo $STINT_RUN_ID";
    const child = start({ ...shell(line), stdin: "the brief\n" });
    expect(await child.ended).toMatchObject({ exitCode: 0, stderrTail: "again\n" });
    expect(child.lines).toContain("stdout: the brief");
    expect(child.lines).toContain(`stdout: ${child.runId}`);
  });

  it("need not read its input", async () => {
    const ended = await start({ ...shell("exec 0<&-"), stdin: "x".repeat(1_000_000) }).ended;
    expect(ended).toMatchObject({ exitCode: 0, endedBy: "itself" });
  });

  it("is ended when it says nothing for too long", async () => {
    const ended = await start(commandOf("wait.sh", folder.path, folder.path), { idleMs: 50 }).ended;
    expect(ended).toMatchObject({
      signal: "SIGTERM",
      endedBy: "idle-timeout",
      reason: "it printed nothing for 50 ms",
    });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("is ended when it goes on for too long, though it prints", async () => {
    const ended = await start(commandOf("chatter.sh", folder.path), { totalMs: 150 }).ended;
    expect(ended).toMatchObject({
      endedBy: "total-timeout",
      reason: "it ran longer than 150 ms",
    });
  });

  it("is ended when it stays after it said it was finished", async () => {
    const child = start(commandOf("finished.sh", folder.path, folder.path), { graceMs: 20 });
    await until("it is finished", () => child.lines.includes("stdout: finished"));
    child.finishing();
    child.finishing();
    expect(await child.ended).toMatchObject({
      endedBy: "grace",
      reason: "it still ran 20 ms after it said it was finished",
    });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("is stopped with the first reason that was given", async () => {
    const child = start(commandOf("finished.sh", folder.path, folder.path));
    await until("it runs", () => child.lines.length > 0);
    child.stop("the person asked");
    child.stop("somebody else asked");
    expect(await child.ended).toMatchObject({ endedBy: "stopped", reason: "the person asked" });
    child.stop("too late");
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("can be stopped before it came to run", async () => {
    const child = start(commandOf("wait.sh", folder.path, folder.path), { killMs: 100 });
    child.stop("changed my mind");
    expect(await child.ended).toMatchObject({ endedBy: "stopped", reason: "changed my mind" });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("is killed when it does not mind SIGTERM", async () => {
    const ready = `${folder.path}/ready`;
    const child = start(commandOf("stubborn.sh", folder.path, folder.path, ready), { killMs: 50 });
    await until("it is ready", () => existsSync(ready));
    child.stop("enough");
    expect(await child.ended).toMatchObject({ signal: "SIGKILL", endedBy: "stopped" });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("has time to tidy up after SIGTERM", async () => {
    const line = "trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
    const child = start(shell(line));
    await until("it is ready", () => child.lines.includes("stdout: ready"));
    child.stop("enough");
    expect(await child.ended).toMatchObject({ exitCode: 7, endedBy: "stopped" });
    expect(child.lines).toContain("stdout: tidy");
  });

  it("is asked alone where it ends what it started in its own way", async () => {
    const tool = `sh -c 'trap "echo tool >> order; exit" TERM; while :; do sleep 0.05; done'`;
    const child = start(
      shell(
        `${tool} & tool=$!; trap 'sleep 0.5; echo program >> order; kill $tool; wait; exit 7' TERM; echo ready; wait`,
      ),
      { askFirst: true, killMs: 30_000 },
    );
    await until("it is ready", () => child.lines.includes("stdout: ready"));
    child.stop("enough");
    expect(await child.ended).toMatchObject({ exitCode: 7, endedBy: "stopped" });
    expect(readFileSync(`${folder.path}/order`, "utf8")).toBe("program\ntool\n");
  });

  it("does not keep the others waiting for ever by that", async () => {
    const child = start(
      shell(
        `sh -c 'trap "" TERM; sleep 30' & trap "" TERM; echo ready; while :; do sleep 0.1; done`,
      ),
      { askFirst: true, killMs: 300 },
    );
    await until("it is ready", () => child.lines.includes("stdout: ready"));
    child.stop("enough");
    expect(await child.ended).toMatchObject({ signal: "SIGKILL", endedBy: "stopped" });
  });

  it("leaves no background process behind that holds its output", async () => {
    const ended = await start(commandOf("background.sh", folder.path, folder.path)).ended;
    expect(ended).toMatchObject({ exitCode: 0, endedBy: "itself" });
    // The waiting shell, and the sleep it may be in.
    expect(ended.leftBehind).toBeGreaterThan(0);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("leaves nothing that changed its session or is deaf to SIGTERM", async () => {
    const args = [folder.path, "leave", kind === "group" ? "keep-environment" : "clear"];
    const command = commandOf("escape.sh", folder.path, ...args);
    const ended = await start(command, { killMs: 50 }).ended;
    expect(ended).toMatchObject({ exitCode: 0, endedBy: "itself" });
    expect(ended.leftBehind).toBeGreaterThan(1);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("leaves nothing with a cleared environment that works in a folder of Stint's own", async () => {
    const command = commandOf("escape.sh", folder.path, folder.path, "leave", "clear");
    const ended = await start(command, { killMs: 50, ownFolder: folder.path }).ended;
    expect(ended).toMatchObject({ exitCode: 0, endedBy: "itself" });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("leaves nothing with a cleared environment in its session", async () => {
    const line =
      'set -m; (env -i sh "$0" "$1" "$1/ready" >/dev/null 2>&1 &) & wait; while [ ! -e ready ]; do sleep 0.01; done';
    const command = shell(line);
    const { program } = commandOf("wait.sh", "");
    const args = [...command.args, program, folder.path];
    expect((await start({ ...command, args }).ended).exitCode).toBe(0);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("leaves nothing with a cleared environment that was its child when it was finished", async () => {
    const child = start(commandOf("hand-over.sh", folder.path, folder.path));
    await until("it is finished", () => child.lines.includes("stdout: finished"));
    child.finishing();
    writeFileSync(`${folder.path}/leave`, "");
    const ended = await child.ended;
    expect(ended).toMatchObject({ exitCode: 0, endedBy: "itself" });
    expect(ended.leftBehind).toBeGreaterThan(0);
    expect(processesWith(folder.path)).toEqual([]);
  });

  const LEAVES =
    "(while [ ! -e go ]; do sleep 0.01; done; echo x > made) > /dev/null 2>&1 & exit 3";

  it("may have what it left behind finish first, where somebody wants that", async () => {
    const asked: number[] = [];
    const ended = await start(shell(LEAVES), {
      keepMs(left) {
        asked.push(left);
        writeFileSync(`${folder.path}/go`, "");
        return 60_000;
      },
    }).ended;
    expect(ended).toMatchObject({ exitCode: 3, endedBy: "itself", leftBehind: 0 });
    expect(asked[0]).toBeGreaterThan(0);
    expect(existsSync(`${folder.path}/made`)).toBe(true);
  });

  it("has that ended when its time is over, and when it is stopped", async () => {
    let isAsked = false;
    const once = start(shell(LEAVES), {
      keepMs: () => (isAsked ? 0 : ((isAsked = true), 60_000)),
    });
    expect((await once.ended).leftBehind).toBeGreaterThan(0);
    const stopped = start(shell(LEAVES), {
      keepMs() {
        stopped.stop("enough");
        return 60_000;
      },
    });
    const ended = await stopped.ended;
    // The program itself had ended; only what it left was no longer wanted.
    expect(ended).toMatchObject({ exitCode: 3, endedBy: "itself" });
    expect(ended.leftBehind).toBeGreaterThan(0);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("does not touch another child of the same run", async () => {
    const ready = `${folder.path}/ready`;
    const other = start(commandOf("wait.sh", folder.path, folder.path, ready));
    await until("the other runs", () => existsSync(ready));
    const ended = await start(shell("exit 0"), { runId: other.runId }).ended;
    expect(ended).toMatchObject({ exitCode: 0, leftBehind: 0 });
    expect(processesWith(folder.path)).not.toEqual([]);
    other.stop("done");
    await other.ended;
  });

  it("prints 200 MB into a bounded log that says what was cut", async () => {
    const bytes = 200 * 1024 * 1024;
    const quiet = quietSupervision(folder.path);
    const { onLine: _, ...deaf } = { ...quiet, isolation: isolationOf(kind) };
    const child = supervise(commandOf("flood.sh", folder.path, String(bytes)), deaf);
    expect(await child.ended).toMatchObject({ exitCode: 0, stdoutBytes: bytes });
    const log = readFileSync(`${folder.path}/out.log`, "utf8");
    expect(log.length).toBeLessThanOrEqual(1_000_000);
    expect(log.startsWith("a line of output\n")).toBe(true);
    expect(log.slice(-300)).toContain("[stint: the log is limited to 1000000 bytes; the rest");
    const cut = Number(/\[stint: (\d+) bytes were cut\]\n$/.exec(log)?.[1]);
    expect(cut).toBeGreaterThan(bytes - 1_000_000);
  });

  it("may print without a newline and what is no text", async () => {
    const long = start(commandOf("flood.sh", folder.path, "3000000", "no-newline"));
    expect(await long.ended).toMatchObject({ exitCode: 0, stdoutBytes: 3_000_000 });
    expect(long.lines).toHaveLength(1);
    expect(long.lines[0]).toMatch(
      /x \[stint: the rest of this line is dropped, \d+ bytes or more]$/,
    );
    const odd = start(commandOf("odd-bytes.sh", folder.path));
    await odd.ended;
    expect(odd.lines).toEqual([
      "stdout: bad \ufffd\ufffd end",
      "stdout: nul \0 end",
      "stdout: half \ufffd",
    ]);
  });

  it("goes on when its log cannot be written, and that is said once", async () => {
    const logs = { stdout: "/dev/full", stderr: `${folder.path}/no/such`, maxBytes: 1_000_000 };
    const child = start(shell("echo one; echo two; exit 4"), { logs });
    expect(await child.ended).toMatchObject({ exitCode: 4, stdoutBytes: 8 });
    expect(child.lines.filter((line) => line.startsWith("stdout"))).toEqual([
      "stdout: one",
      "stdout: two",
    ]);
    const notes = child.lines.filter((line) => line.startsWith("stderr"));
    expect(notes).toHaveLength(2);
    expect(notes.join("\n")).toContain("/no/such is no longer written: ENOENT");
    expect(notes.join("\n")).toContain("/dev/full is no longer written: ENOSPC");
  });

  it("has its lines redacted before they are heard or kept", async () => {
    const child = start(shell("echo pass hunter2; echo hunter2 >&2"), { redact });
    expect(await child.ended).toMatchObject({ stderrTail: "[redacted]\n" });
    expect(child.lines).toContain("stdout: pass [redacted]");
    expect(readFileSync(`${folder.path}/out.log`, "utf8")).toBe("pass [redacted]\n");
  });

  it("is refused with a hint when there is nothing to start", () => {
    const at = folder.path;
    expect(refusal({ ...shell(""), program: "no-such-agent", env: { PATH: "/bin" } })).toEqual([
      "bad-input",
      'the program "no-such-agent" was not found on PATH (/bin)',
      "install it, or name it by its path",
    ]);
    expect(refusal({ ...shell(""), program: "./agent.sh" })).toEqual([
      "bad-input",
      `the program ./agent.sh does not exist (${at}/agent.sh)`,
      "check the path; a relative one starts at the working folder",
    ]);
    writeFileSync(`${at}/agent.sh`, "#!/bin/sh\n", { mode: 0o644 });
    expect(refusal({ ...shell(""), program: "./agent.sh" })).toEqual([
      "bad-input",
      `${at}/agent.sh is not executable`,
      `run: chmod +x '${at}/agent.sh'`,
    ]);
    mkdirSync(`${at}/tool`);
    expect(refusal({ ...shell(""), program: "./tool" })).toEqual([
      "bad-input",
      `the program ./tool is a folder (${at}/tool)`,
      "check the path; a relative one starts at the working folder",
    ]);
    expect(refusal({ ...shell(""), cwd: `${at}/gone` })).toEqual([
      "bad-input",
      `the working folder ${at}/gone does not exist`,
      "create it, or start from a folder that exists",
    ]);
    expect(refusal(shell("x".repeat(5_000_000)))).toEqual([
      "bad-input",
      "sh cannot be started: spawn E2BIG",
      "arguments and environment are too long for the system: pass long texts on stdin",
    ]);
  });

  it.runIf(kind !== "group")("does not see what is hidden from it", async () => {
    mkdirSync(`${folder.path}/state`);
    writeFileSync(`${folder.path}/state/key`, "secret");
    const hide = [`${folder.path}/state`, `${folder.path}/never-made`];
    const child = start(shell("ls state; cat state/key"), { view: { hide, mounts: [] } });
    expect(await child.ended).toMatchObject({ exitCode: 1, stdoutBytes: 0 });
    expect(readFileSync(`${folder.path}/state/key`, "utf8")).toBe("secret");
    expect(existsSync(`${folder.path}/never-made`)).toBe(false);
  });

  it.runIf(kind !== "group")("cannot kill the run", async () => {
    const command = commandOf("kill-parent.sh", folder.path, folder.path);
    const child = start(command, { totalMs: 500, idleMs: NEVER_MS });
    const ended = await child.ended;
    expect(["itself", "total-timeout"]).toContain(ended.endedBy);
    expect(processesWith(folder.path)).toEqual([]);
  });
});
