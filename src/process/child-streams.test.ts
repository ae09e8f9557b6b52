import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildRunner } from "../../test/support/build-runner.ts";
import { PATH } from "../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { newRunId } from "../core/ids.ts";
import { availableKinds } from "../../test/support/available-kinds.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it.each(availableKinds())(
  "a child in %s gets no descriptor that the run was given",
  async (kind) => {
    const runner = await buildRunner(folder.path);
    writeFileSync(`${folder.path}/secret`, "");
    const fd = openSync(`${folder.path}/secret`, "r");
    // Numbers that Node marks by itself, and numbers that it does not look at.
    const stdio = Array.from({ length: 3000 }, (_, n) =>
      [4, 9, 40, 119, 2999].includes(n) ? fd : "ignore",
    );
    const line = "for fd in /proc/self/fd/*; do readlink $fd; done";
    const args = [runner, kind, folder.path, "/bin/sh", "-c", line];
    const env = { PATH, RUNNER_RUN_ID: newRunId(randomBytes) };
    const { status } = spawnSync(process.execPath, args, { env, stdio });
    closeSync(fd);
    expect(status).toBe(0);
    const targets = readFileSync(`${folder.path}/out.log`, "utf8").split("\n");
    expect(targets.length).toBeGreaterThan(3);
    expect(targets.filter((target) => target.includes("secret"))).toEqual([]);
  },
);
