// Sockets of other programs that go away while a namespace is made which has to cover them.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { availableKinds } from "../../../test/support/available-kinds.ts";
import { NEVER_MS, PATH } from "../../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { newRunId } from "../../core/ids.ts";
import { runChild } from "../run-child.ts";
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

const SOCKET = "free/a/b/sock";

function viewOf(): View {
  const pinned = ["free/a", "free/a/b"].map(at);
  return { hide: [], mounts: [], cover: [at(SOCKET)], writable: [at("free")], pinned };
}

describe.each(NAMESPACES)("made by %s, a namespace", (kind) => {
  it("leaves out a socket in a writable folder that is gone by now, and leaves nothing in its place", async () => {
    const gone = await listen(at("free/a/b/sock"));
    const view = viewOf();
    const covered = coveredSockets(view);
    const namespace = namespaceOf(kind);
    const words = namespace.words(view, "/");
    await gone();
    rmSync(at("free/a"), { recursive: true });
    const [program = "", ...args] = words;
    const { stdout } = spawnSync(program, [...args, "/bin/sh", "-c", "echo works"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "ignore", namespace.users ?? "ignore"],
    });
    expect(stdout).toBe("works\n");
    removeMadeFor(covered);
    expect(readdirSync(at("free"))).toEqual([]);
  });

  it("is made again where it failed before the program was started", async () => {
    let starts = 0;
    let output = "";
    const child = runChild({
      command: { program: "sh", args: ["-c", "echo works"], cwd: "/", env: { PATH } },
      runId: newRunId(randomBytes),
      isolation: isolationOf(kind),
      combined: true,
      killMs: NEVER_MS,
      limits: { totalMs: NEVER_MS, idleMs: NEVER_MS, graceMs: NEVER_MS },
      onStarted: () => void (starts += 1),
      onOutput: (_, bytes) => void (output += bytes.toString()),
      view: {
        ...viewOf(),
        // No file can be mounted over a folder.
        get cover() {
          return starts < 2 ? [at("home")] : [];
        },
      },
    });
    expect(await child.ended).toMatchObject({ exitCode: 0, reason: null });
    expect(starts).toBe(3);
    expect(output).toMatch(/works\n$/);
  });
});
