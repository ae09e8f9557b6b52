// Sockets of other programs that go away while a namespace is made which has to cover them.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { availableKinds } from "../../../test/support/available-kinds.ts";
import { PATH } from "../../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { newRunId } from "../../core/ids.ts";
import { runCommand } from "../run-command.ts";
import { isolationOf, namespaceOf } from "./isolation.ts";
import { coveredSockets, removeMadeFor } from "./made-mount-points.ts";
import type { View } from "./view.ts";

const NAMESPACES = availableKinds().filter((kind) => kind !== "group");

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ["free", "home"]) mkdirSync(at(name));
});
afterEach(() => folder.remove());

function at(path: string): string {
  return join(folder.path, path);
}

/** @returns what takes it away, and its folder */
async function listen(path: string): Promise<() => Promise<void>> {
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer().listen(path);
  await once(server, "listening");
  return async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(dirname(path), { recursive: true });
  };
}

const PATHS = ["free/a/b/sock", "home/a/b/sock"];

function viewOf(): View {
  const pinned = ["free/a", "free/a/b"].map(at);
  return { hide: [], mounts: [], cover: PATHS.map(at), writable: [at("free")], pinned };
}

describe.each(NAMESPACES)("made by %s, a namespace", (kind) => {
  it("leaves out a socket in a writable folder that is gone by now, and leaves nothing in its place", async () => {
    const gone = await listen(at("free/a/b/sock"));
    const view = viewOf();
    const covered = coveredSockets(view);
    const { words, users } = { ...namespaceOf(kind), words: namespaceOf(kind).words(view, "/") };
    await gone();
    rmSync(at("free/a"), { recursive: true });
    const [program = "", ...args] = [...words, "/bin/sh", "-c", "echo works"];
    const stdio = ["ignore", "pipe", "pipe", "ignore", users ?? "ignore"] as const;
    const { stdout } = spawnSync(program, args, { encoding: "utf8", stdio: [...stdio] });
    expect(stdout).toBe("works\n");
    removeMadeFor(covered);
    expect(readdirSync(at("free"))).toEqual([]);
  });

  it("is there for the program however often sockets come and go", async () => {
    let isOver = false;
    const flapping = PATHS.map(async (path) => {
      // oxlint-disable no-await-in-loop
      while (!isOver) {
        // What bwrap makes in its place may be in its way for a moment.
        const gone = await listen(at(path)).catch(() => undefined);
        await new Promise(setImmediate);
        await gone?.();
      }
      // oxlint-enable no-await-in-loop
    });
    const outputs: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const { exitCode } = await runCommand(
        { program: "sh", args: ["-c", "echo works"], cwd: "/", env: { PATH } },
        {
          timeoutMs: 60_000,
          maxOutputBytes: 1000,
          runId: newRunId(randomBytes),
          isolation: isolationOf(kind),
          redact: (text) => text,
          view: viewOf(),
        },
      );
      outputs.push(String(exitCode));
    }
    isOver = true;
    await Promise.all(flapping);
    expect(new Set(outputs)).toEqual(new Set(["0"]));
  });
});
