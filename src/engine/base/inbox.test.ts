import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Inbox } from "./inbox.ts";

let folder: TemporaryFolder;
let inbox: Inbox;
let at: string;
let n = 0;
const host = { randomBytes: (count: number) => new Uint8Array(count).fill((n += 1)) };

beforeEach(() => {
  folder = temporaryFolder();
  at = join(folder.path, "project", "inbox");
  inbox = new Inbox({ root: folder.path, folder: "project" });
});
afterEach(() => folder.remove());

describe("an inbox", () => {
  it("that is not there, or is a link, is empty", () => {
    expect(inbox.waiting()).toEqual([]);
    mkdirSync(join(folder.path, "elsewhere"));
    writeFileSync(join(folder.path, "elsewhere", "d1.json"), "x");
    mkdirSync(join(folder.path, "project"));
    symlinkSync(join(folder.path, "elsewhere"), at);
    expect([inbox.hasMail(), inbox.waiting()]).toEqual([false, []]);
  });

  it("gives what was dropped, whole, once under a name, and nothing once it is removed", () => {
    expect(inbox.drop("d1.json", "one", host)).toBe(true);
    expect(inbox.drop("d1.json", "two", host)).toBe(false);
    const [found, ...others] = inbox.waiting();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: "file", name: "d1.json", bytes: Buffer.from("one") });
    inbox.remove("d1.json");
    inbox.remove("d1.json");
    expect(inbox.hasMail()).toBe(false);
  });

  it("tells a file that was written anew from the one before", () => {
    inbox.drop("d1.json", "same", host);
    const [first] = inbox.waiting();
    inbox.remove("d1.json");
    inbox.drop("other.json", "x", host);
    inbox.drop("d1.json", "same", host);
    const again = inbox.waiting().find(({ name }) => name === "d1.json");
    expect(again).not.toEqual(first);
  });

  it("reads no link, no folder, no pipe and nothing that is too large", () => {
    mkdirSync(at, { recursive: true });
    symlinkSync("/etc/passwd", join(at, "link"));
    mkdirSync(join(at, "folder"));
    execFileSync("mkfifo", [join(at, "pipe")]);
    writeFileSync(join(at, "large"), "x".repeat(64 * 1024 + 1));
    writeFileSync(join(at, ".half"), "x");
    expect(inbox.waiting()).toEqual([
      { kind: "foreign", name: "folder", why: "it is not a file" },
      { kind: "foreign", name: "large", why: "it is larger than 64 KiB" },
      { kind: "foreign", name: "link", why: "it is a link" },
      { kind: "foreign", name: "pipe", why: "it is not a file" },
    ]);
  });

  it("takes anything aside by its name, over nothing that was taken aside before", () => {
    mkdirSync(join(at, "x"), { recursive: true });
    writeFileSync(join(at, "x", "inside"), "");
    inbox.setAside("x", host);
    inbox.setAside("x", host);
    writeFileSync(join(at, "x"), "second");
    inbox.setAside("x", host);
    expect(inbox.hasMail()).toBe(false);
    expect(readdirSync(at).filter((name) => name.endsWith("-x"))).toHaveLength(2);
  });

  it("keeps the words of sessions apart from messages, each session's in order", () => {
    const names = ["s1-000000000002-aaaaaaaa.json", "s1-000000000001-bbbbbbbb.json"];
    for (const name of [...names, "s2-000000000001-cccccccc.json"]) inbox.drop(name, name, host);
    symlinkSync("/etc/passwd", join(at, "s1-000000000003-dddddddd.json"));
    expect([inbox.hasMail(), inbox.waiting()]).toEqual([false, []]);
    expect(inbox.speakers()).toEqual([1, 2]);
    expect(inbox.wordsOf(1)).toMatchObject([
      { kind: "file", name: names[1] },
      { kind: "file", name: names[0] },
      { kind: "foreign", why: "it is a link" },
    ]);
    inbox.drop("d1.json", "x", host);
    expect(inbox.waiting()).toMatchObject([{ name: "d1.json" }]);
  });

  it("gives at most fifty words of a session", () => {
    for (let i = 10; i < 70; i += 1) inbox.drop(`s1-0000000000${i}-aaaaaaaa.json`, "x", host);
    expect(inbox.wordsOf(1)).toHaveLength(50);
  });
});
