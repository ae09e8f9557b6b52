import { spawnSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { required } from "../../test/support/project-fixture.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { findProcess } from "../process/process-table.ts";
import { makePageFolder, pageFolderBeginning } from "./page-check.ts";

let folder: TemporaryFolder;
let base: string;
beforeEach(() => {
  folder = temporaryFolder();
  base = join(folder.path, "tmp");
  mkdirSync(base);
});
afterEach(() => folder.remove());

const self = required(findProcess(process.pid));
/** It ran, and is gone. */
const dead = { pid: spawnSync("true").pid, start: "1" };

function leave(beginning: string): string {
  const name = `${beginning}AbCdEf`;
  mkdirSync(join(base, name, "profile"), { recursive: true });
  writeFileSync(join(base, name, "profile", "cache"), "x");
  return name;
}

/** What is there after the next check has made its folder. */
function left(): string[] {
  const own = makePageFolder(base);
  expect(dirname(own)).toBe(base);
  rmSync(own, { recursive: true });
  return readdirSync(base);
}

describe("the folder of a page check", () => {
  it("names its maker", () => {
    expect(basename(makePageFolder(base)).startsWith(pageFolderBeginning(self))).toBe(true);
  });

  it("goes away with the next check when its maker was killed", () => {
    leave(pageFolderBeginning(dead));
    expect(left()).toEqual([]);
  });

  it("goes away also when its maker's pid is somebody else's by now", () => {
    leave(pageFolderBeginning({ ...self, start: "1" }));
    expect(left()).toEqual([]);
  });

  it.each([
    ["whose maker is at work", pageFolderBeginning(self)],
    ["of another boot or pid namespace", `stint-page-000000-${dead.pid}-000000-`],
    ["that names no maker", "stint-page-"],
    ["of another program", "stint-pages-of-mine-"],
  ])("%s stays", (_, beginning) => {
    const name = leave(beginning);
    expect(left()).toEqual([name]);
  });

  it("that is a link or a file stays, and what a link leads to as well", () => {
    const target = join(folder.path, "precious");
    mkdirSync(target);
    writeFileSync(join(target, "file"), "kept");
    const link = `${pageFolderBeginning(dead)}AbCdEf`;
    symlinkSync(target, join(base, link));
    const file = `${pageFolderBeginning(dead)}AbCdEg`;
    writeFileSync(join(base, file), "");
    expect(left()).toEqual([link, file]);
    expect(readFileSync(join(target, "file"), "utf8")).toBe("kept");
  });

  it("with a link inside goes away without what the link leads to", () => {
    const target = join(folder.path, "precious");
    mkdirSync(target);
    writeFileSync(join(target, "file"), "kept");
    symlinkSync(target, join(base, leave(pageFolderBeginning(dead)), "way-out"));
    expect(left()).toEqual([]);
    expect(readFileSync(join(target, "file"), "utf8")).toBe("kept");
  });

  it.skipIf(process.getuid?.() !== 0)("of another user stays", () => {
    const name = leave(pageFolderBeginning(dead));
    chownSync(join(base, name), 65_534, 65_534);
    expect(left()).toEqual([name]);
  });
});
