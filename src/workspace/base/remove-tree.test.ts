import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { removeTree } from "./remove-tree.ts";

let temporary: TemporaryFolder;
let top: string;

beforeEach(() => {
  temporary = temporaryFolder();
  top = join(temporary.path, "left");
});
afterEach(() => temporary.remove());

const left = () => readdirSync(temporary.path);

describe("removing what a session left", () => {
  it("takes any depth, closed folders and names that are not UTF-8", () => {
    mkdirSync(join(top, "closed/inner"), { recursive: true });
    const name = "d".repeat(200);
    // Each step from inside: the whole path is longer than the system takes.
    const script = `for i in $(seq 40); do mkdir ${name} && cd ${name} || exit 1; done; echo x > file`;
    execFileSync("bash", ["-c", script], { cwd: top });
    writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0x41])]), "x");
    chmodSync(join(top, "closed"), 0);
    removeTree(top);
    expect(left()).toEqual([]);
  });

  it("takes a link and not what it leads to, a file, and nothing", () => {
    writeFileSync(join(temporary.path, "kept"), "x");
    symlinkSync("kept", top);
    removeTree(Buffer.from(top));
    removeTree(top);
    removeTree(join(temporary.path, "kept", "below"));
    expect(left()).toEqual(["kept"]);
    removeTree(join(temporary.path, "kept"));
    expect(left()).toEqual([]);
  });
});
