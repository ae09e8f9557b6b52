// What the watchdog reads and remembers. It looks at every project at every tick, so it reads no more than it must:
// a project that it found quiet is known again by the numbers of its revision and its lease, without reading either.
//
//   watchdog/ticked.json                       when it ticked last, and what it found quiet; a cache
//   watchdog/process.json                      the process that ticks where the machine has no timer
//   watchdog/tick.log                          what that process, or an agent of launchd, says
//   watchdog/<id>/<revision>-<n>.json          the n-th recovery since that revision, the last one with evidence;
//                                              created exclusively before it is started: of two that tick at once,
//                                              one starts it
//   watchdog/<id>/escalating.json              a person is being told; removed once they were
//   watchdog/<id>/stopped.json                 the run that a person ended, in case it is killed before it has ended
//   watchdog/<id>/said-<digest>.json           what was said of it and needs no saying again
//   watchdog/<id>/resume.log                   what the runs say that it started
//
// No lease is needed for any of it: nothing here says how a project stands.
import { closeSync, constants, ftruncateSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { parseProjectId, type ProjectId, type RunId } from "../core/ids.ts";
import type { Instant } from "../core/instant.ts";
import { parseJsonLine } from "../core/json-line.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Recovery } from "../core/watchdog.ts";
import { sha256Of } from "./digest.ts";
import { findProcess } from "../process/process-table.ts";
import { Disk } from "./disk.ts";
import type { Files } from "./files.ts";
import type { Host } from "./host.ts";
import { numberOf, registryLayout, shadowLayout } from "./layout.ts";
import { LeaseFiles } from "./lease-files.ts";
import { RevisionFiles } from "./revision-files.ts";
import type { LeaseView } from "./store.ts";

/** A log that is longer begins anew. */
const LONGEST_LOG = 1024 * 1024;

const RECOVERY = /^\d+-\d+\.json$/;

export interface Ticked {
  readonly ticked_at: Instant;
  /** By project: what it was known by, and until when nothing is due; null: until something changes. */
  readonly quiet: Readonly<Record<string, Quiet>>;
}

export interface Quiet {
  readonly key: string;
  readonly until: Instant | null;
  /** Not watched at all: it is over, or its settings say so. */
  readonly over?: true;
}

/** Of a process that this machine may know. */
export interface StartedProcess {
  readonly pid: number;
  readonly process_start: string;
  readonly boot_id: string;
  readonly pid_namespace: string;
}

interface Kept extends Partial<StartedProcess> {
  readonly at: Instant;
  readonly why: string;
}

export class WatchFiles {
  readonly #disk: Disk;
  readonly #host: Host;
  readonly #stateHome: string;

  constructor(files: Files, host: Host, stateHome: string) {
    this.#disk = new Disk(files, Buffer.from(host.randomBytes(8)).toString("hex"));
    this.#host = host;
    this.#stateHome = stateHome;
  }

  /** Every project of this user. */
  ids(): ProjectId[] {
    return this.#disk
      .list(registryLayout(this.#stateHome).projects)
      .map((name) => parseProjectId(name.replace(/\.json$/, "")))
      .filter((id) => id !== undefined);
  }

  /**
   * What a quiet project is known again by: a revision and a lease that was given back never change. Undefined where
   * more is to be read: somebody is at work or died at it, or an answer lies there.
   */
  keyOf(id: ProjectId): string | undefined {
    const { states, leases, answers } = shadowLayout(this.#stateHome, id);
    const revisions = this.#disk.list(states);
    if (revisions.some((name) => numberOf(name) === undefined)) return undefined;
    if (this.#disk.list(answers).length > 0) return undefined;
    const lease = highest(this.#disk.list(leases));
    const facts = lease === undefined ? undefined : this.#disk.stat(join(leases, lease));
    return `${highest(revisions)} ${lease} ${facts?.fingerprint}`;
  }

  /** The last durable revision and who holds the lease. Undefined while a project is being created. @throws state-corrupt */
  look(id: ProjectId): { readonly state: ProjectState; readonly lease: LeaseView } | undefined {
    const { states, leases } = shadowLayout(this.#stateHome, id);
    const top = new RevisionFiles(this.#disk, states, id).top();
    if (top === undefined) return undefined;
    // The copy of the lease in the project folder has no say about who holds it here.
    const lease = new LeaseFiles(this.#disk, this.#host, { folder: leases, copy: "" }, id).view();
    return { state: top.state, lease };
  }

  ticked(): Ticked | undefined {
    const bytes = this.#disk.read(this.#ticked);
    const value = bytes && parseJsonLine(bytes.toString("utf8"));
    if (value === undefined || typeof value["ticked_at"] !== "string") return undefined;
    return { quiet: {}, ...value } as unknown as Ticked;
  }

  keepTicked(ticked: Ticked): void {
    this.#disk.ensureFolderLightly(this.#folder);
    this.#disk.replaceLightly(this.#ticked, encode(ticked));
  }

  /** Those since a revision, the first one first. */
  recoveries(id: ProjectId, since: number): Recovery[] {
    const folder = join(this.#folder, id);
    const prefix = `${since}-`;
    return this.#disk
      .list(folder)
      .filter((name) => name.startsWith(prefix))
      .toSorted()
      .map((name) => this.#recovery(join(folder, name)));
  }

  /** @returns false where another tick was faster */
  beginRecovery(id: ProjectId, since: number, number: number, kept: Kept): boolean {
    const folder = join(this.#folder, id);
    this.#disk.ensureFolder(folder);
    if (!this.#disk.create(join(folder, recoveryName(since, number)), encode(kept))) return false;
    // What was tried before that evidence is of no use to anybody.
    this.#disk.clean(folder, (name) => RECOVERY.test(name) && !name.startsWith(`${since}-`));
    return true;
  }

  recoveryStarted(id: ProjectId, since: number, number: number, kept: Kept): void {
    this.#disk.replace(join(this.#folder, id, recoveryName(since, number)), encode(kept));
  }

  /** Kept until a person was told, so that a tick that is killed in between is made up for. */
  beginEscalation(id: ProjectId, why: string): void {
    this.#disk.ensureFolder(join(this.#folder, id));
    this.#disk.replace(this.#escalating(id), encode({ why }));
  }

  escalating(id: ProjectId): string | undefined {
    const bytes = this.#disk.read(this.#escalating(id));
    const why = bytes && parseJsonLine(bytes.toString("utf8"))?.["why"];
    return typeof why === "string" ? why : undefined;
  }

  endEscalation(id: ProjectId): void {
    this.#disk.remove(this.#escalating(id));
  }

  /** A person ended this run: it stays ended, also where it is killed before it could say so itself. */
  keepStopped(id: ProjectId, run_id: RunId): void {
    this.#disk.ensureFolder(join(this.#folder, id));
    this.#disk.replace(this.#stopped(id), encode({ run_id }));
  }

  isStopped(id: ProjectId, run_id: RunId): boolean {
    const bytes = this.#disk.read(this.#stopped(id));
    return bytes !== undefined && parseJsonLine(bytes.toString("utf8"))?.["run_id"] === run_id;
  }

  /** @returns false where exactly this was said before */
  sayOnce(id: ProjectId, at: Instant, why: string): boolean {
    const folder = join(this.#folder, id);
    this.#disk.ensureFolder(folder);
    const name = `said-${sha256Of(why).slice(0, 16)}.json`;
    return this.#disk.create(join(folder, name), encode({ at, why }));
  }

  /** Of a project that is over: nothing of it is remembered. */
  forget(id: ProjectId): void {
    this.#disk.clean(join(this.#folder, id), (name) => name.endsWith(".json"));
  }

  logPath(id: ProjectId): string {
    return join(this.#folder, id, "resume.log");
  }

  /** Open for writing at its end, for a process that is started. */
  openLog(id: ProjectId): number {
    mkdirSync(join(this.#folder, id), { recursive: true, mode: 0o700 });
    const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
    const log = openSync(this.logPath(id), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
    try {
      if (fstatSync(log).size > LONGEST_LOG) ftruncateSync(log, 0);
    } catch (error) {
      closeSync(log);
      throw error;
    }
    return log;
  }

  #recovery(path: string): Recovery {
    const bytes = this.#disk.read(path);
    const kept = (bytes && parseJsonLine(bytes.toString("utf8"))) as Kept | undefined;
    const { at = "1970-01-01T00:00:00.000Z" as Instant, why = "" } = kept ?? {};
    return { at, why, process: kept === undefined ? "gone" : this.processOf(kept) };
  }

  /** Whether a process that was recorded still runs; unknown where none was, or none can be seen from here. */
  processOf({
    pid,
    process_start,
    boot_id,
    pid_namespace,
  }: Partial<StartedProcess>): Recovery["process"] {
    if (pid === undefined || process_start === undefined) return "unknown";
    const self = this.#host.self();
    if (boot_id !== self.boot_id) return "gone";
    if (pid_namespace !== self.pid_namespace) return "unknown";
    const seen = this.#host.processState(pid, process_start);
    return seen === "dead" ? "gone" : seen;
  }

  /** As it can be known again; null where it is gone already. */
  identify(pid: number): StartedProcess | null {
    const start = findProcess(pid)?.start;
    const { boot_id, pid_namespace } = this.#host.self();
    return start === undefined ? null : { pid, process_start: start, boot_id, pid_namespace };
  }

  /** Whether a run that a tick started is still starting up. */
  isRecovering(id: ProjectId): boolean {
    const folder = join(this.#folder, id);
    const names = this.#disk.list(folder).filter((name) => RECOVERY.test(name));
    return names.some((name) => this.#recovery(join(folder, name)).process === "alive");
  }

  get loopPath(): string {
    return join(this.#folder, "process.json");
  }

  /** What a timer that has no place of its own for it says. */
  get tickLog(): string {
    return join(this.#folder, "tick.log");
  }

  /** The process that ticks where the machine has no timer. */
  loop(): StartedProcess | undefined {
    const bytes = this.#disk.read(this.loopPath);
    return bytes && (parseJsonLine(bytes.toString("utf8")) as StartedProcess | undefined);
  }

  /** @returns false where there is one already */
  beginLoop(started: StartedProcess): boolean {
    this.#disk.ensureFolder(this.#folder);
    return this.#disk.create(this.loopPath, encode(started));
  }

  endLoop(): void {
    this.#disk.remove(this.loopPath);
  }

  get #folder(): string {
    return join(this.#stateHome, "watchdog");
  }

  get #ticked(): string {
    return join(this.#folder, "ticked.json");
  }

  #stopped(id: ProjectId): string {
    return join(this.#folder, id, "stopped.json");
  }

  #escalating(id: ProjectId): string {
    return join(this.#folder, id, "escalating.json");
  }
}

function recoveryName(since: number, number: number): string {
  return `${since}-${number}.json`;
}

function highest(names: readonly string[]): string | undefined {
  return names
    .filter((name) => numberOf(name) !== undefined)
    .toSorted()
    .at(-1);
}

function encode(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}
