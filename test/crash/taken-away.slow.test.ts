// What a run works with is taken away from under it: before each call that it makes, and while a session works. The run
// ends with exit code 5, says what is gone and what to do, and leaves no process; or it never needed what is gone, and
// ends as if nothing had happened. What was moved and comes back continues to the same end.
import { existsSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Ending } from "../support/child.ts";
import { GREETINGS } from "../support/greetings.ts";
import { evenly } from "../support/kill-window.ts";
import { DONE } from "../support/kill-each.ts";
import { processesOfRun, RunScene, type Kill } from "../support/run-scene.ts";
import { sweep } from "../support/sweep.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { unhelpful } from "../support/traced-verb.ts";

const LONG_MS = 7_200_000;
/** So many calls; with STINT_ALL_KILL_POINTS set, all. */
const SAMPLE = 3;
const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const DEEDS = {
  "the state folder is removed": "rm -rf state",
  "the state folder is moved": "mv state elsewhere",
  "a file is in place of the state folder": "rm -rf state; echo >state",
  "the checkout is removed": "rm -rf repo",
  "the workspaces are removed": "rm -rf state/stint/workspaces",
  "the repository is moved": "mv repo/.git elsewhere",
} as const;

/** Does a deed before call number `at` of the run; without it, the calls are written down. */
function taking(scene: RunScene, deed: string, at?: number): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: scene.base,
      KILL_WIDE: "1",
      // Before there is a project, nothing can be lost.
      KILL_FROM: "^linkSync .*/state/0*1\\.json$",
      KILL_COUNT: join(scene.base, "count"),
      ...(at !== undefined && { KILL_AT: String(at) }),
      KILL_DEED: `cd ${scene.base} && { ${deed}; }`,
    },
  };
}

/** Neither wrong use nor a failed git, and not asked about what nobody changed. */
function misleading(ending: Ending): string[] {
  const { code, stdout, stderr } = ending;
  if (code === 0 || code === 5) return unhelpful(ending);
  return [`exit ${code}: ${stdout}${stderr}`];
}

/** The session of the first task does it, once. */
function whileWorking(deed: string): RunScene {
  const hello = { act: "write", path: "english.txt", text: "Hello\n" };
  const scene = new RunScene(folder.path, {
    ...GREETINGS,
    script: (ledger) => {
      const command = `cd ${dirname(ledger)} && { ${deed}; }`;
      const german = [{ act: "write", path: "german.txt", text: "Hallo\n" }];
      return { english: [[hello, { act: "run", command }], [hello]] as unknown[], german };
    },
  });
  scene.env["TMPDIR"] = join(scene.base, "home");
  return scene;
}

describe("while a session works", () => {
  const hint = (id: string): string =>
    `  If it was moved, move it back, then run: stint resume ${id}\n  If it was removed: what Stint delivered is in your branch; see what else is left: stint doctor\n`;
  const gone = (scene: RunScene, id: string): string =>
    `stint: the state of ${id} is gone: somebody removed or moved ${join(scene.base, "state")} while Stint worked with it. Nothing more was started.\n${hint(id)}`;
  const idIn = (text: string): string => /p-[0-9a-z]{10}/.exec(text)?.[0] ?? "";

  it("a state folder that is removed ends the run, and the copy in the checkout is what is left", async () => {
    const scene = whileWorking("rm -rf state");
    const { code, stdout, stderr } = await scene.run().ended;
    expect([code, stderr]).toEqual([5, gone(scene, idIn(stdout))]);
    expect(existsSync(join(scene.base, "state"))).toBe(false);
    const then = await scene.start(["status"]).ended;
    expect(then.code).toBe(5);
    expect(then.stderr).toContain("a lost state folder). Stint trusts nothing of it.");
    expect((await scene.start(["doctor"]).ended).stdout).toContain("→ stint doctor --adopt");
    expect((await scene.start(["doctor", "--adopt"]).ended).code).toBe(0);
    expect((await scene.run().ended).code).toBe(0);
    expect(scene.outcome()).toMatchObject(DONE);
  });

  it("a state folder that is moved ends the run, which continues when it is back", async () => {
    const scene = whileWorking("mv state elsewhere");
    const { code, stdout, stderr } = await scene.run().ended;
    expect([code, stderr]).toEqual([5, gone(scene, idIn(stdout))]);
    renameSync(join(scene.base, "elsewhere"), join(scene.base, "state"));
    const run = scene.runId();
    expect((await scene.start(["resume"]).ended).code).toBe(0);
    expect(scene.outcome()).toMatchObject(DONE);
    expect(processesOfRun(run ?? "")).toEqual([]);
  });

  it("a checkout that is removed ends the run", async () => {
    const scene = whileWorking("mv repo elsewhere");
    const { code, stderr } = await scene.run().ended;
    const said = `stint: the work tree ${scene.root} is gone. Nothing more was started.\n  If it was moved, go to its new place and run: stint doctor --adopt\n`;
    expect([code, stderr]).toEqual([5, said]);
    renameSync(join(scene.base, "elsewhere"), scene.root);
    expect((await scene.start(["resume"]).ended).code).toBe(0);
    expect(scene.outcome()).toMatchObject(DONE);
  });

  it("a repository that is removed ends the run, and no other begins without it", async () => {
    const scene = whileWorking("mv repo/.git elsewhere");
    const { code, stderr, stdout } = await scene.run().ended;
    const said = `stint: the git repository of ${scene.root} is gone: it has no .git any more. Nothing more was started.\n  If it was moved, move it back, then run: stint resume ${idIn(stdout)}\n  If it was removed, the work that was committed went with it; see what else is left: stint doctor\n`;
    expect([code, stderr]).toEqual([5, said]);
    const again = await scene.start(["resume"]).ended;
    expect([again.code, again.stderr]).toEqual([5, said]);
    for (const verb of ["deliver", "plan"]) {
      // oxlint-disable-next-line no-await-in-loop
      const told = await scene.start([verb]).ended;
      expect([told.code, told.stderr]).toEqual([5, said]);
    }
    for (const verb of ["doctor", "verify"]) {
      // oxlint-disable-next-line no-await-in-loop
      const told = await scene.start([verb]).ended;
      expect(told.code).toBe(5);
      expect(told.stdout).toContain(`the git repository of ${scene.root} is gone`);
      expect(told.stdout).not.toContain("in place");
    }
    renameSync(join(scene.base, "elsewhere"), join(scene.root, ".git"));
    expect((await scene.start(["resume"]).ended).code).toBe(0);
    expect(scene.outcome()).toMatchObject(DONE);
  });

  it.each([
    ["the project folder", "rm -rf repo/agents"],
    ["the workspace", "rm -rf state/stint/workspaces"],
    ["the folder of temporary files", "rm -rf home"],
  ])("%s that is removed is made again, or not needed", async (_, deed) => {
    const scene = whileWorking(deed);
    const { code, stderr } = await scene.run().ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(scene.outcome()).toMatchObject(DONE);
  });
});

describe("a run", () => {
  it.each(Object.entries(DEEDS))(
    "ends with exit code 5, or Done, when %s at any moment",
    async (what, deed) => {
      const prepare = (): RunScene => new RunScene(folder.path, GREETINGS);
      const whole = prepare();
      expect(await whole.run(taking(whole, deed)).ended).toMatchObject({ code: 0 });
      expect(whole.outcome()).toMatchObject(DONE);
      const calls = readFileSync(join(whole.base, "count"), "utf8").trimEnd().split("\n");
      const { failures, struck, tried } = await sweep({
        name: what,
        points: evenly(calls.length, SAMPLE),
        prepare,
        strike: async (scene, point) => {
          const ending = await scene.run(taking(scene, deed, point + 1)).ended;
          return { what: calls[point] ?? "", hasStruck: true, wrong: misleading(ending) };
        },
        judge: () => Promise.resolve([]),
      });
      expect(failures).toEqual([]);
      expect(struck).toBe(tried);
    },
    LONG_MS,
  );
});
