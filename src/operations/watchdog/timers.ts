// How a machine ticks the watchdog by itself, one way after another until one is there: a timer of systemd, an agent of
// launchd, a line of the crontab, and where there is none of them a small process. Installing twice changes nothing;
// removing leaves nothing; what a person changed is left as it is.
import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import {
  cronLine,
  LAUNCHD_LABEL,
  launchdAgent,
  sealed,
  splitCrontab,
  systemdService,
  systemdTimer,
  type TimerCommand,
  UNIT,
  whoseText,
  withCronLines,
} from "../../core/words/timer-files.ts";
import { shellWord } from "../../core/written/commands.ts";
import { sha256Of } from "../../store/digest.ts";
import type { StartedProcess, WatchFiles } from "../../store/watch-files.ts";
import type { System } from "../system.ts";

export const TIMER_KINDS = ["systemd", "launchd", "cron", "process"] as const;
export type TimerKind = (typeof TIMER_KINDS)[number];

export interface Timer {
  readonly kind: TimerKind;
  /** Whether this machine has what it takes. */
  readonly isPossible: () => boolean;
  readonly isInstalled: () => boolean;
  /** Whether the machine really ticks by it. */
  readonly isLive: () => boolean;
  /** Where it lies. */
  readonly places: readonly string[];
  /** @returns whether anything was changed @throws refused where a person changed it */
  readonly install: () => boolean;
  readonly remove: () => boolean;
}

export function timersOf(system: System, files: WatchFiles): readonly Timer[] {
  const command = timerCommand(system);
  return [
    systemdTimerOf(system, command),
    launchdTimerOf(system, files, command),
    cronTimerOf(system, command),
    processTimerOf(system, files),
  ];
}

/** What a timer would not have: where programs are, and where Stint keeps its state. Never a secret. */
const NEEDED = ["PATH", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];

function timerCommand({ env, program }: System): TimerCommand {
  const words = [process.execPath, program, "watchdog", "tick"];
  const kept = NEEDED.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const wrong = [...words, ...kept.map(([, value]) => value)].find((text) => /[\n\r\0]/.test(text));
  if (wrong === undefined) return { words, env: Object.fromEntries(kept) };
  throw new StintError(
    "bad-input",
    `${JSON.stringify(wrong)} contains a line break, which a timer cannot use`,
    "Install Stint in a folder without one, or tick by hand: stint watchdog tick",
  );
}

function configHome({ env }: System): string {
  const set = env["XDG_CONFIG_HOME"];
  return set !== undefined && isAbsolute(set) ? set : join(env["HOME"] ?? homedir(), ".config");
}

function systemdTimerOf(system: System, command: TimerCommand): Timer {
  const folder = join(configHome(system), "systemd", "user");
  const texts = {
    [join(folder, `${UNIT}.service`)]: sealed(systemdService(command), sha256Of, "#"),
    [join(folder, `${UNIT}.timer`)]: sealed(systemdTimer(), sha256Of, "#"),
  };
  const ctl = (...words: string[]) => called(system, "systemctl", ["--user", ...words]);
  return {
    kind: "systemd",
    places: Object.keys(texts),
    isPossible: () => process.platform === "linux" && ctl("show-environment").ok,
    isInstalled: () => isAnyThere(texts),
    isLive: () => ctl("is-active", "--quiet", `${UNIT}.timer`).ok,
    install() {
      const isChanged = writeOwn(texts);
      if (isChanged) must(ctl("daemon-reload"));
      const isLive = ctl("is-active", "--quiet", `${UNIT}.timer`).ok;
      if (!isLive || isChanged) must(ctl("enable", "--now", `${UNIT}.timer`));
      return isChanged || !isLive;
    },
    remove() {
      if (!isAnyThere(texts)) return false;
      refuseEdited(texts);
      // A machine whose systemd does not answer ticks by nothing that could be stopped.
      ctl("disable", "--now", `${UNIT}.timer`);
      const isChanged = removeOwn(texts);
      ctl("daemon-reload");
      return isChanged;
    },
  };
}

function launchdTimerOf(system: System, files: WatchFiles, command: TimerCommand): Timer {
  const home = system.env["HOME"] ?? homedir();
  const path = join(home, "Library", "LaunchAgents", `${LAUNCHD_LABEL}.plist`);
  const log = files.tickLog;
  const texts = { [path]: sealed(launchdAgent(command, log), sha256Of, "xml") };
  const target = `gui/${process.getuid?.() ?? 0}`;
  const ctl = (...words: string[]) => called(system, "launchctl", words);
  return {
    kind: "launchd",
    places: [path],
    isPossible: () => process.platform === "darwin",
    isInstalled: () => isAnyThere(texts),
    isLive: () => ctl("print", `${target}/${LAUNCHD_LABEL}`).ok,
    install() {
      const isChanged = writeOwn(texts);
      const isLive = ctl("print", `${target}/${LAUNCHD_LABEL}`).ok;
      if (isLive && isChanged) ctl("bootout", `${target}/${LAUNCHD_LABEL}`);
      if (!isLive || isChanged) must(ctl("bootstrap", target, path));
      return isChanged || !isLive;
    },
    remove() {
      if (!isAnyThere(texts)) return false;
      refuseEdited(texts);
      ctl("bootout", `${target}/${LAUNCHD_LABEL}`);
      rmSync(log, { force: true });
      return removeOwn(texts);
    },
  };
}

function cronTimerOf(system: System, command: TimerCommand): Timer {
  const own = sealed(cronLine(command), sha256Of, "#");
  const read = (): string => called(system, "crontab", ["-l"]).out;
  const write = (text: string): void => must(called(system, "crontab", ["-"], text));
  const refuse = (): void => {
    const there = splitCrontab(read()).own;
    if (there !== null && whoseText(there, sha256Of) !== "own")
      throw edited("your crontab", "crontab -e");
  };
  return {
    kind: "cron",
    places: ["crontab -l"],
    // Without a table `crontab -l` fails as well; whether there is such a program is what counts.
    isPossible: () => process.platform !== "win32" && called(system, "crontab", ["-l"]).isThere,
    isInstalled: () => splitCrontab(read()).own !== null,
    isLive: () => splitCrontab(read()).own !== null,
    install() {
      refuse();
      const text = read();
      if (splitCrontab(text).own === own) return false;
      write(withCronLines(text, own));
      return true;
    },
    remove() {
      refuse();
      const text = read();
      if (splitCrontab(text).own === null) return false;
      write(withCronLines(text, null));
      return true;
    },
  };
}

/** The last resort: a process of its own that ticks, and ends where no project is left. */
function processTimerOf(system: System, files: WatchFiles): Timer {
  const isLive = (): boolean => {
    const recorded = files.loop();
    return recorded !== undefined && files.processOf(recorded) === "alive";
  };
  return {
    kind: "process",
    places: [files.loopPath],
    isPossible: () => true,
    isInstalled: () => files.loop() !== undefined,
    isLive,
    install() {
      if (isLive()) return false;
      files.endLoop();
      const started = startLoop(system, files);
      if (files.beginLoop(started)) return true;
      // Another one was faster; of two there is one too many.
      endProcess(files, started);
      return false;
    },
    remove() {
      const recorded = files.loop();
      if (recorded === undefined) return false;
      endProcess(files, recorded);
      files.endLoop();
      rmSync(files.tickLog, { force: true });
      return true;
    },
  };
}

function startLoop(system: System, files: WatchFiles): StartedProcess {
  mkdirSync(dirname(files.loopPath), { recursive: true, mode: 0o700 });
  const log = openSync(files.tickLog, "a", 0o600);
  try {
    const child = spawn(process.execPath, [system.program, "watchdog", "loop"], {
      cwd: system.stateHome,
      env: { ...system.env },
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.on("error", () => {});
    child.unref();
    const started = child.pid === undefined ? null : files.identify(child.pid);
    if (started !== null) return started;
  } finally {
    closeSync(log);
  }
  throw new StintError(
    "state-unwritable",
    "the process that ticks could not be started",
    "Tick from your own scheduler: stint watchdog tick",
  );
}

/** Only the very process that was recorded: a pid may be another's by now. */
function endProcess(files: WatchFiles, recorded: StartedProcess): void {
  if (files.processOf(recorded) !== "alive") return;
  try {
    process.kill(recorded.pid, "SIGTERM");
  } catch {
    // It ended by itself in between.
  }
}

type Texts = Readonly<Record<string, string>>;

function isAnyThere(texts: Texts): boolean {
  return Object.keys(texts).some((path) => existsSync(path));
}

function textAt(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function refuseEdited(texts: Texts): void {
  for (const path of Object.keys(texts)) {
    const there = textAt(path);
    if (there === undefined || whoseText(there, sha256Of) === "own") continue;
    throw edited(path, `rm ${shellWord(path)}`);
  }
}

/** @returns whether anything was written */
function writeOwn(texts: Texts): boolean {
  refuseEdited(texts);
  let isChanged = false;
  for (const [path, text] of Object.entries(texts)) {
    if (textAt(path) === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    isChanged = true;
  }
  return isChanged;
}

function removeOwn(texts: Texts): boolean {
  for (const path of Object.keys(texts)) rmSync(path, { force: true });
  return true;
}

function edited(where: string, how: string): StintError {
  return new StintError(
    "refused",
    `${where} was changed by somebody, so Stint left it as it is`,
    `If Stint should write or remove it, remove it yourself first: ${how}`,
  );
}

interface Called {
  readonly ok: boolean;
  readonly isThere: boolean;
  readonly out: string;
  readonly said: string;
}

const LONGEST_CALL_MS = 10_000;

function called(
  { env }: System,
  program: string,
  words: readonly string[],
  input?: string,
): Called {
  const { status, error, stdout, stderr } = spawnSync(program, words, {
    env: { ...env },
    encoding: "utf8",
    timeout: LONGEST_CALL_MS,
    ...(input === undefined ? {} : { input }),
  });
  const isThere = (error as { code?: string } | undefined)?.code !== "ENOENT";
  const ok = error === undefined && status === 0;
  const said = `${program} ${words.join(" ")}: ${(stderr || error?.message || `exit code ${status}`).trim()}`;
  return { ok, isThere, out: ok ? stdout : "", said };
}

function must({ ok, said }: Called): void {
  if (ok) return;
  throw new StintError(
    "state-unwritable",
    said,
    "Try another way: stint watchdog install --kind process",
  );
}
