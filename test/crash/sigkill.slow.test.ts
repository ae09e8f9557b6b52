// Layer (d): real processes killed by SIGKILL at every open, write, fsync, truncation, rename, link,
// removal and mkdir they make in the state folder and the work tree: the built executable as it
// creates a project, and a program that goes through the other acts of the store. The points are
// enumerated by a preload that patches node:fs, and by strace where it is installed and may trace.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileStore } from "../../src/store/file-store.ts";
import { realFiles } from "../../src/store/files.ts";
import { thisHost } from "../../src/store/host.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { Child, type Ending, inParallel } from "../support/child.ts";
import { Client } from "../support/client.ts";
import { demand, judgeAsReader, Ledger } from "../support/ledger.ts";
import { newPlace, type Place } from "../support/place.ts";
import { replay } from "../support/replay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const ACTS = ["acquire", "commit", "note", "keepManifest", "renew", "release"];
const LANES = 3;

const folder = temporaryFolder();
let program = "";
let executable = "";

beforeAll(async () => {
  program = await bundleProgram("transitions", folder.path);
  const { bin } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
  executable = join(REPOSITORY, bin.stint);
  if (!existsSync(executable))
    execFileSync(process.execPath, [join(REPOSITORY, "scripts/build.mjs")]);
});

afterAll(() => folder.remove());

/** A program under test: how it starts in a place, what must be there before, what holds after. */
interface Subject {
  prepare(place: Place, ledger: Ledger): void;
  command(place: Place): { args: string[]; cwd: string; env: NodeJS.ProcessEnv };
  verify(place: Place, ledger: Ledger, ending: Ending): Promise<void>;
}

const newProject: Subject = {
  prepare() {},
  command: ({ base, root }) => ({
    args: [executable, "new", "prompt.md"],
    cwd: root,
    env: { XDG_STATE_HOME: join(base, "state") },
  }),
  async verify(place, _, { stdout }) {
    const store = new FileStore({
      files: realFiles,
      host: thisHost(),
      stateHome: place.stateHome,
      pages: () => ({}),
    });
    if (!isCreated(store)) {
      const { args, cwd, env } = newProject.command(place);
      const again = await new Child(process.execPath, args, env, cwd).ended;
      demand(again.code === 0, `the creation was not finished: ${again.stderr}`);
    }
    const [entry, ...others] = store.list();
    demand(entry !== undefined && others.length === 0, "there is not exactly one project");
    if (entry === undefined) return;
    if (stdout.includes("Created")) demand(stdout.includes(entry.project_id), "it has another id");
    const { state } = store.read(entry.project_id);
    demand(state.revision === 1, `it is at revision ${state.revision}`);
    demand(store.journal(entry.project_id).length <= 1, "it was created twice");
    const holder = store.acquire(entry.project_id, { owner: "test", run_id: RUN });
    demand(store.read(entry.project_id).folder === "same", "the project folder was not healed");
    holder.release();
  },
};

function isCreated(store: FileStore): boolean {
  const [entry] = store.list();
  if (entry === undefined) return false;
  // Registered, but cut before its first state: then `new` and `run` finish it.
  if (store.wasCutShort(entry.project_id)) return false;
  return store.read(entry.project_id).state.revision === 1;
}

const RUN = "r-0000000001" as Parameters<FileStore["acquire"]>[1]["run_id"];

const transitions: Subject = {
  prepare(place, ledger) {
    new Client(realFiles, thisHost(), ledger, place).create();
  },
  command: ({ root, stateHome }) => ({
    args: [program, root, stateHome, ...ACTS],
    cwd: root,
    env: {},
  }),
  async verify(place, ledger, { stdout }) {
    replay(stdout, ledger);
    const next = new Client(realFiles, thisHost(), ledger, place);
    judgeAsReader(ledger, next.store, next.id);
    next.recover();
    next.commit();
    next.inspect();
  },
};

/** Runs a subject in a new place. */
async function run(
  subject: Subject,
  wrap: (
    args: string[],
    place: Place,
  ) => { command: string; args: string[]; env: NodeJS.ProcessEnv },
): Promise<{ place: Place; ledger: Ledger; ending: Ending }> {
  const place = newPlace(folder.path);
  const ledger = new Ledger("test-");
  subject.prepare(place, ledger);
  const { args, cwd, env } = subject.command(place);
  const wrapped = wrap(args, place);
  const child = new Child(wrapped.command, wrapped.args, { ...env, ...wrapped.env }, cwd);
  return { place, ledger, ending: await child.ended };
}

async function killAt(subject: Subject, at: number | undefined) {
  return await run(subject, (args, { base }) => ({
    command: process.execPath,
    args: ["--import", PRELOAD, ...args],
    env: {
      KILL_UNDER: base,
      KILL_COUNT: join(base, "count"),
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  }));
}

describe("S3 SIGKILL at every call that changes files", () => {
  it.each([
    ["stint new", newProject],
    ["the acts of an owner", transitions],
  ] as const)("%s: restarted, nothing is lost, torn or done twice", async (_, subject) => {
    const whole = await killAt(subject, undefined);
    expect(whole.ending).toMatchObject({ code: 0, signal: null });
    const calls = readFileSync(join(whole.place.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(calls.length).toBeGreaterThan(100);
    await subject.verify(whole.place, whole.ledger, whole.ending);
    const failures: string[] = [];
    await inParallel([...calls.keys()], LANES, async (i) => {
      const { place, ledger, ending } = await killAt(subject, i + 1);
      try {
        demand(ending.signal === "SIGKILL", `it ended with ${ending.code}: ${ending.stderr}`);
        await subject.verify(place, ledger, ending);
      } catch (error) {
        failures.push(`killed before call ${i + 1}, ${calls[i]}: ${String(error)}`);
      }
    });
    expect(failures).toEqual([]);
  });
});

const SYSCALLS =
  "?open,openat,write,pwrite64,fsync,fdatasync,?rename,renameat,renameat2,?link,linkat,?unlink,unlinkat,?mkdir,mkdirat,ftruncate";

/** A call of the traced program's main thread that changes a file below the place, or flushes it. */
interface Traced {
  readonly syscall: string;
  /** Which of the thread's calls of that name it is, from 1. */
  readonly ordinal: number;
  readonly line: string;
}

function tracedCalls(log: string, base: string): Traced[] {
  const lines = log.split("\n");
  const leader = lines[0]?.split(" ")[0];
  const seen = new Map<string, number>();
  return lines.flatMap((line) => {
    const [, pid, syscall] = /^(\d+)\s+(\w+)\(/.exec(line) ?? [];
    if (pid === undefined || syscall === undefined || pid !== leader) return [];
    const ordinal = (seen.get(syscall) ?? 0) + 1;
    seen.set(syscall, ordinal);
    // Opening to read changes nothing: dying there is dying before the next call that does.
    const changes = line.includes(base) && !/\bO_RDONLY\b/.test(line);
    return changes ? [{ syscall, ordinal, line }] : [];
  });
}

/** Strace may be absent, and where it is installed it may not be allowed to trace. */
function straceWorks(): boolean {
  const trial = spawnSync("strace", ["-f", "-o", "/dev/null", process.execPath, "--version"]);
  return trial.status === 0;
}

const canTrace = straceWorks();
if (!canTrace) {
  process.stderr.write("strace is not usable here: only the preload enumerates the kill points\n");
}

describe.skipIf(!canTrace)("S3 SIGKILL at every system call, by strace", () => {
  const owner: Subject = {
    ...transitions,
    command: ({ root, stateHome }) => ({
      args: [program, root, stateHome, "acquire", "commit", "release"],
      cwd: root,
      env: {},
    }),
  };
  const traced = (...options: string[]) =>
    run(owner, (args, { base }) => ({
      command: "strace",
      args: [
        "-f",
        "-qq",
        "-y",
        "-s",
        "0",
        "-o",
        join(base, "log"),
        ...options,
        process.execPath,
        ...args,
      ],
      env: {},
    }));

  it("an owner commits and releases: nothing is lost, torn or done twice", async () => {
    const whole = await traced("-e", `trace=${SYSCALLS}`);
    expect(whole.ending).toMatchObject({ code: 0, signal: null });
    const log = readFileSync(join(whole.place.base, "log"), "utf8");
    const calls = tracedCalls(log, whole.place.base);
    expect(calls.length).toBeGreaterThan(40);
    const failures: string[] = [];
    await inParallel(calls, LANES, async ({ syscall, ordinal, line }) => {
      const inject = `inject=${syscall}:signal=KILL:when=${ordinal}`;
      const { place, ledger, ending } = await traced("-e", `trace=${syscall}`, "-e", inject);
      try {
        demand(ending.signal === "SIGKILL", `it ended with ${ending.code}: ${ending.stderr}`);
        await owner.verify(place, ledger, ending);
      } catch (error) {
        failures.push(`killed at ${line}: ${String(error)}`);
      }
    });
    expect(failures).toEqual([]);
  });
});
