import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { objectId } from "../../git/object-id.ts";
import { findPersonRepository, type PersonRepository } from "../base/person-repository.ts";
import type { GitObject } from "../tree/git-objects.ts";
import { READABLE_INDEX, storeObjectsIn, storePackIn } from "./unpack.ts";

const folder = temporaryFolder();
const path = process.env["PATH"] ?? "";
let count = 0;

afterEach(() => {
  process.env["PATH"] = path;
});
afterAll(() => folder.remove());

function git(repository: string, ...args: string[]): string {
  return execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" }).trim();
}

function repository(format: string): PersonRepository {
  count += 1;
  const root = join(folder.path, `repo-${count}`);
  mkdirSync(root);
  git(root, "init", "-q", `--object-format=${format}`);
  const found = findPersonRepository(root);
  if (found === null) throw new Error("there is no repository");
  return found;
}

const OBJECTS: readonly GitObject[] = ["one\n", "two\n", "three\n"].map((text) => ({
  kind: "blob",
  content: Buffer.from(text),
}));

/** A git that unpacks, loses this object and says that all went well. */
function loseOn(person: PersonRepository, id: string): void {
  const programs = join(folder.path, `programs-${count}`);
  mkdirSync(programs);
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const lost = join(person.objects[0] ?? "", id.slice(0, 2), id.slice(2));
  const script = `#!/bin/sh\n"${real}" "$@" || exit\ncase "$*" in *unpack-objects*) rm -f "${lost}" ;; esac\n`;
  writeFileSync(join(programs, "git"), script);
  chmodSync(join(programs, "git"), 0o755);
  process.env["PATH"] = `${programs}:${path}`;
}

/** As `git pack-objects` leaves them. */
function packIn(person: PersonRepository, ids: readonly string[]): string {
  const other = repository(person.idLength() === 64 ? "sha256" : "sha1");
  const base = join(other.checkout, "pack");
  for (const { content } of OBJECTS) {
    const args = ["-C", other.checkout, "hash-object", "-w", "--stdin"];
    execFileSync("git", args, { input: content });
  }
  const input = ids.map((id) => `${id}\n`).join("");
  const args = ["-C", other.checkout, ...READABLE_INDEX, "pack-objects", "-q", base];
  return `${base}-${execFileSync("git", args, { input, encoding: "utf8" }).trim()}`;
}

describe.each(["sha1", "sha256"])("objects that are stored with %s", (format) => {
  const setUp = () => {
    const person = repository(format);
    const ids = OBJECTS.map(({ kind, content }) => objectId(kind, content, person.idLength()));
    return { person, ids };
  };

  it("are all there, in both ways, and also where they were before", async () => {
    const { person, ids } = setUp();
    await storeObjectsIn(person, OBJECTS);
    // In a pack of the person's, they are not unpacked.
    const input = ids.map((id) => `${id}\n`).join("");
    const pack = join(person.objects[0] ?? "", "pack/pack");
    execFileSync("git", ["-C", person.checkout, "pack-objects", "-q", pack], { input });
    git(person.checkout, "prune-packed");
    await storeObjectsIn(person, OBJECTS);
    await storePackIn(person, packIn(person, ids));
    expect(git(person.checkout, "count-objects")).toMatch(/^0 objects/);
  });

  it.each([0, 1, 2])("and number %s that git loses without a word is a failure", async (index) => {
    const { person, ids } = setUp();
    const pack = packIn(person, ids);
    loseOn(person, ids[index] ?? "");
    const lost = { message: expect.stringContaining("it lost 1 of 3 objects without a word") };
    await expect(storeObjectsIn(person, OBJECTS)).rejects.toMatchObject(lost);
    await expect(storePackIn(person, pack)).rejects.toMatchObject(lost);
  });
});
