// A system that says no: to temporary files, to the state folder, to another file. Each is exit code 5 with the reason
// and the repair, never a trace. Real file systems, in a mount namespace of their own.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BuiltStint, type Ended, STINT } from "../support/built-stint.ts";

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  stint.write("prompt.md");
});
afterEach(() => stint.close());

const MOUNTS = ["--user", "--map-root-user", "--mount"];
const canMount = spawnSync("unshare", [...MOUNTS, "true"]).status === 0;

/** Runs one verb behind mounts that nobody else sees. */
function mounted(mounts: string, env: Record<string, string>, ...words: string[]): Ended {
  const line = `set -e; ${mounts}; exec "$@"`;
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    [...MOUNTS, "sh", "-c", line, "sh", process.execPath, STINT, ...words],
    { cwd: stint.root, env: stint.env(env), encoding: "utf8" },
  );
  return { code: status, out: stdout, err: stderr };
}

function folder(name: string): string {
  const path = join(stint.path, name);
  mkdirSync(path);
  return path;
}

const filled = (at: string, options: string): string =>
  `mount -t tmpfs -o ${options} tmpfs ${at}; cat /dev/zero >${at}/zeros 2>/dev/null || true`;
const readOnly = (at: string): string => `mount --bind ${at} ${at}; mount -o remount,ro,bind ${at}`;
const withoutInodes = (at: string): string =>
  `mount -t tmpfs -o size=9m,nr_inodes=40 tmpfs ${at}; for n in $(seq 40); do touch ${at}/$n 2>/dev/null || true; done; rm ${at}/1 ${at}/2`;

const REPAIR = "Make room for it, or name a folder that can be written: export TMPDIR=/var/tmp";

describe("a temporary folder", () => {
  it.each(["doctor", "demo", "agents", "run prompt.md --agent command:true"])(
    "that is missing ends %s with exit code 5 and says what to set",
    (verb) => {
      const { code, out, err } = stint.runWith({ env: { TMPDIR: "/nowhere" } }, ...verb.split(" "));
      const said = `could not make a temporary file in /nowhere: the file or its folder is gone (ENOENT). Nothing was started.`;
      expect(code).toBe(5);
      expect(`${out}${err}`.split(said)).toHaveLength(2);
      expect(`${out}${err}`).toContain(REPAIR);
    },
  );

  it.skipIf(!canMount)("that is full or read-only is found by the doctor", () => {
    const at = folder("tmp");
    const cases = [
      [filled(at, "size=4k"), "the disk is full (ENOSPC)"],
      [readOnly(at), "the file system is read-only (EROFS)"],
    ] as const;
    for (const [mounts, reason] of cases) {
      const { code, out, err } = mounted(mounts, { TMPDIR: at }, "doctor");
      expect([code, err]).toEqual([5, ""]);
      expect(out).toContain(reason);
      expect(out).toContain(`→ ${REPAIR}`);
    }
  });
});

describe.skipIf(!canMount)("a state folder", () => {
  it("that is read-only is found by the doctor", () => {
    stint.run("new", "prompt.md");
    const { code, out, err } = mounted(readOnly(stint.stateHome), {}, "doctor");
    expect([code, err]).toEqual([5, ""]);
    expect(out).toContain(
      `✗ could not write in ${stint.stateHome}/stint: the file system is read-only (EROFS).`,
    );
  });

  it("without inodes is not called full", () => {
    const at = folder("small");
    const { code, err } = mounted(withoutInodes(at), { XDG_STATE_HOME: at }, "new", "prompt.md");
    expect(code).toBe(5);
    expect(err).toContain(
      "the file system has no inodes left for another file, although there is free space (ENOSPC)",
    );
    expect(err).toContain("(df -i). Then run: stint doctor");
  });
});

describe("temporary files that killed processes left", () => {
  it("are removed by doctor --repair everywhere, once they are a month old and ours", () => {
    stint.run("new", "prompt.md");
    const tmp = folder("tmp");
    const places = [
      join(stint.stateHome, "stint/registry/projects/.stint-tmp-1"),
      join(stint.stateHome, "stint/.stint-tmp-2"),
      join(stint.root, "agents/stint/projects/prompt/logs/.stint-tmp-3"),
      join(tmp, "stint-try-abcdef"),
    ];
    const young = join(tmp, "stint-pipe-abcdef");
    const foreign = join(tmp, "somebody-elses");
    const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    for (const path of [...places, foreign]) {
      writeFileSync(path, "");
      utimesSync(path, old, old);
    }
    writeFileSync(young, "");
    const env = { TMPDIR: tmp };
    const seen = stint.runWith({ env }, "doctor");
    expect(seen.out).toContain("! 4 temporary files of Stint's own, older than a month");
    const { out } = stint.runWith({ env }, "doctor", "--repair");
    // Those of the project itself go with every opening of it.
    expect(out).toMatch(/✓ \d temporary files of Stint's own, older than a month: removed/);
    expect(places.filter((path) => existsSync(path))).toEqual([]);
    expect(readdirSync(tmp).toSorted()).toEqual(["somebody-elses", "stint-pipe-abcdef"]);
  });
});
