import { expect, it } from "vitest";
import { refusedSocket, refusedWrite } from "./refused-write.ts";

const REFUSING = { protect: "home", home: "/home/ada", workTree: "/home/ada/shop" };

it.each([
  ["sh: 1: cannot create /home/ada/.bashrc: Read-only file system", "~/.bashrc", "~/.bashrc"],
  ["touch: cannot touch '/etc/x y': Read-only file system", "/etc/x y", "/etc"],
  [
    "Error: EROFS: read-only file system, mkdir '/home/ada/.config/tool/cache'",
    "~/.config/tool/cache",
    "~/.config/tool",
  ],
  [
    "OSError: [Errno 30] Read-only file system: '/home/ada/.local/share/tool/a'",
    "~/.local/share/tool/a",
    "~/.local/share/tool",
  ],
  ["touch: cannot touch '/home/ada/notes': Read-only file system", "~/notes", "~/notes"],
  ["open /home/ada/go/bin/x: read-only file system", "~/go/bin/x", "~/go/bin"],
  ["npm error code EROFS\nnpm error path /home/ada/.thing/a", "~/.thing/a", "~/.thing"],
  [
    String.raw`{"text":"mkdir: \"/srv/other/x\": Read-only file system\nfailed"}`,
    "/srv/other/x",
    "/srv/other",
  ],
])("names what was refused: %s", (output, path, allowed) => {
  expect(refusedWrite(output, REFUSING)).toBe(
    `${path} is read-only by \`protect: home\`; allow with \`writable: ${allowed}\``,
  );
});

it.each([
  "it failed at /home/ada/.bashrc",
  "fatal: Unable to create '/home/ada/shop/.git/index.lock': Read-only file system",
  "Read-only file system",
])("says nothing of another failure: %s", (output) => {
  expect(refusedWrite(output, REFUSING)).toBeNull();
});

it("names a socket that is hidden where a program could not connect to it", () => {
  const refusing = { protect: "home", home: "/home/ada" };
  const sockets = (): string[] => ["/home/ada/.x/s", "/tmp/.s.PGSQL.5432"];
  const output = 'connection to server on socket "/tmp/.s.PGSQL.5432" failed: Connection refused';
  expect(refusedSocket(output, sockets, refusing)).toBe(
    "/tmp/.s.PGSQL.5432 is hidden by `protect: home`; allow with `show: /tmp/.s.PGSQL.5432`",
  );
  expect(refusedSocket("connect ECONNREFUSED /home/ada/.x/s", sockets, refusing)).toBe(
    "~/.x/s is hidden by `protect: home`; allow with `show: ~/.x/s`",
  );
  expect(refusedSocket("connect ECONNREFUSED 127.0.0.1:80", sockets, refusing)).toBeNull();
  expect(refusedSocket("cannot find /tmp/.s.PGSQL.5432", sockets, refusing)).toBeNull();
});
