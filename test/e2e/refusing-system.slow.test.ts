// A system that says no: to temporary files, to the state folder, to another file. Each is exit code 5 with the reason
// and the repair, never a trace. Real file systems, in a mount namespace of their own.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BuiltStint, type Ended, STINT } from "../support/built-stint.ts";
import { TWO_TASKS } from "../support/command-line.ts";
import { canTrace } from "../support/troubled-git.ts";

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

const withoutAnyInode = (at: string): string =>
  `mount -t tmpfs -o size=9m,nr_inodes=3 tmpfs ${at}; touch ${at}/1 ${at}/2 ${at}/3 2>/dev/null || true`;

const RUN = ["run", "prompt.md", "--agent", "command:true"];

const NO_INODES =
  "the file system has no inodes left for another file, although there is free space";
const ANOTHER = "name a folder that can be written: export TMPDIR=/var/tmp";
const REPAIR = `Make room for it, or ${ANOTHER}`;

describe("a temporary folder", () => {
  it.each(["doctor", "demo", "agents", "run prompt.md --agent command:true"])(
    "that is missing ends %s with exit code 5 and says what to set",
    (verb) => {
      const { code, out, err } = stint.runWith({ env: { TMPDIR: "/nowhere" } }, ...verb.split(" "));
      const said = `could not make a temporary file in /nowhere: the file or its folder is gone (ENOENT). Nothing was started.`;
      expect(code).toBe(5);
      expect(`${out}${err}`.split(said)).toHaveLength(2);
      expect(`${out}${err}`).toContain(
        "Create it: mkdir -p /nowhere; or name a folder that can be written: export TMPDIR=/var/tmp",
      );
    },
  );

  it.skipIf(!canMount)("that is full, read-only or without inodes is found by the doctor", () => {
    const at = folder("tmp");
    const writable = `Make the file system of ${at} writable (mount -o remount,rw). Or ${ANOTHER}`;
    const cases = [
      [filled(at, "size=4k"), "the disk is full (ENOSPC)", REPAIR],
      [filled(at, "size=8k"), "the disk is full (ENOSPC)", REPAIR],
      [readOnly(at), "the file system is read-only (EROFS)", writable],
      [withoutAnyInode(at), `${NO_INODES} (ENOSPC)`, REPAIR],
    ] as const;
    for (const [mounts, reason, repair] of cases) {
      const { code, out, err } = mounted(mounts, { TMPDIR: at }, "doctor");
      const said = `✗ could not make a temporary file in ${at}: ${reason}. Nothing was started.`;
      expect([code, err]).toEqual([5, ""]);
      expect(out.split("could not make a temporary file")).toHaveLength(2);
      expect(out).toContain(`${said} (TMPDIR)\n      → ${repair}\n`);
    }
  });

  it.skipIf(!canMount)("without inodes stops a run, and is not called full", () => {
    const at = folder("tmp");
    const words = ["run", "prompt.md", "--agent", "command:true"];
    const { code, err } = mounted(withoutAnyInode(at), { TMPDIR: at }, ...words);
    const said = `stint: could not make a temporary file in ${at}: ${NO_INODES} (ENOSPC). Nothing was started.\n  ${REPAIR}\n`;
    expect([code, err]).toEqual([5, said]);
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

  it("that is not there yet is looked for where it would be made", () => {
    const at = folder("empty");
    const { code, out } = mounted(readOnly(at), { XDG_STATE_HOME: join(at, "state") }, "doctor");
    expect(code).toBe(5);
    expect(out).toContain(`✗ could not write in ${at}: the file system is read-only (EROFS).`);
  });

  it("without inodes is not called full", () => {
    const at = folder("small");
    const { code, err } = mounted(withoutInodes(at), { XDG_STATE_HOME: at }, "new", "prompt.md");
    expect(code).toBe(5);
    expect(err).toContain(`${NO_INODES} (ENOSPC)`);
    expect(err).toContain("(df -i). Then run: stint doctor");
  });
});

it("a state folder that cannot be, because a link leads nowhere, is named by every verb", () => {
  const at = join(stint.path, "dangling");
  symlinkSync("/nowhere/at/all", at);
  const env = { XDG_STATE_HOME: at };
  const repair = `Move ${at} aside. Then run: stint doctor`;
  for (const verb of ["list", "new prompt.md", "run prompt.md --agent command:true"]) {
    const { code, err } = stint.runWith({ env }, ...verb.split(" "));
    expect(code).toBe(5);
    expect(err).toContain(repair);
  }
  const { code, out } = stint.runWith({ env }, "doctor");
  expect(code).toBe(5);
  expect(out).toContain(`→ ${repair}`);
  expect(out).not.toContain("--adopt");
});

it("a repository that git cannot read is not a missing branch", () => {
  writeFileSync(join(stint.root, ".git/HEAD"), "junk\n");
  const { code, err } = stint.run("verify", "--branch", "main");
  expect(err).not.toContain("there is no branch");
  expect(err).toContain("Look at its file HEAD first");
  expect(code).not.toBe(2);
});

describe.skipIf(!canTrace)("a file that the system refuses", () => {
  /** One verb, whose calls about a file, by its path from the repository, all meet the error. */
  function refused(path: string, calls: string, errno: string, ...words: string[]): Ended {
    const inject = ["-P", resolve(stint.root, path), "-e", `inject=${calls}:error=${errno}`];
    const { status, stdout, stderr } = spawnSync(
      "strace",
      ["-qq", "-o", "/dev/null", ...inject, process.execPath, STINT, ...words],
      { cwd: stint.root, env: stint.env(), encoding: "utf8" },
    );
    return { code: status, out: stdout, err: stderr };
  }

  const BROKEN = "the device failed to read or write (EIO). Nothing more was started.";
  const CHECK = "Check the disk (dmesg | tail). Then run: stint doctor";

  it.each([
    ["prompt.md", ["lint", "prompt.md"]],
    ["prompt.md", ["verify"]],
    ["prompt.md", RUN],
    ["stint.config.yaml", ["plan", "prompt.md"]],
    ["stint.config.yaml", RUN],
    [".git/HEAD", RUN],
  ] as const)("as %s while it is read is named, with the reason: %s", (path, words) => {
    stint.write("stint.config.yaml", "push: never\n");
    stint.run("new", "prompt.md");
    const { code, err } = refused(path, "read,pread64", "EIO", ...words);
    const said = `stint: could not read ${join(stint.root, path)}: ${BROKEN}\n  ${CHECK}\n`;
    expect([code, err]).toEqual([5, said]);
  });

  it.each([".git", ".git/HEAD"])(
    "as %s that cannot be looked at does not make the repository a missing one",
    (path) => {
      const { code, err, out } = refused(path, "access,faccessat,faccessat2,statx", "EIO", ...RUN);
      const said = `stint: could not look at ${join(stint.root, path)}: ${BROKEN}\n  ${CHECK}\n`;
      expect([code, out, err]).toEqual([5, "", said]);
    },
  );

  it("as a folder of keys that cannot be looked at is not shown to a session", () => {
    const keys = join(stint.env()["HOME"] ?? "", ".ssh");
    mkdirSync(keys, { recursive: true });
    const { code, err } = refused(keys, "statx", "EIO", ...RUN);
    expect([code, err]).toEqual([5, `stint: could not look at ${keys}: ${BROKEN}\n  ${CHECK}\n`]);
  });

  it("as the state, after an edit is in the manifest: the edit is said to be there, and is adopted when it is given again", () => {
    stint.run("new", "prompt.md");
    const [id = ""] = readdirSync(join(stint.stateHome, "stint/shadows"));
    const edited = `${TWO_TASKS}- [ ] third - Write the third\n  - check: file third.txt\n`;
    stint.write("edited.md", edited);
    const next = join(stint.stateHome, "stint/shadows", id, "state/000000000002.json");
    const words = ["edit", "--file", "edited.md"];
    const { code, err } = refused(next, "link,linkat", "ENOSPC", ...words);
    expect(code).toBe(5);
    expect(err).toContain(`could not write ${next}: the disk is full (ENOSPC).`);
    expect(err).toContain(
      `\n  prompt.md has your edit already, and the next run adopts it; to adopt it before that: stint edit ${id} --file `,
    );
    expect(readFileSync(join(stint.root, "prompt.md"), "utf8")).toBe(edited);
    expect(stint.run("status").out).not.toContain("Write the third");
    expect(stint.run(...words).out).toContain("1 added");
    expect(stint.run("status").out).toContain("Write the third");
  });

  it.each([
    ["EDQUOT", "the disk quota is used up", "Free space or raise the quota."],
    ["ESTALE", "the network file system lost it", "Mount the file system of FILE again."],
  ])("with %s, which Node has no name for, is told in words", (errno, reason, repair) => {
    const file = join(stint.root, "prompt.md");
    const { code, err } = refused("prompt.md", "statx", errno, ...RUN);
    const said = `could not look at ${file}: ${reason} (${errno}). Nothing more was started.`;
    const todo = `${repair.replace("FILE", file)} Then run: stint doctor`;
    expect([code, err]).toEqual([5, `stint: ${said}\n  ${todo}\n`]);
  });
});

it.skipIf(!canTrace)(
  "a system without room for another process is not taken for a missing git",
  () => {
    stint.write(".gitignore", "");
    const inject = "inject=clone,clone3,vfork,fork:error=EAGAIN:when=20+";
    const words = ["run", "prompt.md", "--agent", "command:true", "--isolation", "off"];
    const { status, stderr } = spawnSync(
      "strace",
      ["-qq", "-o", "/dev/null", "-e", inject, process.execPath, STINT, ...words],
      { cwd: stint.root, env: stint.env(), encoding: "utf8" },
    );
    const said =
      /^stint: .* failed: git could not be started in \S+: the system has no room for another process \(EAGAIN\)\n {2}Close some programs, or raise the limit \(ulimit -u\)\.\n {2}Then run the same command again; what is done stays done\.\n$/;
    expect(status).toBe(5);
    expect(stderr).toMatch(said);
  },
);

const OWN_PIDS = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child"];
const canHavePids = spawnSync("unshare", [...OWN_PIDS, "true"]).status === 0;

// Among processes of its own: what it would kill by mistake is nobody's.
it.skipIf(!canHavePids).each([20, 21, 22, 24])(
  "a run that may open %i files says so, and sends no signal to what it could not start",
  (most) => {
    stint.write(".gitignore", "");
    const line = `ulimit -n ${most}; exec "$@"`;
    const { status, stderr } = spawnSync(
      "unshare",
      [...OWN_PIDS, "setsid", "-w", "sh", "-c", line, "sh", process.execPath, STINT, ...RUN],
      { cwd: stint.root, env: stint.env(), encoding: "utf8" },
    );
    expect(stderr).toContain("too many open files in this process (EMFILE)");
    expect(stderr).toContain("Raise the limit (ulimit -n 4096).");
    expect(stderr).not.toContain("could not spawn");
    expect(status).toBe(5);
  },
);

describe("a file that cannot be looked at", () => {
  /** A link to itself: it is there, and nobody can read it, root included. */
  const loop = (path: string): void => symlinkSync(basename(path), path);
  const refusal = (path: string): string =>
    `stint: could not look at ${path}: too many symbolic links (ELOOP). Nothing more was started.\n  Look where the links of ${path} lead (namei -l). Then run: stint doctor\n`;

  it("is not said to be gone by verify", () => {
    stint.run("new", "prompt.md");
    const path = join(stint.root, "prompt.md");
    rmSync(path);
    loop(path);
    const { code, out, err } = stint.run("verify");
    expect([code, out]).toEqual([5, ""]);
    expect(err).toBe(refusal(path).replace("look at", "open"));
  });

  it("is not taken for an empty text by edit, and stays where it is", () => {
    stint.run("new", "prompt.md");
    stint.write("editor.sh", '#!/bin/sh\nrm "$1"\nln -s "$(basename "$1")" "$1"\n');
    const env = { EDITOR: "sh editor.sh", VISUAL: undefined };
    const { code, err } = stint.runWith({ env }, "edit");
    const path = /could not look at (\S+):/.exec(err)?.[1] ?? "";
    expect([code, err]).toEqual([5, refusal(path)]);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
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
