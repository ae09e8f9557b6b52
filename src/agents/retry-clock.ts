// How long a session has done nothing but ask its provider again. The clock starts at the first retry; another retry
// does not set it back, progress does.
import type { AgentEvent } from "./agent.ts";
import { isProgress } from "./event-summary.ts";

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
    else if (hasAnswer(event)) this.#since = null;
  }

  isOver(): boolean {
    return this.#since !== null && this.#now() - this.#since >= this.#limitMs;
  }
}

/** Tokens are told only of what a provider answered; and after its result it has only to leave. */
function hasAnswer(event: AgentEvent): boolean {
  if (event.kind === "usage") return event.input + event.output > 0;
  return isProgress(event) || event.kind === "result";
}
