// The processes of this machine: Linux through /proc, other systems through ps. A table is a
// snapshot; whoever acts on it compares pid and start time, because pids are used again.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isWithin } from "../core/files.ts";
import type { RunId } from "../core/ids.ts";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Absent where the system does not tell. */
  readonly session?: number;
  readonly start: string;
  /** Ended, and only not yet collected by its parent. */
  readonly zombie: boolean;
}

export interface ProcessTable {
  list(): ProcessEntry[];
  /** Who of these, or of all, has a variable beginning with one of these texts (`NAME=value`). */
  carriers(beginnings: readonly string[], among?: readonly number[]): Set<number>;
}

export function thisMachine(): ProcessTable {
  return process.platform === "linux" ? procTable : psTable;
}

export const procTable: ProcessTable = {
  list: () => pids().flatMap((pid) => readProcess(pid) ?? []),
  carriers(beginnings, among = pids()) {
    const wanted = beginnings.map((text) => `\0${text}`);
    return new Set(
      among.filter((pid) => {
        // Another account's environment cannot be read, and a process of ours is not there.
        const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"));
        if (environment === undefined || environment === "") return false;
        const entries = `\0${environment}`;
        return wanted.some((text) => entries.includes(text));
      }),
    );
  },
};

/** ps prints arguments and environment as one text, so a word of the arguments may match too. */
export const psTable: ProcessTable = {
  list: () =>
    runPs(["-axo", "pid=,ppid=,pgid=,stat=,lstart="]).flatMap((line) => parsePsLine(line) ?? []),
  carriers(beginnings) {
    const flags = process.platform === "darwin" ? "-axEww" : "axeww";
    const wanted = beginnings.map((text) => ` ${text}`);
    const found = runPs([flags, "-o", "pid=,command="]).filter((line) =>
      wanted.some((text) => line.includes(text)),
    );
    return new Set(found.map((line) => Number.parseInt(line, 10)));
  },
};

/** The entry of one process, or undefined when there is none. */
export function findProcess(pid: number): ProcessEntry | undefined {
  if (process.platform === "linux") return readProcess(pid);
  return psTable.list().find((entry) => entry.pid === pid);
}

/** The processes that this one started and that are still there; undefined where nobody tells. */
export function childrenOf(pid: number): number[] | undefined {
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`));
  // It has ended in the meantime, and with it what it had.
  if (threads === undefined) return process.platform === "linux" ? [] : undefined;
  const texts = threads.map((thread) =>
    attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")),
  );
  if (texts.every((text) => text === undefined) && findProcess(pid)?.zombie === false) {
    return undefined;
  }
  return texts.flatMap((text) => (text ?? "").split(" ").filter(Boolean).map(Number));
}

/** Changes at every boot; "unknown" where the system does not tell. */
export function bootId(): string {
  return (
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ??
    attempt(() => runForText("sysctl", ["-n", "kern.bootsessionuuid"]).trim()) ??
    "unknown"
  );
}

export function pidNamespace(): string {
  return attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "host";
}

/** The pid that a process has one namespace further in, or undefined when it is in ours. */
export function innerPid(pid: number): number | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1"));
  const inner = /^NSpid:\t\d+\t(\d+)/m.exec(status ?? "")?.[1];
  return inner === undefined ? undefined : Number(inner);
}

function pids(): number[] {
  const names = attempt(() => readdirSync("/proc")) ?? [];
  return names.map(Number).filter((pid) => Number.isInteger(pid) && pid > 0);
}

/** From the state of the process on. The name before it stands in parentheses and may itself hold spaces and those. */
function statFields(pid: number): readonly string[] {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1")) ?? "";
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProcess(pid: number): ProcessEntry | undefined {
  const fields = statFields(pid);
  const [state, parent, group, session] = fields;
  const start = fields[19];
  if (start === undefined) return undefined;
  const zombie = state === "Z" || state === "X";
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start,
    zombie,
  };
}

/**
 * Who works in a folder, without a terminal and with an environment that was emptied. Such a process was started
 * there by one that wanted to leave nothing of itself; a person's own programs have at least a home.
 */
export function strippedIn(folder: string, among: readonly ProcessEntry[]): Set<number> {
  const isIn = (pid: number): boolean => {
    const cwd = attempt(() => readlinkSync(`/proc/${pid}/cwd`));
    if (cwd === undefined || !isWithin(cwd, folder)) return false;
    const [, , , , terminal] = statFields(pid);
    const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"));
    return terminal === "0" && environment !== undefined && !/(?:^|\0)HOME=/.test(environment);
  };
  return new Set(among.map(({ pid }) => pid).filter(isIn));
}

function parsePsLine(line: string): ProcessEntry | undefined {
  const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
  if (state === undefined || start.length === 0) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    start: start.join(" "),
    zombie: state.startsWith("Z"),
  };
}

function runPs(args: readonly string[]): string[] {
  return (attempt(() => runForText("ps", args)) ?? "").split("\n").filter((line) => line !== "");
}

function runForText(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What is written down about a child before it may act, so that a later run can find what is left. */
export interface ProcessRecord {
  readonly run_id: RunId;
  readonly pid: number;
  /** Start time as the system tells it; a reused pid has another. */
  readonly process_start: string;
  /** Changes at every boot. */
  readonly boot_id: string;
  /** The namespace in which `pid` means something: the run's own. */
  readonly pid_namespace: string;
  readonly isolation: "bwrap" | "unshare" | "group";
}
