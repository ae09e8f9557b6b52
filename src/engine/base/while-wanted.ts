// Work that may take minutes (a check, a hook, a push, an act of the manifest): it goes on only as long as the
// run is wanted, and says what it is at.
import { Interrupted } from "../../core/stint-error.ts";
import type { RunContext, StopWanted } from "./run-context.ts";

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

const SECOND_MS = 1000;
const TOLD_EVERY_S = 10;

/** Says what is going on where it takes longer than a second, and from time to time that it still is. */
export async function whileTold<T>(
  { host, tell }: Pick<RunContext, "host" | "tell">,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  let seconds = 0;
  const end = host.every(SECOND_MS, () => {
    seconds += 1;
    if (seconds === 1) tell({ kind: "notice", text: `${what} …` });
    else if (seconds % TOLD_EVERY_S === 0) {
      tell({ kind: "notice", text: `${what}, ${seconds} s …` });
    }
  });
  try {
    return await work();
  } finally {
    end();
  }
}
