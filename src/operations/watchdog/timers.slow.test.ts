import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WatchdogView } from "../../core/schema/views.ts";
import { BuiltStint, STINT } from "../../../test/support/built-stint.ts";
import { until as untilFact } from "../../../test/support/children.ts";

async function until(holds: () => boolean): Promise<void> {
  await untilFact(holds.toString(), holds);
}

let stint: BuiltStint;
let bin: string;

beforeEach(() => {
  stint = new BuiltStint();
  stint.write("prompt.md");
  bin = join(stint.path, "bin");
  mkdirSync(bin);
});
afterEach(() => stint.close());

/** A program of the machine that is this shell script; it notes how it was called. */
function program(name: string, script: string): void {
  const called = `echo "$*" >>${join(stint.path, `${name}.calls`)}`;
  writeFileSync(join(bin, name), `#!/bin/sh\n${called}\n${script}\n`, { mode: 0o755 });
}

const calls = (name: string): string[] => {
  const file = join(stint.path, `${name}.calls`);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
};

const config = (): string => join(stint.path, "home", ".config");
const units = (): string => join(config(), "systemd", "user");

function env() {
  return {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: join(stint.path, "home"),
    XDG_CONFIG_HOME: undefined,
  };
}

function watchdog(...words: string[]): { code: number | null; err: string; view: WatchdogView } {
  const { code, out, err } = stint.runWith({ env: env() }, "watchdog", ...words, "--json");
  return { code, err: err + out, view: JSON.parse(out) as WatchdogView };
}

/** As systemd would answer: active from enable to disable. */
function fakeSystemd(): void {
  const on = join(stint.path, "active");
  program(
    "systemctl",
    `case "$2" in
enable) touch ${on} ;;
disable) rm -f ${on} ;;
is-active) [ -e ${on} ] ;;
esac`,
  );
}

describe.runIf(process.platform === "linux")("a timer of systemd", () => {
  it("is written with absolute paths, installed once, shown, and removed without a trace", () => {
    fakeSystemd();
    const first = watchdog("install");
    expect(first).toMatchObject({
      code: 0,
      view: { timer: { kind: "systemd", live: true, changed: true, last_tick: null, watches: [] } },
    });
    expect(readdirSync(units()).toSorted()).toEqual([
      "stint-watchdog.service",
      "stint-watchdog.timer",
    ]);
    const service = readFileSync(join(units(), "stint-watchdog.service"), "utf8");
    expect(service).toContain(`ExecStart="${process.execPath}" "${STINT}" "watchdog" "tick"\n`);
    expect(service).toContain(`Environment="PATH=${bin}:/usr/bin:/bin"\n`);
    expect(service).toContain(`Environment="XDG_STATE_HOME=${stint.stateHome}"\n`);
    expect(calls("systemctl")).toContain("--user enable --now stint-watchdog.timer");
    expect(watchdog("install").view.timer).toMatchObject({ kind: "systemd", changed: false });
    expect(watchdog("status").view.timer).toMatchObject({ kind: "systemd", live: true });
    expect(watchdog("remove").view.timer).toMatchObject({ kind: null, changed: true });
    expect(readdirSync(units())).toEqual([]);
    expect(calls("systemctl")).toContain("--user disable --now stint-watchdog.timer");
    expect(watchdog("remove").view.timer).toMatchObject({ kind: null, changed: false });
  });

  it("is left alone once a person changed it, by install and by remove", () => {
    fakeSystemd();
    watchdog("install");
    const path = join(units(), "stint-watchdog.timer");
    const mine = readFileSync(path, "utf8").replace("0/5", "0/1");
    writeFileSync(path, mine);
    for (const action of ["install", "remove"]) {
      const { code, err } = watchdog(action);
      expect(code).toBe(2);
      expect(err).toContain(`${path} was changed by somebody`);
      expect(readFileSync(path, "utf8")).toBe(mine);
    }
    rmSync(path);
    expect(watchdog("install").view.timer).toMatchObject({ changed: true });
  });

  const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
  it.runIf(hasAnalyze)(
    "is one that systemd-analyze verify finds nothing wrong with (skipped where there is no systemd-analyze)",
    () => {
      fakeSystemd();
      watchdog("install");
      const files = readdirSync(units()).map((name) => join(units(), name));
      const { status, stderr } = spawnSync("systemd-analyze", ["--user", "verify", ...files], {
        encoding: "utf8",
        env: { ...process.env, XDG_RUNTIME_DIR: stint.path },
      });
      // Of our units, whatever it says about the machine itself.
      const about = stderr.split("\n").filter((line) => line.includes("stint-watchdog"));
      expect([status, about]).toEqual([0, []]);
    },
  );
});

describe("a line of the crontab", () => {
  const table = (): string => join(stint.path, "crontab");
  const fakeCron = (): void =>
    program("crontab", `case "$1" in\n-l) cat ${table()} ;;\n-) cat >${table()} ;;\nesac`);

  it("stands among the person's own, once, and goes without a trace", () => {
    fakeCron();
    const own = "# mine\n0 3 * * * backup";
    writeFileSync(table(), own);
    expect(watchdog("install", "--kind", "cron").view.timer).toMatchObject({
      kind: "cron",
      live: true,
      changed: true,
    });
    const text = readFileSync(table(), "utf8");
    expect(text).toMatch(
      /^# mine\n0 3 \* \* \* backup\n# stint watchdog: begin\n# Written by stint watchdog install.*\n\*\/5 \* \* \* \* \/usr\/bin\/env PATH=.* watchdog tick\n# stint watchdog: end\n$/,
    );
    // It is a line that a shell reads as exactly this command.
    const line = text.split("\n").find((each) => each.startsWith("*/5")) ?? "";
    const shown = spawnSync("sh", ["-c", `${line.slice("*/5 * * * * ".length)} --json`], {
      encoding: "utf8",
    });
    expect(JSON.parse(shown.stdout)).toMatchObject({ action: "tick", tick: { acts: [] } });
    expect(watchdog("install", "--kind", "cron").view.timer).toMatchObject({ changed: false });
    expect(watchdog("remove").view.timer).toMatchObject({ changed: true });
    expect(readFileSync(table(), "utf8")).toBe(`${own}\n`);
  });

  it("is left alone once a person changed it", () => {
    fakeCron();
    writeFileSync(table(), "");
    watchdog("install", "--kind", "cron");
    const mine = readFileSync(table(), "utf8").replace("*/5", "*/1");
    writeFileSync(table(), mine);
    expect(watchdog("remove").code).toBe(2);
    expect(readFileSync(table(), "utf8")).toBe(mine);
  });
});

describe.runIf(process.platform === "linux")("a process of its own", () => {
  const pid = (): number =>
    (
      JSON.parse(readFileSync(join(stint.stateHome, "stint/watchdog/process.json"), "utf8")) as {
        pid: number;
      }
    ).pid;
  const isAlive = (one: number): boolean => {
    try {
      process.kill(one, 0);
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${one}/status`, "utf8"));
    } catch {
      return false;
    }
  };

  it("ticks once, not twice, where it is installed twice, and ends by remove", async () => {
    stint.run("new", "prompt.md");
    expect(watchdog("install", "--kind", "process").view.timer).toMatchObject({
      kind: "process",
      live: true,
      changed: true,
    });
    const first = pid();
    expect(watchdog("install", "--kind", "process").view.timer).toMatchObject({ changed: false });
    expect(pid()).toBe(first);
    await until(() => watchdog("status").view.timer?.last_tick !== null);
    expect(isAlive(first)).toBe(true);
    expect(watchdog("remove").view.timer).toMatchObject({ kind: null, changed: true });
    await until(() => !isAlive(first));
    expect(existsSync(join(stint.stateHome, "stint/watchdog/process.json"))).toBe(false);
  });

  it("ends by itself where no project is left", async () => {
    watchdog("install", "--kind", "process");
    await until(() => watchdog("status").view.timer?.kind === null);
    expect(watchdog("status").view.timer).toMatchObject({ live: false, watches: [] });
  });
});

it("names a project that cannot be read, and does not say that nothing is watched", () => {
  stint.run("new", "prompt.md");
  const shadows = join(stint.stateHome, "stint/shadows");
  const [id = ""] = readdirSync(shadows);
  writeFileSync(join(shadows, id, "state/000000000001.json"), "{");
  const { timer } = watchdog("status").view;
  expect(timer).toMatchObject({ watches: [], unreadable: [{ project_id: id }] });
  const { out } = stint.runWith({ env: env() }, "watchdog", "status");
  expect(out).toContain(`${id} cannot be read: `);
  expect(out).not.toContain("No project is watched");
});

it("refuses what it does not know, and says what it does", () => {
  expect(watchdog("walk")).toMatchObject({ code: 2 });
  expect(watchdog("install", "--kind", "sundial").err).toContain("systemd, launchd, cron, process");
});
