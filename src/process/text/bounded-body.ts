// The beginning of what a server answers. Whatever else it sends, nobody reads.

export interface BoundedBody {
  readonly bytes: Buffer;
  /** There was more. */
  readonly isCut: boolean;
}

export async function boundedBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<BoundedBody> {
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
