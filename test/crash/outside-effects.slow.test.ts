// What leaves the machine: a push to a real bare repository, a webhook to a real receiver, the run
// killed at each boundary around them. A commit arrives once; a call is never repeated without a person.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { until } from "../support/children.ts";
import { DONE, killAtEach, LANES, toTheEnd } from "../support/kill-each.ts";
import { between, evenly, revisionOf } from "../support/kill-window.ts";
import { processesOfRun, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 900_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const STEPS = "# Goal\n\nGreet.\n\n# Steps\n\n- [ ] english - Write the English greeting\n";

describe("S3 a push, killed around it", () => {
  const story: Story = {
    manifest: `${STEPS}  - check: \`grep -q Hello english.txt\`\n`,
    words: ["--isolation", "off", "--deliver", "checkout"],
    script: (ledger) => ({
      english: [
        { act: "append", path: ledger, text: "worked\n", hostile: true },
        { act: "write", path: "english.txt", text: "Hello\n" },
      ],
    }),
  };

  /** A bare repository that writes down every commit that arrives on a branch. */
  function prepare(scene: RunScene): void {
    const remote = join(scene.base, "remote.git");
    scene.git("init", "-q", "--bare", remote);
    scene.git("remote", "add", "origin", remote);
    scene.git("push", "-q", "-u", "origin", "main");
    const ledger = `case $ref in refs/heads/*) echo $new >>"$LEDGER.arrived" ;; esac`;
    hook(remote, "post-receive", `while read old new ref; do ${ledger}; done`);
  }

  function hook(remote: string, name: string, text: string): void {
    writeFileSync(join(remote, "hooks", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(remote, "hooks", name), 0o755);
  }

  /** The other side takes nothing in before it is told to. */
  function holdBack({ base }: RunScene): void {
    const wait = `[ -e "$LEDGER.go" ] || { echo >"$LEDGER.there"; while [ ! -e "$LEDGER.go" ]; do sleep 0.05; done; }`;
    hook(join(base, "remote.git"), "pre-receive", wait);
  }

  function examine(scene: RunScene): void {
    const head = scene.git("rev-parse", "HEAD");
    expect(readFileSync(`${scene.ledger}.arrived`, "utf8")).toBe(head);
    expect(scene.git("ls-remote", "origin", "refs/heads/main").split("\t")[0]).toBe(head.trim());
    const notes = scene.git("rev-parse", "refs/notes/stint").trim();
    expect(scene.git("ls-remote", "origin", "refs/notes/stint").split("\t")[0]).toBe(notes);
  }

  it(
    "before each call from the push to its record: everything arrives once",
    async () => {
      const first = new RunScene(folder.path, story);
      prepare(first);
      expect(await first.run().ended).toMatchObject({ code: 0 });
      examine(first);
      const from = revisionOf(first, "checks-recorded");
      const to = revisionOf(first, "commit-recorded");
      const whole = new RunScene(folder.path, story);
      prepare(whole);
      expect(await whole.run(between(whole, from, to)).ended).toMatchObject({ code: 0 });
      const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
      const push = calls.findIndex((call) => /^spawn git .*\bpush\b/.test(call));
      expect(push).toBeGreaterThan(0);
      const around = Array.from(
        { length: calls.length - push + 1 },
        (_, index) => push - 1 + index,
      );
      const points = evenly(around.length, 3).map((index) => ({
        what: `before ${calls[around[index] ?? 0]}`,
        kill: (scene: RunScene) => between(scene, from, to, (around[index] ?? 0) + 1),
      }));
      await killAtEach({ folder: folder.path, story, whole, points, prepare, examine });
    },
    LONG_MS,
  );

  it("while the other side takes it in: it is ended or finished, and arrives once", async () => {
    const scene = new RunScene(folder.path, story);
    prepare(scene);
    holdBack(scene);
    const run = scene.run();
    await until("the push is under way", () => existsSync(`${scene.ledger}.there`));
    const killed = scene.runId() ?? "";
    run.process.kill("SIGKILL");
    await run.ended;
    expect(processesOfRun(killed)).not.toEqual([]);
    const again = scene.run();
    await until("what was left is gone", () => processesOfRun(killed).length === 0);
    scene.write("../ledger.go", "");
    expect(await again.ended).toMatchObject({ code: 0 });
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
    examine(scene);
  });

  it("after a person's yes: the next run pushes it, once, and nobody is asked again", async () => {
    const manifest = `---\npush: ask\n---\n${story.manifest}`;
    const scene = new RunScene(folder.path, { ...story, manifest });
    prepare(scene);
    expect(await scene.run().ended).toMatchObject({ code: 3 });
    expect(existsSync(`${scene.ledger}.arrived`)).toBe(false);
    expect(await scene.start(["approve", "a1"]).ended).toMatchObject({ code: 0 });
    holdBack(scene);
    const run = scene.run();
    await until("the push is under way", () => existsSync(`${scene.ledger}.there`));
    run.process.kill("SIGKILL");
    await run.ended;
    scene.write("../ledger.go", "");
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
    examine(scene);
  });
});

describe("S3 a webhook, killed around it", () => {
  const calls: { readonly project: string; readonly key: string }[] = [];
  /** Called before the receiver answers. */
  let onCall: () => void = () => {};
  let story: Story;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (text: Buffer) => (body += text.toString("utf8")));
    request.on("end", () => {
      const { project } = JSON.parse(body) as { project: string };
      calls.push({ project, key: String(request.headers["idempotency-key"]) });
      onCall();
      response.end("taken");
    });
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const webhook = `  - webhook: http://127.0.0.1:${port}/publish\n`;
    story = { manifest: `${STEPS}${webhook}`, words: ["--isolation", "off"], script: () => ({}) };
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const keysOf = (scene: RunScene): string[] =>
    calls.filter(({ project }) => project === scene.projectId()).map(({ key }) => key);

  /** Taken up without a person's word, then with it where it says that it needs one. */
  async function isNeverRepeated(scene: RunScene): Promise<void> {
    const { code } = await scene.resume();
    expect(keysOf(scene).length).toBeLessThanOrEqual(1);
    if (code !== 0) {
      expect(code).toBe(4);
      expect(scene.state().blockers[0]?.reason).toContain("whether it took effect is unknown");
      await toTheEnd(scene);
    }
    expect(keysOf(scene).length).toBeLessThanOrEqual(code === 0 ? 1 : 2);
    // A second try, which a person wanted, can be told from a second act.
    expect(new Set(keysOf(scene)).size).toBe(1);
    expect(scene.outcome()).toMatchObject(DONE);
  }

  it(
    "before each call from the intent to the result: called once, or a person is asked",
    async () => {
      const first = new RunScene(folder.path, story);
      expect(await first.run().ended).toMatchObject({ code: 0 });
      expect(keysOf(first)).toHaveLength(1);
      const from = revisionOf(first, "work-started");
      const to = revisionOf(first, "output-verified");
      const whole = new RunScene(folder.path, story);
      expect(await whole.run(between(whole, from, to)).ended).toMatchObject({ code: 0 });
      const count = readFileSync(join(whole.base, "count"), "utf8").split("\n").length - 1;
      const failures: string[] = [];
      await inParallel(evenly(count, 4), LANES, async (index) => {
        const scene = new RunScene(folder.path, story);
        try {
          const killed = await scene.run(between(scene, from, to, index + 1)).ended;
          expect(killed.signal).toBe("SIGKILL");
          await isNeverRepeated(scene);
        } catch (error) {
          failures.push(`killed before call ${index + 1} of ${count}: ${String(error)}`);
        }
      });
      expect(failures).toEqual([]);
    },
    LONG_MS,
  );

  it("after it arrived and before it is answered: a person is asked", async () => {
    const scene = new RunScene(folder.path, story);
    const run = scene.run();
    onCall = () => run.process.kill("SIGKILL");
    expect(await run.ended).toMatchObject({ signal: "SIGKILL" });
    onCall = () => {};
    expect(keysOf(scene)).toHaveLength(1);
    await isNeverRepeated(scene);
    expect(keysOf(scene)).toHaveLength(2);
  });
});
