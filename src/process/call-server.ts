// Calling a server that may never answer, or never end: how an address with a name and a password in it is
// called, a wait that is bounded by a time and by whoever no longer wants it, and the beginning of what
// comes back. Whatever else it sends, nobody reads.
import { splitAddress } from "../core/written/address.ts";

/** `fetch` takes no credentials in an address; they go into a header. */
export function calledAddress(url: string): { address: URL; authorization: string | null } {
  const { address, credentials } = splitAddress(url);
  if (credentials === undefined) return { address, authorization: null };
  const pair = `${credentials.username}:${credentials.password}`;
  return { address, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/**
 * Rejects with a `TimeoutError`, or with the reason of `unwanted`, also where the work ignores its signal.
 * `AbortSignal.any` of a timeout is not used for this: Node may collect such a signal as garbage before
 * it fires, and then nothing ends the wait.
 */
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

/** Why a call came to nothing: `fetch` itself only says that it failed. */
export function whyNoAnswer(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error & { cause?: Partial<NodeJS.ErrnoException> };
  if (name === "TimeoutError") {
    return `it was not complete within ${Math.round(timeoutMs / 1000)} s`;
  }
  if (cause?.code === "ECONNREFUSED") return "the connection was refused; nothing listens there";
  if (cause?.code === "ENOTFOUND") return "there is no such host";
  if (cause?.message === "bad port") return "web clients do not call this port";
  return cause?.message ?? message;
}

/** The beginning of a body; `isCut` where there was more. */
export async function boundedBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  if (response.body === null) return { bytes: Buffer.alloc(0), isCut: false };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    while (size <= maxBytes) {
      // oxlint-disable-next-line no-await-in-loop
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
    signal.throwIfAborted();
    if (size > maxBytes) await reader.cancel();
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}
