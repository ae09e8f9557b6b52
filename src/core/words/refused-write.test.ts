import { expect, it } from "vitest";
import { refusedSocket, refusedWrite } from "./refused-write.ts";

const REFUSING = {
  protect: "home",
  home: "/home/ada",
  workTree: "/home/ada/shop",
  isThere: () => true,
};

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
  // The program or script that tells of it, and the lines that follow, are something else.
  [
    "/home/ada/bin/i2.agent: line 3: /home/ada/notes.txt: Read-only file system",
    "~/notes.txt",
    "~/notes.txt",
  ],
  [
    "/srv/bin/i2.agent: 3: cannot create /home/ada/notes.txt: Read-only file system",
    "~/notes.txt",
    "~/notes.txt",
  ],
  ["/bin/sh: 1: cannot create /etc/motd: Read-only file system", "/etc/motd", "/etc"],
  ["zsh:1: read-only file system: /srv/a/b", "/srv/a/b", "/srv/a"],
  ["/srv/run.zsh:3: read-only file system: /srv/a/b", "/srv/a/b", "/srv/a"],
  ["/usr/bin/touch: cannot touch '/srv/a/b': Read-only file system", "/srv/a/b", "/srv/a"],
  ["mv: cannot move '/home/ada/shop/x' to '/srv/a/x': Read-only file system", "/srv/a/x", "/srv/a"],
  ["mv: cannot move '/srv/a/x' to '/home/ada/shop/x': Read-only file system", "/srv/a/x", "/srv/a"],
  [
    "Error: EROFS: read-only file system, rename '/home/ada/shop/x' -> '/srv/a/x'",
    "/srv/a/x",
    "/srv/a",
  ],
  [
    "/srv/x.rb:1:in 'File#initialize': Read-only file system @ rb_sysopen - /srv/a/b (Errno::EROFS)",
    "/srv/a/b",
    "/srv/a",
  ],
  [
    "PHP Warning:  file_put_contents(/srv/a/b): Failed to open stream: Read-only file system in /srv/x.php on line 3",
    "/srv/a/b",
    "/srv/a",
  ],
  [
    'Exception in thread "main" java.io.FileNotFoundException: /srv/a/b (Read-only file system)',
    "/srv/a/b",
    "/srv/a",
  ],
  ["Cannot open /srv/a/b: Read-only file system at /srv/x.pl line 3.", "/srv/a/b", "/srv/a"],
  // Of a folder that holds the repository or the home, only the file itself.
  ["touch: cannot touch '/home/notes': Read-only file system", "/home/notes", "/home/notes"],
  ["bash: line 1: /home/ada/out.txt: Read-only file system", "~/out.txt", "~/out.txt"],
  ["bash: line 1: /notes: Read-only file system", "/notes", "/notes"],
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

it.each(["/home/ada", "/home"])("never advises to allow all of %s", (path) => {
  const output = `chmod: changing permissions of '${path}': Read-only file system`;
  const written = path.replace("/home/ada", "~");
  expect(refusedWrite(output, REFUSING)).toBe(`${written} is read-only by \`protect: home\``);
});

it("never advises a folder that contains the repository", () => {
  const beside = { ...REFUSING, home: "/home/bob" };
  expect(refusedWrite("sh: 1: cannot create /home/ada/x: Read-only file system", beside)).toBe(
    "/home/ada/x is read-only by `protect: home`; allow with `writable: /home/ada/x`",
  );
});

it.each([
  "/srv/bin/i2.agent: line 3: notes.txt: Read-only file system",
  "/srv/bin/i2.agent: 3: cannot create notes.txt: Read-only file system\nls: /srv/a: No such file",
  "/usr/bin/touch: cannot touch 'notes.txt': Read-only file system",
  "it failed at /home/ada/.bashrc",
  "fatal: Unable to create '/home/ada/shop/.git/index.lock': Read-only file system",
  "Read-only file system",
])("says nothing of another failure: %s", (output) => {
  expect(refusedWrite(output, REFUSING)).toBeNull();
});

it.each([
  ["sh: 1: cannot create /home/ada/n.txt: Read-only file system", "`touch /home/ada/n.txt` and "],
  ["mkdir: cannot create directory '/home/ada/n.txt': Read-only file system", ""],
])("says how a file comes to be that is allowed and not there: %s", (output, make) => {
  expect(refusedWrite(output, { ...REFUSING, isThere: () => false })).toBe(
    `~/n.txt is read-only by \`protect: home\`; allow with ${make}\`writable: ~/n.txt\``,
  );
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
