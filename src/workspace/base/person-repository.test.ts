// Refs of the person's repository: what git was asked once is not asked again, and every move is seen.
import { describe, expect, it } from "vitest";
import { Files, ordinary, scenesOfFile } from "../../../test/support/workspace-scene.ts";
import { findPersonRepository, type PersonRepository, readRefs } from "./person-repository.ts";

const MAIN = "refs/heads/main";

const scenes = scenesOfFile();

interface Two {
  readonly person: Files;
  readonly repository: PersonRepository;
  readonly first: string;
  readonly second: string;
}

/** A branch with two commits, and git has told of both. */
async function twoCommits(): Promise<Two> {
  const { person } = scenes.make(ordinary);
  const repository = findPersonRepository(person.root) as PersonRepository;
  const first = await mainOf(repository);
  person.write("more.txt", "more\n");
  person.commitAll();
  const second = await mainOf(repository);
  expect(new Set([first, second, undefined]).size).toBe(3);
  return { person, repository, first: String(first), second: String(second) };
}

async function mainOf(repository: PersonRepository): Promise<string | undefined> {
  return (await readRefs(repository, [MAIN])).get(MAIN)?.commit;
}

/** Every git that is started from here on is one that knows nothing. */
function withoutGit(repository: PersonRepository): PersonRepository {
  const git = {
    ...repository.git,
    run: () => Promise.reject(new Error("git was started")),
  };
  return { ...repository, git };
}

describe("a ref of the person's", () => {
  it("that names a known commit is read without git, with tree and message", async () => {
    const { person, repository, second } = await twoCommits();
    const asked = withoutGit(repository);
    expect((await readRefs(asked, [MAIN])).get(MAIN)).toMatchObject({
      commit: second,
      tree: person.git("rev-parse", "HEAD^{tree}").trim(),
      message: person.git("log", "-1", "--format=%B").replace(/\n$/, ""),
    });
  });

  it("that was moved back, packed, or packed and moved is where it is now", async () => {
    const { person, repository, first, second } = await twoCommits();
    person.git("update-ref", MAIN, first);
    expect(await mainOf(repository)).toBe(first);
    person.git("pack-refs", "--all");
    expect(await mainOf(repository)).toBe(first);
    person.git("update-ref", MAIN, second);
    expect(await mainOf(repository)).toBe(second);
  });

  it("that was removed is not there, and others are", async () => {
    const { person, repository, second } = await twoCommits();
    person.git("branch", "other");
    await readRefs(repository, [MAIN, "refs/heads/other"]);
    person.git("branch", "-D", "other");
    const refs = await readRefs(repository, [MAIN, "refs/heads/other"]);
    expect([...refs].map(([name, { commit }]) => [name, commit])).toEqual([[MAIN, second]]);
  });

  it("that names an unknown commit is asked about", async () => {
    const { person, repository } = await twoCommits();
    person.git("commit", "-q", "--allow-empty", "-m", "third");
    await expect(mainOf(withoutGit(repository))).rejects.toThrow("git was started");
    expect(await mainOf(repository)).toBe(person.git("rev-parse", "HEAD").trim());
  });
});
