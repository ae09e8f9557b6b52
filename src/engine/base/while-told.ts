// Says what is going on where it takes longer than a second, and from time to time that it still is.
import type { RunContext } from "./run-context.ts";

const SECOND_MS = 1000;
const TOLD_EVERY_S = 10;

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
