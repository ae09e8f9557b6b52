// A person who signs their commits, by the built executable and a key of their own: work that follows their
// branch is signed again, and a signer that fails moves nothing.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { english, german, Scenario, type Script } from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

const SCRIPT: Script = { english: [english], german: [german] };

/** The first task is verified, signed and waits; then the person commits. */
async function movedOn(prepare: (s: Scenario) => void): Promise<Scenario> {
  const s = new Scenario();
  scenes.push(s);
  s.git("config", "commit.gpgsign", "true");
  prepare(s);
  s.write("hello.txt", "in the way\n");
  const { out } = await s.play(SCRIPT, "--sessions", "1");
  expect(out).toContain("the work waits on stint/prompt");
  rmSync(join(s.root, "hello.txt"));
  s.write("one.txt", "another one\n");
  s.git("commit", "-q", "--no-gpg-sign", "-m", "mine", "--", "one.txt");
  return s;
}

const hasKeys = spawnSync("ssh-keygen", ["-?"]).error === undefined;

describe.skipIf(!hasKeys)("with an ssh key", () => {
  function makeKey(s: Scenario): void {
    const key = join(s.path, "key");
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
    const allowed = join(s.path, "allowed");
    const { stdout } = spawnSync("ssh-keygen", ["-y", "-f", key], { encoding: "utf8" });
    writeFileSync(allowed, `ada@example.com ${stdout}`);
    s.git("config", "gpg.format", "ssh");
    s.git("config", "user.signingkey", key);
    s.git("config", "gpg.ssh.allowedSignersFile", allowed);
  }

  it("every commit that reaches the branch has a good signature of the person's", async () => {
    const s = await movedOn(makeKey);
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    expect(result.out).toContain("main moved: 1 commit of verified work replayed on");
    expect(s.git("log", "-3", "--format=%G? %s", "main").trim().split("\n")).toEqual([
      "G german: Write hallo.txt",
      "G english: Write hello.txt",
      "N mine",
    ]);
  });
});

describe("with a signer that fails", () => {
  const WHY = "the replayed work could not be signed: gpg failed to sign the data";
  const HINT =
    "Make signing work without a prompt (gpg-agent, ssh-agent), or: git config commit.gpgsign false";

  /** With `broken` it signs nothing, with `tired` only what a run tries at its start. */
  function signer(s: Scenario): void {
    const text = `#!/bin/sh
signed=$(cat)
test -e "${s.path}/broken" && exit 2
case $signed in *"Whether git can commit"*) ;; *) test -e "${s.path}/tired" && exit 2 ;; esac
printf '\\n[GNUPG:] SIG_CREATED \\n' >&2
echo "$signed" | sha256sum
`;
    s.git("config", "gpg.program", s.program("signer", text));
  }

  it("a run says so before its first session, and the same command works once signing does", async () => {
    const s = new Scenario();
    scenes.push(s);
    s.git("config", "commit.gpgsign", "true");
    signer(s);
    writeFileSync(join(s.path, "broken"), "");
    const refused = await s.play(SCRIPT);
    expect(refused.code).toBe(2);
    expect(refused.err).toBe(
      "stint: verified work could not be committed: The commit could not be signed: gpg failed to sign the data\n" +
        `  ${HINT}\n  Then run the same command again.\n`,
    );
    expect(refused.state.counters.sessions).toBe(0);
    rmSync(join(s.path, "broken"));
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
  });

  it("stint deliver says why, moves nothing, and brings it in once signing works", async () => {
    const s = await movedOn(signer);
    writeFileSync(join(s.path, "broken"), "");
    const before = [s.git("for-each-ref"), s.git("status", "--porcelain")];
    const said = await s.say("deliver");
    expect(said.code).toBe(3);
    expect(said.out).toContain(WHY);
    expect(said.out).toContain(`Next: ${HINT}`);
    expect([s.git("for-each-ref"), s.git("status", "--porcelain")]).toEqual(before);
    expect((await s.say("status")).out).toContain(WHY);
    rmSync(join(s.path, "broken"));
    expect((await s.say("deliver")).code).toBe(0);
    expect(s.git("cat-file", "commit", "main")).toContain("\ngpgsig ");
    expect(s.read("hello.txt")).toBe("Hello\n");
  });

  it("a run says why and stops at the next commit; the next one finishes", async () => {
    const s = await movedOn(signer);
    writeFileSync(join(s.path, "tired"), "");
    const before = s.git("for-each-ref", "refs/heads");
    const stopped = await s.play(SCRIPT);
    expect(stopped.code).toBe(4);
    expect(stopped.out).toContain(`the work waits on stint/prompt: ${WHY}`);
    expect(stopped.state.blockers[0]?.reason).toContain("could not be signed");
    expect(s.git("for-each-ref", "refs/heads")).toBe(before);
    expect([s.exists("hello.txt"), s.read("one.txt")]).toEqual([false, "another one\n"]);
    rmSync(join(s.path, "tired"));
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    const signed = s.git("log", "-2", "--format=%H", "main").trim().split("\n");
    for (const commit of signed) {
      expect(s.git("cat-file", "commit", commit)).toContain("\ngpgsig ");
    }
    expect(s.git("log", "-3", "--format=%s", "main").trim().split("\n")).toEqual([
      "german: Write hallo.txt",
      "english: Write hello.txt",
      "mine",
    ]);
  });
});

describe("where git does not know who commits", () => {
  it("a run says so before its first session", async () => {
    const s = new Scenario();
    scenes.push(s);
    s.git("config", "user.useConfigOnly", "true");
    s.git("config", "user.name", "");
    s.git("config", "user.email", "");
    const refused = await s.play(SCRIPT);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("could not be committed: Git does not know who you are\n");
    expect(refused.err).toContain('git config user.name "Your Name"');
    expect(refused.state.counters.sessions).toBe(0);
  });
});
