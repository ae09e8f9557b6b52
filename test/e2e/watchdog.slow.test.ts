// The watchdog with real processes: the built executable, killed and gone on with by what stands beside it.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StatusView, WatchdogView } from "../../src/core/schema/views.ts";
import { BuiltStint, STINT } from "../support/built-stint.ts";
import { Child } from "../support/child.ts";
import { until as untilFact } from "../support/children.ts";
import { killQuietly } from "../support/run-scene.ts";

async function until(holds: () => boolean): Promise<void> {
  await untilFact(holds.toString(), holds);
}

let stint: BuiltStint;
/** What the agent does: the first session waits to be killed, the others work. */
let agent: string;

beforeEach(() => {
  stint = new BuiltStint();
  stint.write("prompt.md");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...words], {
      cwd: stint.root,
      stdio: "ignore",
    });
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.com");
  git("add", ".");
  git("commit", "-m", "Begin");
  const file = join(stint.path, "agent.sh");
  const begun = join(stint.path, "begun");
  writeFileSync(
    file,
    `#!/bin/sh\necho session >>${begun}\n[ "$(wc -l <${begun})" -gt ${stallsFor()} ] || while :; do sleep 1; done\n[ ! -e hello.txt ] || touch hallo.txt\ntouch hello.txt\n`,
    { mode: 0o755 },
  );
  agent = `command:${file}`;
});
afterEach(async () => {
  for (const pid of processes()) killQuietly(pid);
  await until(() => processes().length === 0);
  stint.close();
});

/** How many sessions wait to be killed: as many as this file says by now. */
function stallsFor(): string {
  const file = join(stint.path, "stalls");
  writeFileSync(file, "1\n");
  return `"$(cat ${file})"`;
}

function stall(sessions: number): void {
  writeFileSync(join(stint.path, "stalls"), `${sessions}\n`);
}

function sessions(): number {
  const file = join(stint.path, "begun");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/** Every process of Stint in this test, by the state folder that it was told. */
function processes(named = /./): number[] {
  const mark = `XDG_STATE_HOME=${stint.stateHome}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOr(`/proc/${pid}/environ`).includes(mark))
    .filter((pid) => named.test(readOr(`/proc/${pid}/cmdline`).replaceAll("\0", " ")))
    .map(Number);
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const BESIDE = /stint-watchdog/;

function start(...words: string[]): Child {
  const env = { ...stint.env(), NODE_EXTRA_CA_CERTS: undefined };
  return new Child(
    process.execPath,
    [STINT, "run", "prompt.md", "--agent", agent, ...(words.length > 0 ? words : ["--watchdog"])],
    env,
    stint.root,
  );
}

async function killedInSession(...words: string[]): Promise<void> {
  const child = start(...words);
  await until(() => sessions() === 1);
  child.process.kill("SIGKILL");
  await child.ended;
}

function status(): StatusView {
  return JSON.parse(stint.run("status", "prompt.md", "--json").out) as StatusView;
}

function kinds(): string[] {
  const { lines } = JSON.parse(stint.run("log", "prompt.md", "--json").out) as {
    lines: { kind: string }[];
  };
  return lines.map(({ kind }) => kind);
}

describe.runIf(process.platform === "linux")("a process beside a run", () => {
  it("S3-32 goes on with it where it is killed, to Done, and nothing of either is left", async () => {
    await killedInSession();
    await until(() => status().status === "Done");
    await until(() => processes().length === 0);
    expect(kinds().filter((kind) => kind === "watchdog-resumed")).toHaveLength(1);
    expect(sessions()).toBe(3);
    expect(status().roles.watchdog).toBeNull();
  });

  it("S3-32 goes on twice where every run is killed, then pauses the project and ends", async () => {
    stall(100);
    const child = start();
    for (const nth of [1, 2, 3]) {
      // oxlint-disable-next-line no-await-in-loop
      await until(() => sessions() === nth && processes(BESIDE).length === 1);
      for (const pid of processes(/main.cjs (?:run|resume)/)) killQuietly(pid);
    }
    await child.ended;
    await until(() => status().status === "Paused");
    await until(() => processes(/main\.cjs|stint-watchdog/).length === 0);
    expect(status().pause).toMatchObject({
      kind: "interruption",
      reason: expect.stringMatching(/^the watchdog resumed it twice without progress;/) as string,
    });
    // Told once; from now on it is silent.
    expect(stint.run("watchdog", "tick")).toEqual({ code: 0, out: "", err: "" });
  });

  it("ends with the run: at its end, by Ctrl-C, and where a person stops it; then nothing goes on", async () => {
    stall(0);
    const done = start("--watchdog", "--sessions", "1");
    expect((await done.ended).code).not.toBeNull();
    await until(() => processes().length === 0);
    stall(100);
    for (const end of ["SIGINT", "stop"] as const) {
      const before = sessions();
      const child = start();
      // oxlint-disable-next-line no-await-in-loop
      await until(() => sessions() > before && processes(BESIDE).length === 1);
      if (end === "SIGINT") child.process.kill("SIGINT");
      else expect(stint.run("stop", "prompt.md", "--now").code).toBe(0);
      // oxlint-disable-next-line no-await-in-loop
      await child.ended;
      // oxlint-disable-next-line no-await-in-loop
      await until(() => processes().length === 0);
      expect(status().status).toBe("Paused");
      expect(stint.run("watchdog", "tick")).toEqual({ code: 0, out: "", err: "" });
      expect(processes()).toEqual([]);
    }
    expect(kinds()).not.toContain("watchdog-resumed");
  });

  it("leaves a run alone that is killed while it ends because a person wants that, and so does a tick", async () => {
    stall(100);
    // It takes its time to end: a second Ctrl-C, or a kill, comes before it has.
    const file = join(stint.path, "agent.sh");
    writeFileSync(file, readFileSync(file, "utf8").replace("\n", "\ntrap '' TERM INT HUP\n"));
    const child = start();
    await until(() => sessions() === 1 && processes(BESIDE).length === 1);
    child.process.kill("SIGINT");
    const stopped = (): boolean =>
      readdirSync(join(stint.stateHome, "stint/watchdog"), { recursive: true }).some((name) =>
        String(name).endsWith("stopped.json"),
      );
    await until(() => existsSync(join(stint.stateHome, "stint/watchdog")) && stopped());
    child.process.kill("SIGKILL");
    await child.ended;
    await until(() => processes(/stint-watchdog|main\.cjs/).length === 0);
    expect(status()).toMatchObject({ status: "Running", lease: { held: false } });
    expect(stint.run("watchdog", "tick")).toEqual({ code: 0, out: "", err: "" });
    expect(kinds()).not.toContain("watchdog-resumed");
  });

  it("is there only where a person wants it, and not with watchdog: off, which no tick goes on with either", async () => {
    stall(0);
    await start("--sessions", "1").ended;
    expect(processes()).toEqual([]);
    expect(status().roles.watchdog).toBe("checked at each tick (stint watchdog status)");
    stall(100);
    stint.write("stint.config.yaml", "watchdog: on\n");
    for (const [words, beside] of [
      [["--no-watchdog"], 0],
      [["--plain"], 1],
    ] as const) {
      const before = sessions();
      const run = start(...words);
      // oxlint-disable-next-line no-await-in-loop
      await until(() => sessions() > before && processes(BESIDE).length === beside);
      run.process.kill("SIGINT");
      // oxlint-disable-next-line no-await-in-loop
      await run.ended;
    }
    stint.write("stint.config.yaml", "watchdog: off\n");
    const before = sessions();
    const child = start("--watchdog");
    await until(() => sessions() > before);
    expect(processes(BESIDE)).toEqual([]);
    child.process.kill("SIGKILL");
    await child.ended;
    expect(kinds()).toContain("watchdog-removed");
    expect(status().roles.watchdog).toBeNull();
    expect(stint.run("watchdog", "tick")).toEqual({ code: 0, out: "", err: "" });
  });

  it("S3-32 killed together with its run leaves what one of three ticks at once goes on with", async () => {
    const child = start();
    await until(() => sessions() === 1 && processes(BESIDE).length === 1);
    for (const pid of [...processes(BESIDE), child.process.pid ?? 0]) killQuietly(pid);
    await child.ended;
    const ticks = await stint.runAtOnce(3, "watchdog", "tick");
    expect(ticks.map(({ code, err }) => [code, err])).toEqual(ticks.map(() => [0, ""]));
    expect(ticks.map(({ out }) => out).join("")).toMatch(
      /^stint watchdog: p-\w+ prompt continues in the background \(first time without new evidence\): nobody is at work: r-\w+ \(pid \d+ on \S+\) is dead\. \(stint status p-\w+; to end it: stint stop p-\w+\)\n$/,
    );
    // While that run starts up or works, another tick starts none.
    expect(stint.run("watchdog", "tick").out).toBe("");
    await until(() => status().status === "Done");
    await until(() => processes().length === 0);
    expect(kinds().filter((kind) => kind === "watchdog-resumed")).toHaveLength(1);
  });
});

describe("the watchdog of a project", () => {
  it("S3-33 S3-34 is there from its creation to its end, and again where it is reopened", () => {
    expect(stint.run("new", "prompt.md").code).toBe(0);
    const watches = () =>
      (JSON.parse(stint.run("watchdog", "status", "--json").out) as WatchdogView).timer?.watches;
    expect(status().roles.watchdog).toBe("checked at each tick (stint watchdog status)");
    expect(watches()).toMatchObject([{ slug: "prompt", status: "Draft" }]);
    stall(0);
    expect(stint.run("run", "prompt.md", "--agent", agent).code).toBe(0);
    expect([status().roles.watchdog, watches()]).toEqual([null, []]);
    expect(stint.run("reopen", "t1", "prompt.md", "--reason", "more").code).toBe(0);
    expect(watches()).toMatchObject([{ slug: "prompt", status: "Ready" }]);
    expect(stint.run("abandon", "prompt.md", "--reason", "no").code).toBe(0);
    expect([status().roles.watchdog, watches()]).toEqual([null, []]);
  });

  it("S3-35 S3-37 starts nothing of a project that nobody has started, and says nothing", () => {
    stint.run("new", "prompt.md");
    expect(stint.run("watchdog", "tick")).toEqual({ code: 0, out: "", err: "" });
    expect(kinds()).toEqual(["project-created"]);
    const refused = stint.run("resume", "prompt.md", "--unattended", "why not", "--agent", agent);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("waits for a person: nobody has approved its plan"),
    ]);
    expect(sessions()).toBe(0);
  });
});
