// One child from start to end: limits, ending its whole tree, and the order in which that happens.
//
//  1. the reason is recorded, before any signal
//  2. SIGTERM to every descendant, or first to the program alone, SIGKILL to who stays longer than `killMs`
//  3. the program is gone: whoever it left behind may go on as long as somebody wants it, then is ended the same way
//  4. the namespace is closed, and seen to be gone
//  5. what is still in the pipes is read, for a bounded time: an escaped process may hold them.
//     Whoever holds them is not ended for it: a terminal multiplexer may have been handed them.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Output } from "./child-streams.ts";
import { endProcesses, type Outcome, seeGone } from "./end-processes.ts";
import { Family, NamespaceFamily } from "./family.ts";
import { coveredSockets, removeMadeFor } from "./namespace/made-mount-points.ts";
import { untilRead } from "./until-read.ts";
import type { ProcessEntry } from "./process-table.ts";
import {
  type Exit,
  exitOf,
  type Start,
  startChild,
  type StartedChild,
  StartShell,
} from "./start-child.ts";

export interface ChildRun extends Start {
  readonly limits: Limits;
  /** From SIGTERM to SIGKILL. */
  readonly killMs: number;
  /** A folder of Stint's own that the child works in: who hides in it is found, also without a namespace. */
  readonly ownFolder?: string | undefined;
  /** The program gets SIGTERM alone at first, and a part of that time: it ends what it started by itself. */
  readonly askFirst?: boolean;
  /** Output alone does not put the idle limit off: whoever reads it says what does (`sawProgress`). */
  readonly idleUntilProgress?: boolean;
  readonly onOutput: (stream: Output["stream"], bytes: Buffer) => void;
  /**
   * How long whoever the program left behind may go on, from the end of the program: asked again and again while
   * they live. Absent: not at all.
   */
  readonly keepMs?: (left: number) => number;
}

export interface ChildEnd extends Exit {
  readonly endedBy: "itself" | Overrun | "stopped";
  readonly reason: string | null;
  readonly durationMs: number;
  /** Descendants that had to be ended after the program was gone. */
  readonly leftBehind: number;
  /** How long descendants were waited for after that. */
  readonly keptMs: number;
  /** What was said where no namespace could be made; the program was never started then. */
  readonly notStarted?: string;
}

export interface RunningChild {
  /** Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** It said that it is finished: it has `graceMs` to leave by itself. */
  finishing(): void;
  /** It put the idle limit off. */
  sawProgress(): void;
  stop(reason: string): void;
}

/** How long output may go on arriving when no known process is left to write it. */
const DRAIN_MS = 2000;
/** How long an empty namespace may take to close by itself. */
const CLOSING_MS = 2000;
/** The part of its time that a program has alone which is asked first. */
const ALONE = 0.7;
/** How often descendants are looked at where no namespace holds them. */
const LOOK_MS = 2000;
/** How often those are looked at who go on after the program. */
const KEPT_LOOK_MS = 200;

const NO_NAMESPACE = "the namespace ended before the program was started";
/** A namespace is made so often, where it fails before the program was started. */
const MOST_STARTS = 5;

/** Throws when there is nothing to start; then nothing was started. */
export function runChild(run: ChildRun): RunningChild {
  let child = new Child(run);
  const end = async (): Promise<ChildEnd> => {
    let ended = await child.end();
    // A file or folder that it had to cover may have gone away at the wrong moment. What is gone is left out then.
    for (let starts = 1; !child.hadNamespace && starts < MOST_STARTS; starts += 1) {
      child = new Child(run);
      // oxlint-disable-next-line no-await-in-loop
      ended = await child.end();
    }
    return ended;
  };
  return {
    ended: end(),
    finishing: () => child.finishing(),
    sawProgress: () => child.sawProgress(),
    stop: (reason) => child.terminate("stopped", reason),
  };
}

class Child {
  readonly #deadlines: Deadlines;
  readonly #looking: NodeJS.Timeout | undefined;
  readonly #killMs: number;
  readonly #askFirst: boolean;
  readonly #startedAt = performance.now();
  readonly #started: StartedChild;
  readonly #family: Family | NamespaceFamily;
  readonly #startShell: StartShell | undefined;
  readonly #exited: Promise<Exit>;
  readonly #channelClosed: Promise<unknown>;
  readonly #drained: Promise<unknown>;
  #cause: Pick<ChildEnd, "endedBy" | "reason"> = { endedBy: "itself", reason: null };
  readonly #keepMs: ChildRun["keepMs"];
  readonly #totalMs: number;
  readonly #unwanted = new AbortController();
  #isGone = false;
  #isOver = false;
  #isForced = false;
  /** What came before the program was there: its own only if it came to be there. Null: nothing is held back. */
  #early: { readonly bytes: Buffer; readonly tell: () => void }[] | null;
  #ending: Promise<Outcome> | undefined;

  constructor(run: ChildRun) {
    this.#killMs = run.killMs;
    this.#askFirst = run.askFirst === true;
    this.#keepMs = run.keepMs;
    this.#totalMs = run.limits.totalMs;
    const covered = run.isolation.kind === "bwrap" ? coveredSockets(run.view) : [];
    const started = startChild(run);
    const { pid, process_start: start } = started.record;
    const isGroup = run.isolation.kind === "group";
    this.#started = started;
    const root = { pid, start };
    const variables = [started.variable];
    const folder = isGroup ? run.ownFolder : undefined;
    const family = new Family({ root, group: isGroup, folder, variables });
    this.#family = isGroup ? family : new NamespaceFamily(root, family);
    this.#startShell = isGroup ? undefined : new StartShell(pid, started.channel);
    this.#deadlines = new Deadlines(run.limits, (overrun, reason) =>
      this.terminate(overrun, reason),
    );
    // A tool that agents start with a cleared environment is known only while its parent lives.
    this.#looking = isGroup ? setInterval(() => family.remember(), LOOK_MS) : undefined;
    this.#exited = new Promise((resolve) => {
      started.process.once("exit", (code, signal) => resolve(this.#exitOf(code, signal)));
    });
    this.#early = isGroup ? null : [];
    void this.#startShell?.heard.then(() => this.#tellEarly());
    this.#channelClosed = new Promise((resolve) => started.channel.once("close", resolve));
    void Promise.race([this.#exited, this.#startShell?.heard]).then(() => removeMadeFor(covered));
    this.#drained = Promise.all(
      started.outputs.map(({ stream, pipe }) => {
        pipe.on("data", (bytes: Buffer) => {
          if (run.idleUntilProgress !== true) this.#deadlines.sawOutput();
          const tell = (): void => run.onOutput(stream, bytes);
          if (this.#early === null) tell();
          else this.#early.push({ bytes, tell });
        });
        // A pipe that fails ends like one that is closed.
        return once(pipe, "close").catch(() => {});
      }),
    );
  }

  finishing(): void {
    if (this.#family instanceof Family) this.#family.remember();
    this.#deadlines.finishing();
  }

  sawProgress(): void {
    this.#deadlines.sawOutput();
  }

  terminate(endedBy: ChildEnd["endedBy"], reason: string): void {
    if (this.#isOver || this.#cause.endedBy !== "itself") return;
    // The program has ended by itself; only who goes on after it is no longer wanted.
    if (this.#isGone) {
      this.#unwanted.abort();
      return;
    }
    this.#cause = { endedBy, reason };
    void this.#endWorkers();
  }

  async end(): Promise<ChildEnd> {
    const exit = await this.#programGone();
    await this.#noteNamespace(exit);
    this.#isGone = true;
    this.#deadlines.clear();
    const keptMs = this.#ending === undefined ? await this.#keepOthers() : 0;
    this.#isOver = true;
    clearInterval(this.#looking);
    const durationMs = Math.round(performance.now() - this.#startedAt);
    const leftBehind = await this.#endLeftBehind();
    const { channel, outputs, process: handle } = this.#started;
    channel.destroy();
    // Waiting for its maker to leave is quicker than looking whether it has.
    if (this.#startShell !== undefined) await within(CLOSING_MS, this.#exited);
    await seeGone(() => this.#family.members(), CLOSING_MS);
    await within(DRAIN_MS, this.#drained);
    await untilRead(outputs.map(({ pipe }) => pipe));
    for (const { pipe } of outputs) pipe.destroy();
    // Only a process that even SIGKILL did not end is still there; nobody waits for it.
    handle.unref();
    const ended = { ...exit, ...this.#cause, durationMs, leftBehind, keptMs };
    if (!this.hadNamespace) return { ...ended, notStarted: this.#earlyText() };
    this.#tellEarly();
    return ended;
  }

  #tellEarly(): void {
    for (const { tell } of this.#early ?? []) tell();
    this.#early = null;
  }

  #earlyText(): string {
    return Buffer.concat((this.#early ?? []).map(({ bytes }) => bytes))
      .toString("utf8")
      .trim();
  }

  /** Until they have ended, their time or that of the whole child is over, or nobody wants them. @returns for how long */
  async #keepOthers(): Promise<number> {
    const goneAt = performance.now();
    let keptMs = 0;
    while (this.#keepMs !== undefined) {
      const left = this.#workers().length;
      const waitedMs = performance.now() - goneAt;
      const leftMs = Math.min(
        left === 0 ? 0 : this.#keepMs(left) - waitedMs,
        this.#totalMs - (performance.now() - this.#startedAt),
      );
      if (leftMs <= 0 || this.#unwanted.signal.aborted) break;
      // oxlint-disable-next-line no-await-in-loop
      await sleep(Math.min(leftMs, KEPT_LOOK_MS), undefined, {
        signal: this.#unwanted.signal,
      }).catch(() => {});
      keptMs = Math.round(performance.now() - goneAt);
    }
    return keptMs;
  }

  /** By its exit, by the word of its start shell, or given up because even SIGKILL did not end it. */
  #programGone(): Promise<Exit> {
    return Promise.race([
      this.#exited,
      ...(this.#startShell ? [this.#startShell.told] : []),
      this.#stuck,
    ]);
  }

  #giveUp: (exit: Exit) => void = () => {};
  readonly #stuck = new Promise<Exit>((resolve) => (this.#giveUp = resolve));

  /** Who got SIGTERM together with the program counts only if that did not end it. */
  async #endLeftBehind(): Promise<number> {
    if (this.#isForced) {
      await this.#endWorkers();
      return 0;
    }
    if (this.#ending !== undefined) return (await this.#ending).stubborn;
    return (await this.#endWorkers()).count;
  }

  #endWorkers(): Promise<Outcome> {
    const aloneUntil = performance.now() + this.#killMs * ALONE;
    const isAlone = (): boolean =>
      this.#askFirst && !this.#isGone && performance.now() < aloneUntil;
    this.#ending ??= endProcesses({
      // Parents come before their children: the first one is the program.
      polite: () => (isAlone() ? this.#workers().slice(0, 1) : this.#workers()),
      forced: () => {
        this.#isForced = true;
        return this.#family.members();
      },
      killMs: this.#killMs,
      // Stopped right after its start, a namespace is empty and the program yet to come.
      isOver: () => this.#isOver,
    }).then((outcome) => {
      if (outcome.alive.length > 0) this.#giveUp({ exitCode: null, signal: null });
      return outcome;
    });
    return this.#ending;
  }

  #workers(): readonly ProcessEntry[] {
    const members = this.#family.members();
    return this.#startShell?.without(members) ?? members;
  }

  #exitOf(code: number | null, signal: string | null): Exit {
    return this.#startShell === undefined || code === null
      ? { exitCode: code, signal }
      : exitOf(code);
  }

  /** Whether the program was started, or whoever ended this meant to. */
  get hadNamespace(): boolean {
    return this.#cause.reason !== NO_NAMESPACE;
  }

  /** What the shell said is read first: it may be on its way still. */
  async #noteNamespace({ exitCode }: Exit): Promise<void> {
    const shell = this.#startShell;
    if (shell === undefined || exitCode === null) return;
    if (!shell.isThere) await within(DRAIN_MS, this.#channelClosed);
    if (shell.isThere || this.#cause.endedBy !== "itself") return;
    this.#cause = { endedBy: "itself", reason: NO_NAMESPACE };
  }
}

async function within(ms: number, event: Promise<unknown>): Promise<void> {
  await Promise.race([event, sleep(ms, undefined, { ref: false })]);
}

/** The three clocks over a child: in all, without output, and after it said it was finished. */
export interface Limits {
  readonly totalMs: number;
  readonly idleMs: number;
  /** After `finishing`. */
  readonly graceMs: number;
}

export type Overrun = "total-timeout" | "idle-timeout" | "grace";

/** Node's timers fire at once beyond this. */
const LONGEST_MS = 2 ** 31 - 1;

export class Deadlines {
  readonly #limits: Limits;
  readonly #due: (overrun: Overrun, reason: string) => void;
  readonly #timers = new Map<Overrun, NodeJS.Timeout>();
  #lastOutputAt = performance.now();
  #over = false;

  constructor(limits: Limits, due: (overrun: Overrun, reason: string) => void) {
    this.#limits = limits;
    this.#due = due;
    this.#set("total-timeout", limits.totalMs, () => {
      due("total-timeout", `it ran longer than ${duration(limits.totalMs)}`);
    });
    this.#awaitOutput(limits.idleMs);
  }

  sawOutput(): void {
    this.#lastOutputAt = performance.now();
  }

  finishing(): void {
    if (this.#timers.has("grace")) return;
    const { graceMs } = this.#limits;
    this.#set("grace", graceMs, () => {
      this.#due("grace", `it still ran ${duration(graceMs)} after it said it was finished`);
    });
  }

  clear(): void {
    this.#over = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #awaitOutput(ms: number): void {
    this.#set("idle-timeout", ms, () => {
      // This process itself may have been stopped or busy: first read what has come meanwhile.
      setImmediate(() => {
        if (this.#over) return;
        const rest = this.#lastOutputAt + this.#limits.idleMs - performance.now();
        if (rest > 0) this.#awaitOutput(rest);
        else this.#due("idle-timeout", `it printed nothing for ${duration(this.#limits.idleMs)}`);
      });
    });
  }

  #set(overrun: Overrun, ms: number, act: () => void): void {
    if (this.#over || ms === Infinity) return;
    this.#timers.set(overrun, setTimeout(act, Math.min(ms, LONGEST_MS)));
  }
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
