// The preload must count exactly the calls under the given folder and kill before the chosen one.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";

const PRELOAD = new URL("kill-points.mjs", import.meta.url).href;
const PROGRAM = `
import { openSync, writeSync, fsyncSync, closeSync, renameSync, mkdirSync } from "node:fs";
const folder = process.argv[2];
mkdirSync(folder + "/in");
for (const name of ["/in/a", "/out"]) {
  const fd = openSync(folder + name, "w");
  writeSync(fd, "x");
  fsyncSync(fd);
  closeSync(fd);
}
renameSync(folder + "/in/a", folder + "/in/b");
`;

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function run(killAt?: number, more: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), "kill-points-"));
  folders.push(folder);
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  const counted = join(folder, "counted");
  const { status, signal } = spawnSync(
    process.execPath,
    ["--import", PRELOAD, join(folder, "program.mjs"), folder],
    {
      env: {
        ...process.env,
        KILL_UNDER: join(folder, "in"),
        KILL_COUNT: counted,
        ...(killAt === undefined ? {} : { KILL_AT: String(killAt) }),
        ...more,
      },
    },
  );
  const calls = existsSync(counted) ? readFileSync(counted, "utf8").split("\n").slice(0, -1) : [];
  const inside = existsSync(join(folder, "in")) ? readdirSync(join(folder, "in")) : undefined;
  return { status, signal, inside, calls: calls.map((line) => line.replaceAll(folder, "")) };
}

it("counts the calls under the folder and no others", () => {
  expect(run()).toEqual({
    status: 0,
    signal: null,
    inside: ["b"],
    calls: [
      "mkdirSync /in",
      "open /in/a",
      "writeSync /in/a",
      "fsyncSync /in/a",
      "renameSync /in/b",
    ],
  });
});

it("kills right before the chosen call", () => {
  expect(run(1)).toMatchObject({ signal: "SIGKILL", inside: undefined });
  expect(run(2)).toMatchObject({ signal: "SIGKILL", inside: [] });
  expect(run(5)).toMatchObject({ signal: "SIGKILL", inside: ["a"] });
  expect(run(6)).toMatchObject({ signal: null, status: 0 });
});

it("kills right after the chosen call", () => {
  const after = { KILL_WHEN: "after" };
  expect(run(1, after)).toMatchObject({ signal: "SIGKILL", inside: [] });
  expect(run(5, after)).toMatchObject({ signal: "SIGKILL", inside: ["b"] });
});

it("counts only the calls that are asked for", () => {
  const only = { KILL_ONLY: "^renameSync .*b$" };
  expect(run(undefined, only)).toMatchObject({ status: 0, calls: ["renameSync /in/b"] });
  expect(run(1, only)).toMatchObject({ signal: "SIGKILL", inside: ["a"] });
});
