// Work that may take minutes (a check, a hook, a push, an act of the manifest) goes on only as long as
// the run is wanted.
import type { StopWanted } from "./ports.ts";
import { Interrupted } from "../../core/stint-error.ts";

/** How often it is asked whether the run is still wanted. */
const WATCH_MS = 100;

/** The signal is aborted with an `Interrupted`; work that ended by itself all the same counts. */
export async function whileWanted<T>(
  stopWanted: () => StopWanted | null,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const look = (): void => {
    const stop = stopWanted();
    if (stop !== null) ending.abort(new Interrupted(`${what} was ended: ${stop.reason}`));
  };
  look();
  ending.signal.throwIfAborted();
  const watch = setInterval(look, WATCH_MS);
  try {
    return await work(ending.signal);
  } finally {
    clearInterval(watch);
  }
}
