// An answer between its command and its line in the journal, killed at every call of the file system:
// given by the verb itself, left for a run, taken up by a run. It is carried out once, and never lost.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Letter } from "../../src/core/answers.ts";
import { newAnswerId, newRunId, numberedApprovalId } from "../../src/core/ids.ts";
import { instantFromMs } from "../../src/core/instant.ts";
import { Mailbox } from "../../src/store/mailbox.ts";
import { FileStore } from "../../src/store/file-store.ts";
import { realFiles } from "../../src/store/files.ts";
import { thisHost } from "../../src/store/host.ts";
import { inParallel } from "../support/child.ts";
import { evenly } from "../support/kill-window.ts";
import { Scenario } from "../support/scenario.ts";

const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const SAMPLE = 3;
const LONG_MS = 1_800_000;
const AGENT = ["--agent", "scripted:../script.json", "--isolation", "off"];
const host = thisHost();
const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const MANIFEST = `## Goal

Say hello.

## Steps

- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
  - approve: before
`;

/** At the gate, with approval a1 open. */
async function atTheGate(): Promise<Scenario> {
  const scene = new Scenario({ manifest: MANIFEST });
  scenes.push(scene);
  const english = [{ act: "write", path: "hello.txt", text: "Hello\n" }];
  writeFileSync(join(scene.path, "script.json"), JSON.stringify({ tasks: { english } }));
  expect((await scene.say("run", "prompt.md", ...AGENT)).code).toBe(3);
  return scene;
}

function stateHome(scene: Scenario): string {
  return join(scene.path, "state", "stint");
}

function storeOf(scene: Scenario): FileStore {
  const options = { files: realFiles, host, stateHome: stateHome(scene), pages: () => ({}) };
  return new FileStore(options);
}

function letterFor(scene: Scenario): Letter {
  const item = scene.state().approval_items[0];
  if (item === undefined) throw new Error("nothing is asked");
  return {
    id: newAnswerId((count) => host.randomBytes(count)),
    answer: {
      verb: "approve",
      item: numberedApprovalId(1),
      subject_sha256: item.subject_sha256,
    },
    by: "ada",
    channel: "test",
    at: instantFromMs(host.nowMs()),
  };
}

interface Window {
  readonly from?: string;
  readonly to?: string;
}

function killing(scene: Scenario, { from, to }: Window, at?: number) {
  const env = {
    KILL_UNDER: scene.path,
    KILL_WIDE: "1",
    KILL_COUNT: join(scene.path, "count"),
    ...(from === undefined ? {} : { KILL_FROM: from }),
    ...(to === undefined ? {} : { KILL_TO: to }),
    ...(at === undefined ? {} : { KILL_AT: String(at) }),
  };
  return { env, node: ["--import", PRELOAD] };
}

function callsOf(scene: Scenario): string[] {
  return readFileSync(join(scene.path, "count"), "utf8").split("\n").slice(0, -1);
}

function grants(scene: Scenario): number {
  return scene
    .journal()
    .split("\n")
    .filter((line) => line.includes('"kind":"approval-granted"')).length;
}

function lettersOf(scene: Scenario): string[] {
  const folder = join(scene.shadow(), "answers");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
}

/** Kills at each of the points, has `after` make it good, and finds one answer. */
async function atEach(
  calls: readonly string[],
  live: (scene: Scenario, at: number) => Promise<unknown>,
  after: (scene: Scenario) => Promise<void>,
): Promise<void> {
  expect(calls.length).toBeGreaterThan(5);
  const failures: string[] = [];
  await inParallel(evenly(calls.length, SAMPLE), 2, async (index) => {
    const scene = await atTheGate();
    try {
      await live(scene, index + 1);
      await after(scene);
      expect([grants(scene), lettersOf(scene)]).toEqual([1, []]);
      expect(scene.state().status).toBe("Done");
    } catch (error) {
      failures.push(`killed before call ${index + 1}, ${calls[index]}: ${String(error)}`);
    } finally {
      scene.close();
    }
  });
  expect(failures).toEqual([]);
}

async function done(scene: Scenario): Promise<void> {
  const { code, out, err } = await scene.say("resume");
  if (code !== 0) throw new Error(`exit ${code}: ${out}${err}`);
}

describe("S3-1 kill -9 around an answer", () => {
  it(
    "given while no run is live: the same command once more carries it out, once",
    async () => {
      const whole = await atTheGate();
      expect((await whole.sayIn(killing(whole, {}), "approve", "a1")).code).toBe(0);
      await atEach(
        callsOf(whole),
        async (scene, at) => {
          const said = await scene.sayIn(killing(scene, {}, at), "approve", "a1");
          expect(said.signal).toBe("SIGKILL");
        },
        async (scene) => {
          expect((await scene.say("approve", "a1")).code).toBe(0);
          await done(scene);
        },
      );
    },
    LONG_MS,
  );

  it(
    "an edit of the manifest: its text is kept or adopted at every point, and adopted once in the end",
    async () => {
      const edited = MANIFEST.replace("Say hello.", "Say hello, politely.");
      const give = async (scene: Scenario, at?: number) => {
        scene.write("../edited.md", edited);
        const window = { from: "^linkSync .*/edits/" };
        return await scene.sayIn(killing(scene, window, at), "edit", "--file", "../edited.md");
      };
      const whole = await atTheGate();
      expect((await give(whole)).code).toBe(0);
      await atEach(
        callsOf(whole),
        async (scene, at) => {
          expect((await give(scene, at)).signal).toBe("SIGKILL");
          const copies = join(stateHome(scene), "edits");
          const kept = readdirSync(copies).map((name) => readFileSync(join(copies, name), "utf8"));
          expect([...kept, scene.read("prompt.md")]).toContain(edited);
        },
        async (scene) => {
          expect((await give(scene)).code).toBe(0);
          expect(scene.read("prompt.md")).toBe(edited);
          expect((await scene.say("approve", "a1")).code).toBe(0);
          await done(scene);
          // In the file already, it is a person's change like any other: the next READ adopts it.
          expect(scene.journal().match(/"kind":"manifest-adopted"/g)).toHaveLength(1);
        },
      );
    },
    LONG_MS,
  );

  it(
    "left for a run that is live: it lies there whole or not at all, and whoever is next takes it up",
    async () => {
      const window = { from: "^readdirSync .*/lease$", to: "^linkSync .*/answers/" };
      /** The lease is held by this very process, which is alive and takes nothing up. */
      const held = async (scene: Scenario, at?: number) => {
        const run_id = newRunId((count) => host.randomBytes(count));
        const id = scene.state().project_id;
        const holder = storeOf(scene).acquire(id, { owner: "test", run_id });
        try {
          return await scene.sayIn(killing(scene, window, at), "approve", "a1");
        } finally {
          holder.release();
        }
      };
      const whole = await atTheGate();
      const said = await held(whole);
      expect([said.code, lettersOf(whole)]).toEqual([1, [expect.stringMatching(/^n-/)]]);
      await atEach(
        callsOf(whole),
        async (scene, at) => expect((await held(scene, at)).signal).toBe("SIGKILL"),
        async (scene) => {
          expect((await scene.say("approve", "a1")).code).toBe(0);
          await done(scene);
        },
      );
    },
    LONG_MS,
  );

  it(
    "taken up by a run: the next run finds it carried out, or carries it out",
    async () => {
      const window = { from: "^readdirSync .*/answers$", to: "^unlinkSync .*/answers/n-" };
      const drop = (scene: Scenario): Letter => {
        const letter = letterFor(scene);
        const mailbox = new Mailbox(realFiles, host, stateHome(scene));
        mailbox.drop(scene.state().project_id, letter);
        return letter;
      };
      const whole = await atTheGate();
      drop(whole);
      expect((await whole.sayIn(killing(whole, window), "resume")).code).toBe(0);
      await atEach(
        callsOf(whole),
        async (scene, at) => {
          const letter = drop(scene);
          const said = await scene.sayIn(killing(scene, window, at), "resume");
          expect(said.signal).toBe("SIGKILL");
          expect(`${lettersOf(scene).join()} ${scene.journal()}`).toContain(letter.id);
        },
        done,
      );
    },
    LONG_MS,
  );
});
