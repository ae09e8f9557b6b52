import { readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { BoundedLog } from "./bounded-log.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function isNeverLost(note: string): never {
  throw new Error(note);
}

it("a log has one gap, at its end, and says how much is missing", () => {
  const path = `${folder.path}/log`;
  const log = new BoundedLog(path, 400, isNeverLost);
  log.line("first");
  log.line("x".repeat(500));
  log.line("would fit again");
  log.cut(1000);
  log.close();
  expect(readFileSync(path, "utf8")).toBe(
    "first\n[stint: the log is limited to 400 bytes; the rest is cut]\n[stint: 1517 bytes were cut]\n",
  );
});

it("a log goes on after what is there, within the same limit, for its owner's eyes", () => {
  const path = `${folder.path}/log`;
  writeFileSync(path, `${"x".repeat(280)}\n`, { mode: 0o644 });
  const log = new BoundedLog(path, 300, isNeverLost);
  log.line("more");
  log.close();
  expect(readFileSync(path, "utf8")).toContain("x\n[stint: the log is limited to 300 bytes");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
