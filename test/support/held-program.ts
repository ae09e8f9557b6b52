// A program that lasts until the test lets it go. It knocks at a socket of the test: the test knows when
// it is there, and when it is gone.
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";

export interface HeldProgram {
  /** A command for a shell. */
  readonly command: string;
  /** When it is there; once only. */
  readonly there: Promise<unknown>;
  /** When it ended, by itself or not. */
  readonly gone: Promise<unknown>;
  letGo(): void;
  close(): void;
}

/** @param file where the program is written */
export async function heldProgram(file: string): Promise<HeldProgram> {
  const server: Server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    file,
    `require("node:net").connect(${port}, "127.0.0.1").on("end", () => process.exit()).resume();\n`,
  );
  let socket: Socket | undefined;
  const there = once(server, "connection").then(([connected]) => {
    socket = connected as Socket;
    // A program that is killed resets its connection.
    socket.on("error", () => {}).resume();
  });
  return {
    command: `${process.execPath} ${file}`,
    there,
    gone: there.then(() => once(socket as Socket, "close")),
    letGo: () => void socket?.end(),
    close() {
      socket?.destroy();
      server.close();
    },
  };
}
