// The watchdog over two days of virtual time: what it says is the whole story. Sessions are real, runs are in this
// process, and what a tick starts is done right after it.
import { afterEach, describe, expect, it } from "vitest";
import type { ProjectId } from "../../src/core/ids.ts";
import { giveAnswer } from "../../src/operations/answers/send-answer.ts";
import { tick } from "../../src/operations/watchdog/tick.ts";
import { actLine } from "../../src/report/watchdog-text.ts";
import { LimitedRun, refuse } from "../support/limited-run.ts";

const HOUR_MS = 3_600_000;
const TICK_MS = 300_000;

const MANIFEST = `## Goal
Say hello in three languages.

## Steps
- [ ] english - Write hello.txt
  - check: file hello.txt
- [ ] german - Write hallo.txt
  - approve: before
  - check: file hallo.txt
- [ ] french - Write salut.txt
  - check: file salut.txt
`;

const write = (path: string) => [{ act: "write", path, text: "Hello\n" }];

class TwoDays {
  readonly world: LimitedRun;
  readonly said: string[] = [];
  readonly #startMs: number;
  #resumes: { readonly id: ProjectId; readonly why: string }[] = [];
  /** The next runs that die as soon as they have started a session. */
  deaths = 0;

  constructor(world: LimitedRun) {
    this.world = world;
    this.#startMs = world.system.host.nowMs();
  }

  /** Ticks every five minutes until this hour. */
  async until(hour: number): Promise<void> {
    while (this.world.system.host.nowMs() < this.#startMs + hour * HOUR_MS) {
      this.world.pass(TICK_MS);
      // oxlint-disable-next-line no-await-in-loop
      await this.tick();
    }
  }

  async tick(): Promise<void> {
    const { acts } = await tick(this.world.system, {
      recover: (_system, _files, { entry, why }) => {
        this.#resumes.push({ id: entry.project_id, why });
        return null;
      },
    });
    for (const act of acts) this.say(actLine(act));
    for (const { id, why } of this.#resumes.splice(0)) {
      // oxlint-disable-next-line no-await-in-loop
      await this.run({ target: id, resumes: true, unattended: why, wait: false });
    }
  }

  async run(input: Parameters<LimitedRun["run"]>[0]): Promise<void> {
    if (this.deaths > 0) {
      this.deaths -= 1;
      await this.world.killed(input);
      this.say("(the run is killed)");
      return;
    }
    const { status } = await this.world.run(input);
    this.say(`(the run ends: ${status.status})`);
  }

  say(text: string): void {
    const minutes = Math.round((this.world.system.host.nowMs() - this.#startMs) / 60_000);
    const clock = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    const plain = text
      .replaceAll(this.world.project, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replaceAll(/pid \d+ on [\w.-]+/g, "pid <n> on <host>");
    this.said.push(`${clock} ${plain}`);
  }
}

let world: LimitedRun | undefined;
afterEach(() => world?.close());

describe("48 virtual hours", () => {
  it("S3-32 S3-35 S3-36 S3-37 of a crash, a limit, an approval, a crash again and again, and Done", async () => {
    world = new LimitedRun(MANIFEST);
    const days = new TwoDays(world);
    const agent = world.play("agent", {
      // The first session is killed before it does anything.
      english: [[], refuse("usage-limit", world.in(5 * HOUR_MS)), write("hello.txt")],
      german: [[], [], [], write("hallo.txt")],
      french: [write("salut.txt")],
    });
    await days.tick();
    days.deaths = 1;
    await days.run({ agent, wait: false });
    await days.until(20);
    days.say("(ada approves)");
    await giveAnswer(world.system, "approve", { subject: "a1", project: world.project });
    days.deaths = 3;
    await days.until(30);
    days.say("(ada goes on by hand)");
    await days.run({ target: world.project, resumes: true });
    await days.until(48);
    expect(`\n${days.said.join("\n")}\n`).toMatchInlineSnapshot(`
      "
      00:00 (the run is killed)
      00:05 stint watchdog: <id> prompt continues in the background (first time without new evidence): nobody is at work: r-0000000000 (pid <n> on <host>) is dead. (stint status <id>; to end it: stint stop <id>)
      00:05 (the run ends: Paused)
      05:05 stint watchdog: <id> prompt continues in the background (first time without new evidence): its pause was over at <time> (stint status <id>; to end it: stint stop <id>)
      05:05 (the run ends: AwaitingApproval)
      20:00 (ada approves)
      20:05 stint watchdog: <id> prompt continues in the background (first time without new evidence): nobody is at work, and nothing waits for a person (stint status <id>; to end it: stint stop <id>)
      20:05 (the run is killed)
      20:10 stint watchdog: <id> prompt continues in the background (second time without new evidence): nobody is at work: r-0000000000 (pid <n> on <host>) is dead. (stint status <id>; to end it: stint stop <id>)
      20:10 (the run is killed)
      20:15 stint watchdog: <id> prompt was paused and waits for you: the watchdog resumed it twice without progress; nobody is at work: r-0000000000 (pid <n> on <host>) is dead. (stint resume <id>)
      30:00 (ada goes on by hand)
      30:00 (the run is killed)
      30:05 stint watchdog: <id> prompt continues in the background (first time without new evidence): nobody is at work: r-0000000000 (pid <n> on <host>) is dead. (stint status <id>; to end it: stint stop <id>)
      30:05 (the run ends: Done)
      "
    `);
    const log = world.system.store.journal(world.project);
    expect(log.filter(({ kind }) => kind === "watchdog-resumed").length).toBe(
      days.said.filter((line) => line.includes("continues in the background")).length,
    );
  });
});
