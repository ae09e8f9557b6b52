// Machines that exist only in a test: one clock, seeded randomness, and processes that can die, stop,
// wake and see their machine boot again. Nothing happens by itself; the test moves time, and what a
// process does every so often happens as it passes.
import type { Host, ProcessIdentity, ProcessState } from "../../src/store/host.ts";
import { type Dice, seededDice } from "./dice.ts";

interface Beat {
  readonly everyMs: number;
  readonly act: () => void;
  dueMs: number;
}

export class VirtualWorld {
  readonly dice: Dice;
  nowMs: number;
  #nextPid = 100;
  #nextBoot = 1;
  readonly #beats = new Set<Beat>();

  constructor(seed: number, startMs = Date.UTC(2026, 0, 1)) {
    this.dice = seededDice(seed);
    this.nowMs = startMs;
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.#beats].toSorted((one, other) => one.dueMs - other.dueMs);
      if (next === undefined || next.dueMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.dueMs = this.nowMs + next.everyMs;
      next.act();
    }
    this.nowMs = endMs;
  }

  /** All at once, as for a machine that sleeps: nothing is done meanwhile. */
  leap(ms: number): void {
    this.nowMs += ms;
  }

  /** How many acts are done every so often. */
  get beating(): number {
    return this.#beats.size;
  }

  every(everyMs: number, act: () => void): () => void {
    const beat = { everyMs, dueMs: this.nowMs + everyMs, act };
    this.#beats.add(beat);
    return () => this.#beats.delete(beat);
  }

  machine(name: string): VirtualMachine {
    return new VirtualMachine(this, name);
  }

  newPid(): number {
    return this.#nextPid++;
  }

  newBootId(): string {
    return `boot-${this.#nextBoot++}`;
  }
}

export class VirtualMachine {
  readonly world: VirtualWorld;
  readonly name: string;
  bootId: string;
  #processes: VirtualProcess[] = [];

  constructor(world: VirtualWorld, name: string) {
    this.world = world;
    this.name = name;
    this.bootId = world.newBootId();
  }

  /** Starts a process; containers on one machine differ in their pid namespace. */
  start(pidNamespace = "pid:[1]"): VirtualProcess {
    const started = new VirtualProcess(this, pidNamespace);
    this.#processes.push(started);
    return started;
  }

  /** Every process dies and the next ones live under another boot id. */
  reboot(): void {
    for (const each of this.#processes) each.kill();
    this.#processes = [];
    this.bootId = this.world.newBootId();
  }

  stateOf(pidNamespace: string, pid: number, processStart: string): ProcessState {
    const found = this.#processes.find(
      (each) =>
        each.alive &&
        each.identity.pid_namespace === pidNamespace &&
        each.identity.pid === pid &&
        each.identity.process_start === processStart,
    );
    return found === undefined ? "dead" : "alive";
  }
}

/** A process as a host: what the store is given to know the time, itself and its neighbours. */
export class VirtualProcess implements Host {
  readonly identity: ProcessIdentity;
  readonly #machine: VirtualMachine;
  #alive = true;
  /** Stopped as by SIGSTOP: alive for everybody, but it does nothing. The test keeps it still. */
  stopped = false;

  constructor(machine: VirtualMachine, pidNamespace: string) {
    this.#machine = machine;
    this.identity = {
      host: machine.name,
      boot_id: machine.bootId,
      pid_namespace: pidNamespace,
      pid: machine.world.newPid(),
      process_start: String(machine.world.nowMs),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  kill(): void {
    this.#alive = false;
  }

  nowMs(): number {
    return this.#machine.world.nowMs;
  }

  randomBytes(count: number): Uint8Array {
    return this.#machine.world.dice.bytes(count);
  }

  /** Time passes at once. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) this.#machine.world.advance(ms);
  }

  every(ms: number, act: () => void): () => void {
    return this.#machine.world.every(ms, () => {
      if (this.#alive && !this.stopped) act();
    });
  }

  self(): ProcessIdentity {
    return this.identity;
  }

  processState(pid: number, processStart: string): ProcessState {
    return this.#machine.stateOf(this.identity.pid_namespace, pid, processStart);
  }
}
