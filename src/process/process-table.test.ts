import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PATH, program, until } from "../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { whichProgram } from "./find-program.ts";
import { procTable, type ProcessTable, psTable } from "./process-table.ts";

const tables: [string, ProcessTable, boolean][] = [
  ["/proc", procTable, existsSync("/proc/self/stat")],
  ["ps", psTable, whichProgram("ps", process.env["PATH"]) !== undefined],
];

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe.each(tables.filter(([, , works]) => works))("the process table of %s", (_, table) => {
  it("knows a child, the variable that it carries, and that it ended", async () => {
    const child = spawn("sh", [program("wait.sh"), folder.path, `${folder.path}/ready`], {
      env: { PATH, STINT_TEST_MARK: folder.path },
      detached: true,
      stdio: "ignore",
    });
    await until("it runs", () => existsSync(`${folder.path}/ready`));
    const find = () => table.list().find((entry) => entry.pid === child.pid);
    const entry = find();
    expect(entry).toMatchObject({ parent: process.pid, group: child.pid, zombie: false });
    expect(entry?.start).not.toBe("");
    expect(find()).toEqual(entry);
    const carriers = table.carriers([`STINT_TEST_MARK=${folder.path}`]);
    expect(carriers.has(child.pid ?? 0)).toBe(true);
    expect(carriers.has(process.pid)).toBe(false);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await until("it is gone", () => find()?.zombie ?? true);
  });
});
