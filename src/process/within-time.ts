// Work on something outside that may never answer, bounded by a time and by whoever no longer wants it.
// `AbortSignal.any` of a timeout is not used for this: Node may collect such a signal as garbage before
// it fires, and then nothing ends the wait.

/** Rejects with a `TimeoutError`, or with the reason of `unwanted`, also where the work ignores its signal. */
export async function withinTime<T>(
  ms: number,
  unwanted: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  unwanted.throwIfAborted();
  const ending = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    const end = (reason: unknown): void => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever the owner says
      reject(reason);
      ending.abort(reason);
    };
    const stop = (): void => end(unwanted.reason);
    unwanted.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(
      () => end(new DOMException(`none within ${ms / 1000} s`, "TimeoutError")),
      ms,
    );
    work(ending.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        unwanted.removeEventListener("abort", stop);
      });
  });
}
