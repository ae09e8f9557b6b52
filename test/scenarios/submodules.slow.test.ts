// A repository with a submodule, in whole runs of the built executable: what builds and checks need of it is
// there, and what a session changes inside is never called done.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { git, gitInit } from "../support/git.ts";
import { type Act, KEPT, Scenario } from "../support/scenario.ts";

let scene: Scenario;
afterEach(() => scene.close());

const MANIFEST = `# Goal

It builds.

# Steps

- [ ] one - Build with the library
  - check: \`cat sub/library.txt && git -C sub log -1 --format=%s && test -f made.txt\`
`;
const made: Act = { act: "write", path: "made.txt", text: "made\n" };
const inside: Act = { act: "write", path: "sub/library.txt", text: "other\n" };

function withSubmodule(): void {
  scene = new Scenario({ manifest: MANIFEST });
  const library = join(scene.path, "library");
  mkdirSync(library);
  gitInit(library);
  writeFileSync(join(library, "library.txt"), "library\n");
  git(library, "add", "-A");
  git(library, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "of the library");
  scene.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "sub");
  scene.git("commit", "-qm", "a submodule");
}

describe.each([["auto"], ["off"]])("a submodule, with isolation %s", (isolation) => {
  it("is there for sessions and checks, and in no commit", async () => {
    withSubmodule();
    const look: Act = { act: "run", command: "cat sub/library.txt && git -C sub status" };
    const result = await scene.play({ one: [look, made] }, "--isolation", isolation);
    expect(scene.judge(result)).toEqual({ ...KEPT, code: 0, status: "Done", done: ["one"] });
    expect(result.out).not.toContain("is a submodule");
    expect(scene.git("diff", "--name-only", "HEAD~1").trim().split("\n")).toEqual([
      "made.txt",
      "prompt.md",
    ]);
    expect(scene.git("status", "--porcelain", "sub")).toBe("");
  });

  it("that a session changed inside fails its attempt with the reason, and the next finds it whole", async () => {
    withSubmodule();
    const restored: Act = {
      act: "run",
      command: "git -C sub checkout -q . && grep -q ^library sub/library.txt",
    };
    const result = await scene.play(
      { one: [[inside, made], [restored, made]] },
      "--isolation",
      isolation,
    );
    expect(scene.judge(result)).toEqual({ ...KEPT, code: 0, status: "Done", done: ["one"] });
    expect(result.out).toContain(
      "session 1 left sub, which is a submodule, and changes inside it are in no commit",
    );
    expect(scene.read("sub/library.txt")).toBe("library\n");
  });
});
