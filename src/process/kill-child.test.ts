// Children that could not be started because no descriptor is free: Node gives them no process id and no streams, and
// would send a signal to a number that is nobody's.
import { EventEmitter } from "node:events";
import { beforeEach, expect, it, vi } from "vitest";
import { runSigningTool } from "../git/signing-tool.ts";
import { runGit } from "../git/run-git.ts";
import { parseProjectId } from "../core/ids.ts";
import { required } from "../../test/support/project-fixture.ts";
import { sameUsers } from "./namespace/same-users.ts";
import { watchBeside } from "./watch-beside.ts";

const kill = vi.fn<() => void>();
const ended = vi.fn<() => true>(() => true);

vi.mock("node:child_process", async (original) => ({
  ...(await original<object>()),
  spawn: () => {
    const child = Object.assign(new EventEmitter(), { pid: undefined, kill, unref: () => {} });
    const error = Object.assign(new Error("spawn x EMFILE"), {
      code: "EMFILE",
      syscall: "spawn x",
    });
    process.nextTick(() => child.emit("error", error));
    return child;
  },
}));

beforeEach(() => {
  kill.mockClear();
  ended.mockClear();
  vi.spyOn(process, "kill").mockImplementation(ended);
});

const id = required(parseProjectId("p-0000000001"));

it.each([
  ["a namespace", () => sameUsers("unshare"), "no descriptor is free"],
  ["git", () => runGit("/", ["status"]), "too many open files in this process (EMFILE)"],
])("%s fails with the reason", async (_, start, reason) => {
  await expect((async () => await start())()).rejects.toThrow(reason);
  expect([kill.mock.calls, ended.mock.calls]).toEqual([[], []]);
});

it("a signing tool gives no signature, and says why", async () => {
  const call = { program: "x", args: [], input: new Uint8Array(), cwd: "/" };
  expect(await runSigningTool(call)).toMatchObject({
    code: null,
    stderr: "x cannot be started: spawn x EMFILE",
  });
  expect([kill.mock.calls, ended.mock.calls]).toEqual([[], []]);
});

it("a watchdog beside a run is left out, and the run goes on", () => {
  expect(() => watchBeside("main.cjs", id, false)()).not.toThrow();
});
