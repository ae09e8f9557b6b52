import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { minute } from "../../test/support/machine.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Letter } from "../core/answers.ts";
import type { AnswerId, ProjectId } from "../core/ids.ts";
import { Mailbox } from "./mailbox.ts";
import { realFiles } from "./files.ts";
import { thisHost } from "./host.ts";

const ID = "p-0123456789" as ProjectId;
const OTHER = "p-9876543210" as ProjectId;

function letter(n: number, at = minute(n)): Letter {
  const id = `n-000000000${n}` as AnswerId;
  const answer = { verb: "abandon", reason: "Enough." } as const;
  return { id, answer, by: "ada", channel: "test", at };
}

let folder = temporaryFolder();
let mailbox = new Mailbox(realFiles, thisHost(), folder.path);
const place = (id = ID) => join(folder.path, "shadows", id, "answers");

beforeEach(() => {
  folder = temporaryFolder();
  mailbox = new Mailbox(realFiles, thisHost(), folder.path);
});
afterEach(() => folder.remove());

describe("the mailbox", () => {
  it("gives back what was left, oldest answer first", () => {
    mailbox.drop(ID, letter(2));
    mailbox.drop(ID, letter(1));
    mailbox.drop(ID, letter(1));
    const found = mailbox.waiting(ID);
    expect(found).toEqual([
      { kind: "letter", name: "n-0000000001.json", letter: letter(1) },
      { kind: "letter", name: "n-0000000002.json", letter: letter(2) },
    ]);
    expect(mailbox.isWaiting(ID, letter(2).id)).toBe(true);
    mailbox.remove(ID, "n-0000000002.json");
    mailbox.remove(ID, "n-0000000002.json");
    expect(mailbox.isWaiting(ID, letter(2).id)).toBe(false);
  });

  it("keeps the key and every letter to its owner", () => {
    mailbox.drop(ID, letter(1));
    const modes = [join(folder.path, "approver.key"), join(place(), "n-0000000001.json")].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  });

  it("takes nothing for a letter that is changed, renamed, for another project, or under another key", () => {
    mailbox.drop(ID, letter(1));
    const file = join(place(), "n-0000000001.json");
    const text = readFileSync(file, "utf8");
    const why = (): unknown[] => mailbox.waiting(ID).map((mail) => mail.kind);
    writeFileSync(file, text.replace("Enough", "Please"));
    expect(why()).toEqual(["foreign"]);
    writeFileSync(file, text);
    writeFileSync(join(place(), "n-0000000007.json"), text);
    expect(why()).toEqual(["letter", "foreign"]);
    mkdirSync(place(OTHER), { recursive: true });
    writeFileSync(join(place(OTHER), "n-0000000001.json"), text);
    expect(mailbox.waiting(OTHER)[0]?.kind).toBe("foreign");
    chmodSync(join(folder.path, "approver.key"), 0o600);
    writeFileSync(join(folder.path, "approver.key"), `${"0".repeat(64)}\n`);
    expect(why()).toEqual(["foreign", "foreign"]);
  });

  it("puts aside what is nobody's, whatever it is", () => {
    mkdirSync(join(place(), "a folder"), { recursive: true });
    writeFileSync(join(place(), "cut.json"), '{"letter": "');
    for (const mail of mailbox.waiting(ID)) mailbox.setAside(ID, mail.name);
    expect(mailbox.waiting(ID)).toEqual([]);
    expect(readdirSync(join(folder.path, "shadows", ID, "foreign"))).toHaveLength(2);
  });

  it("says what is wrong with a key that is none", () => {
    writeFileSync(join(folder.path, "approver.key"), "secret\n");
    expect(() => mailbox.drop(ID, letter(1))).toThrow("is not an approver key");
  });
});
