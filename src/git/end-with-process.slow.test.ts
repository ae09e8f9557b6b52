import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findProcess } from "../process/process-table.ts";
import { BuiltStint, STINT } from "../../test/support/built-stint.ts";

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
});
afterEach(() => stint.close());

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "the git of a verb that only looks ends with it, on %s",
  async (signal) => {
    const bin = join(stint.path, "bin");
    const pidFile = join(stint.path, "pid");
    mkdirSync(bin);
    const script = `#!/bin/sh\necho $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600\n`;
    writeFileSync(join(bin, "git"), script, { mode: 0o755 });
    const child = spawn(process.execPath, [STINT, "doctor"], {
      cwd: stint.root,
      env: stint.env({ PATH: `${bin}:${process.env["PATH"]}` }),
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.on("exit", (_, by) => resolve(by)));
    while (!existsSync(pidFile)) await sleep(20);
    const git = Number(readFileSync(pidFile, "utf8"));
    child.kill(signal);
    expect(await ended).toBe(signal);
    for (let tries = 0; tries < 100 && isAlive(git); tries += 1) await sleep(20);
    expect(isAlive(git)).toBe(false);
  },
);

function isAlive(pid: number): boolean {
  const found = findProcess(pid);
  return found !== undefined && !found.zombie;
}
