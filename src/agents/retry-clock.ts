// How long a session has done nothing but ask its provider again. The clock starts at the first retry; another retry
// does not set it back, progress does.
import type { AgentEvent } from "./agent.ts";
import { isAnswer } from "./event-summary.ts";

export class RetryClock {
  readonly #limitMs: number;
  readonly #now: () => number;
  #since: number | null = null;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  hear(event: AgentEvent): void {
    if (event.kind === "retrying") this.#since ??= this.#now();
    // After its result it has only to leave.
    else if (isAnswer(event) || event.kind === "result") this.#since = null;
  }

  isOver(): boolean {
    return this.#since !== null && this.#now() - this.#since >= this.#limitMs;
  }
}
