// The three clocks over a child: in all, without output, and after it said it was finished.

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
