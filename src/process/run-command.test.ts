import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandOf, NEVER_MS, PATH, processesWith, until } from "../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { newRunId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { isolationOf } from "./namespace/isolation.ts";
import { availableKinds } from "../../test/support/available-kinds.ts";
import type { ChildCommand } from "./find-program.ts";
import { type CommandLimits, runCommand } from "./run-command.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function shell(line: string): ChildCommand {
  return { program: "/bin/sh", args: ["-c", line], cwd: folder.path, env: { PATH } };
}

describe.each(availableKinds())("a command in %s", (kind) => {
  const limits: CommandLimits = {
    timeoutMs: NEVER_MS,
    maxOutputBytes: 100_000,
    runId: newRunId(randomBytes),
    isolation: isolationOf(kind),
    redact: (line) => line.replaceAll("hunter2", "[redacted]"),
  };

  it("gives its output in the order in which it was written, and its exit code", async () => {
    const line = "echo one; echo two >&2; echo three; echo hunter2 > /dev/stderr; exit 9";
    expect(await runCommand(shell(line), limits)).toEqual({
      exitCode: 9,
      timedOut: false,
      stopped: false,
      durationMs: expect.any(Number),
      output: "one\ntwo\nthree\n[redacted]\n",
      outputBytes: 22,
      leftBehind: 0,
    });
  });

  it("that dies by a signal has the exit code a shell would tell", async () => {
    expect(await runCommand(shell("kill -KILL $$"), limits)).toMatchObject({ exitCode: 137 });
  });

  it("is ended with everything it started when its time is over", async () => {
    const line = `sh '${commandOf("wait.sh", "").program}' '${folder.path}' & wait`;
    const result = await runCommand(shell(line), { ...limits, timeoutMs: 100 });
    expect(result).toMatchObject({ timedOut: true, exitCode: 143 });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("is ended with everything it started when it is no longer wanted, also before it began", async () => {
    const line = `sh '${commandOf("wait.sh", "").program}' '${folder.path}' & wait`;
    const ending = new AbortController();
    const running = runCommand(shell(line), { ...limits, signal: ending.signal });
    await until("it is there", () => processesWith(folder.path).length > 0);
    ending.abort();
    expect(await running).toMatchObject({ stopped: true, timedOut: false });
    expect(await runCommand(shell(line), { ...limits, signal: ending.signal })).toMatchObject({
      stopped: true,
    });
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("leaves no background process behind", async () => {
    const result = await runCommand(commandOf("background.sh", folder.path, folder.path), limits);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.output).toMatch(/^started a server\n/);
    expect(result.leftBehind).toBeGreaterThan(0);
    expect(processesWith(folder.path)).toEqual([]);
  });

  it("gives the beginning and the end of a long output", async () => {
    const line = "echo first; yes middle | head -n 100000; echo last";
    const { output, outputBytes } = await runCommand(shell(line), limits);
    expect(outputBytes).toBe(700_011);
    expect(output.length).toBeLessThan(101_000);
    expect(output).toMatch(/^first\nmiddle\n/);
    expect(output).toMatch(/middle\nlast\n$/);
    expect(output).toMatch(/\n\[stint: \d+ bytes cut here\]\n/);
  });

  it("is refused when its folder is missing", async () => {
    const command = { ...shell("true"), cwd: `${folder.path}/gone` };
    await expect(runCommand(command, limits)).rejects.toThrow(StintError);
  });

  it("never has the words of a namespace that cannot be made for its output", async () => {
    if (kind === "group") return;
    writeFileSync(join(folder.path, "file"), "");
    // Of this process, and no longer there in the process table of the namespace.
    const from = `/proc/${process.pid}/cmdline`;
    const mount = { from, at: join(folder.path, "file"), mode: "read-write" } as const;
    const running = runCommand(shell("echo ran"), {
      ...limits,
      view: { hide: [], mounts: [mount] },
    });
    if (kind === "bwrap") await running.catch(() => {});
    else
      await expect(running).rejects.toThrow(/^no namespace could be made for a command: mount: /);
  });
});
