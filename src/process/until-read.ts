// What a child wrote before it ended is in its pipes. On a busy machine this process may come to read it late, so no clock
// tells whether all of it was read: two turns of the event loop that bring nothing do.
import type { Readable } from "node:stream";
import { setImmediate as turnOfLoop } from "node:timers/promises";

/** Whoever holds the pipes of a child that has ended may write there for ever. */
const MOST_TURNS = 1000;

/** For pipes of a child that has ended, when something else holds them open. */
export async function untilRead(pipes: readonly Readable[]): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const before = bytesOf(pipes);
    // oxlint-disable-next-line no-await-in-loop
    await turnOfLoop();
    // oxlint-disable-next-line no-await-in-loop
    await turnOfLoop();
    if (bytesOf(pipes) === before) return;
  }
}

function bytesOf(pipes: readonly Readable[]): number {
  return pipes.reduce((sum, pipe) => sum + (pipe as Readable & { bytesRead: number }).bytesRead, 0);
}
