// Children that could not be started because no descriptor is free: Node gives them no process id and no streams, and
// would send a signal to a number that is nobody's.
import { EventEmitter } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { parseProjectId } from "../core/ids.ts";
import { required } from "../../test/support/project-fixture.ts";

const kill = vi.fn<() => void>();
const ended = vi.fn<() => true>(() => true);

function notStarted(): EventEmitter {
  const child = Object.assign(new EventEmitter(), { pid: undefined, kill, unref: () => {} });
  const error = Object.assign(new Error("spawn x EMFILE"), { code: "EMFILE", syscall: "spawn x" });
  process.nextTick(() => child.emit("error", error));
  return child;
}

// Loaded by itself: what a worker has loaded for other tests keeps the real one.
async function loaded() {
  const { runSigningTool } = await import("../git/signing-tool.ts");
  const { runGit } = await import("../git/run-git.ts");
  const { sameUsers } = await import("./namespace/same-users.ts");
  const { watchBeside } = await import("./watch-beside.ts");
  return { runSigningTool, runGit, sameUsers, watchBeside };
}

let parts: Awaited<ReturnType<typeof loaded>>;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock("node:child_process", async (original) => ({
    ...(await original<object>()),
    spawn: notStarted,
  }));
  parts = await loaded();
});

afterAll(() => {
  vi.doUnmock("node:child_process");
  vi.resetModules();
});

beforeEach(() => {
  kill.mockClear();
  ended.mockClear();
  const spied = vi.spyOn(process, "kill").mockImplementation(ended);
  return () => spied.mockRestore();
});

const id = required(parseProjectId("p-0000000001"));

it.each([
  ["a namespace", () => parts.sameUsers("unshare"), "no descriptor is free"],
  ["git", () => parts.runGit("/", ["status"]), "too many open files in this process (EMFILE)"],
])("%s fails with the reason", async (_, start, reason) => {
  await expect((async () => await start())()).rejects.toThrow(reason);
  expect([kill.mock.calls, ended.mock.calls]).toEqual([[], []]);
});

it("a signing tool gives no signature, and says why", async () => {
  const call = { program: "x", args: [], input: new Uint8Array(), cwd: "/" };
  expect(await parts.runSigningTool(call)).toMatchObject({
    code: null,
    stderr: "x cannot be started: spawn x EMFILE",
  });
  expect([kill.mock.calls, ended.mock.calls]).toEqual([[], []]);
});

it("a watchdog beside a run is left out, and the run goes on", () => {
  expect(() => parts.watchBeside("main.cjs", id, false)()).not.toThrow();
});
