import { expect, it } from "vitest";
import { refusedWrite } from "./refused-write.ts";

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
