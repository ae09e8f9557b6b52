// A port on which nothing of this machine listens. Somebody else may take it before it is used: nobody
// can keep a port for another process.
import { createServer } from "node:net";

const TRIES = 20;

/** Free on both loopback addresses, as a server on `localhost` may choose either. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    // oxlint-disable-next-line no-await-in-loop -- another one is tried where this one is taken
    const port = await listenOnce("127.0.0.1", 0);
    if (port === null) throw new Error("no port is free on 127.0.0.1");
    // oxlint-disable-next-line no-await-in-loop
    if (tries === TRIES || (await listenOnce("::1", port)) !== null) return port;
  }
}

/** Null where the port is taken; a machine without this kind of address has it free. */
async function listenOnce(host: string, port: number): Promise<number | null> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve(code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT" ? port : null);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : null;
      server.close(() => resolve(found));
    });
  });
}
