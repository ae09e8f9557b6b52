// The fault injector must strike exactly where it was told to.
import { expect, it } from "vitest";
import { type FileFault, faultyFiles } from "./faulty-files.ts";
import { ModelFiles } from "./model-files.ts";

const BYTES = Buffer.from("abcdefgh");

function trial(fault?: FileFault) {
  const model = ModelFiles.withFolders("/d");
  const files = faultyFiles(model, fault);
  return { model, files };
}

it("passes every call through and counts it while there is no fault", () => {
  const { files } = trial();
  const fd = files.open("/d/f", "wx");
  expect(files.write(fd, BYTES, 0, 8, 0)).toBe(8);
  files.fsync(fd);
  expect(files.read(fd)).toEqual(BYTES);
  files.close(fd);
  expect(files.stat("/d/f")?.size).toBe(8);
  expect(files.calls).toEqual(["open", "write", "fsync", "read", "close", "stat"]);
  expect(files.struck).toBe(0);
});

it("fails the n-th call once, before it has an effect", () => {
  const { files } = trial({ at: 2, effect: "EACCES" });
  files.mkdir("/d/a", 0o700);
  expect(() => files.mkdir("/d/b", 0o700)).toThrow("EACCES: permission denied, mkdir '/d/b'");
  files.mkdir("/d/c", 0o700);
  expect(files.list("/d")).toEqual(["a", "c"]);
});

it("fails every call of a kind from the n-th on when the fault lasts", () => {
  const { files } = trial({ at: 2, kind: "mkdir", lasting: true, effect: "ENOSPC" });
  files.mkdir("/d/a", 0o700);
  expect(() => files.mkdir("/d/b", 0o700)).toThrow(/^ENOSPC/);
  expect(() => files.mkdir("/d/b", 0o700)).toThrow(/^ENOSPC/);
  expect(files.list("/d")).toEqual(["a"]);
  expect(files.struck).toBe(2);
});

it("loses the answer to a call that happened", () => {
  const { files } = trial({ at: 1, kind: "mkdir", effect: { afterwards: "EIO" } });
  expect(() => files.mkdir("/d/a", 0o700)).toThrow(/^EIO/);
  expect(files.list("/d")).toEqual(["a"]);
});

it.each([
  ["nothing", 0],
  ["one byte", 1],
  ["half", 4],
] as const)("lets a write take %s", (writes, taken) => {
  const { files } = trial({ at: 1, kind: "write", effect: { writes } });
  const fd = files.open("/d/f", "wx");
  expect(files.write(fd, BYTES, 0, 8, 0)).toBe(taken);
  expect(files.read(fd)).toEqual(BYTES.subarray(0, taken));
});
