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

it("a child's words are heard also where Node does not take a pipe", async () => {
  const runner = await buildRunner(folder.path);
  writeFileSync(
    `${folder.path}/refuse.cjs`,
    `const net = require("node:net");
     const { Socket } = net;
     net.Socket = function (options) {
       if (options?.fd > 2) {
         process.stderr.write("refused ");
         throw new TypeError("Unsupported fd type: UNKNOWN");
       }
       return new Socket(options);
     };
     net.Socket.prototype = Socket.prototype;
     require("node:module").syncBuiltinESMExports();`,
  );
  const args = [runner, "group", folder.path, "/bin/sh", "-c", "echo heard; echo too >&2"];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--require", `${folder.path}/refuse.cjs`, ...args],
    { env: { PATH, RUNNER_RUN_ID: newRunId(randomBytes) }, encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, "refused "]);
  expect(readFileSync(`${folder.path}/out.log`, "utf8")).toContain("heard");
});
