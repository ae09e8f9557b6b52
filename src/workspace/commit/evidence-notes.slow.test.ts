// Evidence as notes in the person's repository: git reads them, others' stay, and no commit waits for them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Files,
  ordinary,
  request,
  type Scene,
  scenesOfFile,
  treeOf,
} from "../../../test/support/workspace-scene.ts";
import { PAYLOAD_TYPE, signedBytes } from "../../core/evidence/note-lines.ts";
import { checkSignature } from "../../git/check-signature.ts";
import type { WorkspaceOptions } from "../open-workspace.ts";

const scenes = scenesOfFile();

const says = (text: string) => ({ evidence: () => JSON.stringify({ text }) });

async function started(
  prepare: (person: Files) => void = () => {},
  more: Partial<WorkspaceOptions> = {},
): Promise<Scene> {
  const scene = scenes.make((person) => {
    ordinary(person);
    prepare(person);
  }, more);
  await scene.workspace.open();
  await scene.workspace.tip();
  return scene;
}

let made = 0;

/** One task more. @returns its commit */
async function commit({ workspace, files }: Scene, more: object = {}): Promise<string> {
  const number = ++made;
  const { tree } = await workspace.tip();
  files.write("a.txt", `a${number}\n`);
  const captured = treeOf(await workspace.capture());
  await workspace.changes(tree, captured);
  const outcome = await workspace.commit(request(captured, `t${number}`, more));
  if (outcome.kind !== "committed") throw new Error(outcome.kind);
  return outcome.commit;
}

/** What git shows of a note, as the lines say it. */
function shown(person: Files, on: string): unknown[] {
  const lines = person.git("notes", "--ref=stint", "show", on).trim().split("\n");
  return lines.map((line) => {
    if (!line.startsWith("{")) return line;
    const { payload } = JSON.parse(line) as { payload: string };
    return JSON.parse(Buffer.from(payload, "base64").toString("utf8")) as unknown;
  });
}

describe("a note", () => {
  it("comes with its commit, and git reads it", async () => {
    const scene = await started();
    const { person, workspace } = scene;
    const one = await commit(scene, says("one"));
    const two = await commit(scene, says("two"));
    expect([shown(person, one), shown(person, two)]).toEqual([
      [{ text: "one" }],
      [{ text: "two" }],
    ]);
    expect(person.git("log", "--format=%an %s", "refs/notes/stint").trim().split("\n")).toEqual([
      `Person Evidence of ${two.slice(0, 10)}`,
      `Person Evidence of ${one.slice(0, 10)}`,
    ]);
    expect(() => person.git("fsck", "--strict", "--full")).not.toThrow();
    expect([...(await workspace.notes([one, two])).keys()]).toEqual([one, two]);
  });

  it("is of the very commit and tree that were made", async () => {
    const scene = await started();
    const one = await commit(scene, { evidence: (subject: object) => JSON.stringify(subject) });
    const tree = scene.person.id(`${one}^{tree}`);
    expect(shown(scene.person, one)).toEqual([{ commit: one, tree }]);
  });

  it.each(["own-copy", "in-place"] as const)(
    "can be put on a commit later, line by line (%s)",
    async (kind) => {
      const scene = await started(() => {}, { kind });
      const one = await commit(scene);
      await scene.workspace.note([{ commit: one, payload: '{"text":"first"}' }]);
      await scene.workspace.note([{ commit: one, payload: '{"text":"second"}' }]);
      expect(shown(scene.person, one)).toEqual([{ text: "first" }, { text: "second" }]);
      expect(await scene.workspace.treesOf([one])).toEqual(
        new Map([[one, scene.person.id(`${one}^{tree}`)]]),
      );
    },
  );

  it("leaves what others wrote: in the same note, on other commits, in any depth, packed or not", async () => {
    const scene = await started();
    const { person, workspace } = scene;
    const start = person.id("HEAD");
    person.git("notes", "--ref=stint", "add", "-m", "of a person", start);
    const one = await commit(scene, says("one"));
    person.git("notes", "--ref=stint", "append", "-m", "somebody's words", one);
    person.git("gc", "-q");
    await workspace.note([{ commit: one, payload: '{"text":"more"}' }]);
    expect(person.git("notes", "--ref=stint", "show", start)).toBe("of a person\n");
    expect(shown(person, one)).toEqual([{ text: "one" }, "", "somebody's words", { text: "more" }]);
    // Another process, which knows nothing of it.
    const again = scene.reopen();
    await again.open();
    expect([...(await again.notes([start, one])).keys()]).toEqual([start, one]);
    expect(() => person.git("fsck", "--strict", "--full")).not.toThrow();
  });

  it("of many commits is read and written at once, as deep as git filed them", async () => {
    const scene = await started();
    const { person, workspace } = scene;
    const ids = [person.id("HEAD")];
    for (let n = 0; n < 11; n += 1) {
      ids.push(person.git("commit-tree", "-m", String(n), "HEAD^{tree}").trim());
    }
    await workspace.note(ids.map((id) => ({ commit: id, payload: JSON.stringify({ id }) })));
    expect((await workspace.notes(ids)).size).toBe(12);
    expect(ids.map((id) => shown(person, id))).toEqual(ids.map((id) => [{ id }]));
  });

  it("is hidden from sessions like all of Stint's refs", async () => {
    const scene = await started();
    await commit(scene, says("one"));
    await scene.workspace.tip();
    await scene.workspace.freshGit({ branch: "stint/work", canPush: false });
    expect(scene.files.git("for-each-ref", "refs/notes")).toBe("");
  });

  it("keeps no commit waiting: a lock at its ref is somebody else's, and the note follows", async () => {
    const scene = await started();
    const { person, workspace } = scene;
    await commit(scene, says("one"));
    person.write(".git/refs/notes/stint.lock", "");
    const two = await commit(scene, says("two"));
    expect(person.id("stint/work")).toBe(two);
    expect(await workspace.notes([two])).toEqual(new Map());
    await expect(workspace.note([{ commit: two, payload: "{}" }])).rejects.toThrow("stint.lock");
    person.remove(".git/refs/notes/stint.lock");
    await workspace.note([{ commit: two, payload: '{"text":"two"}' }]);
    expect(shown(person, two)).toEqual([{ text: "two" }]);
  });

  it("goes nowhere without git", async () => {
    const scene = scenes.make((person) => person.write("a.txt", "a0\n"), { kind: "in-place" });
    await scene.workspace.open();
    expect(await scene.workspace.note([{ commit: "none", payload: "{}" }])).toEqual([]);
    expect(await scene.workspace.notes(["none"])).toEqual(new Map());
  });
});

/** The one line on a commit: what was signed, and with what. */
function signedLine(person: Files, on: string): { message: Uint8Array; signatures: Buffer[] } {
  const note = person.git("notes", "--ref=stint", "show", on);
  const { payloadType, payload, signatures } = JSON.parse(note) as {
    payloadType: string;
    payload: string;
    signatures: { sig: string }[];
  };
  expect(payloadType).toBe(PAYLOAD_TYPE);
  return {
    message: signedBytes(Buffer.from(payload, "base64")),
    signatures: signatures.map(({ sig }) => Buffer.from(sig, "base64")),
  };
}

const hasKeys = spawnSync("ssh-keygen", ["-?"]).error === undefined;

describe.skipIf(!hasKeys)("a person's ssh key", () => {
  function makeKey(person: Files): void {
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", person.path("../key")];
    spawnSync("ssh-keygen", args);
    const key = readFileSync(person.path("../key.pub"), "utf8");
    person.write("../allowed", `ada@example.com ${key}`);
    person.write("../for-git", `ada@example.com namespaces="git" ${key}`);
    person.git("config", "gpg.format", "ssh");
    person.git("config", "user.signingkey", person.path("../key.pub"));
  }

  const vouching = (person: Files, signers: string | null) => ({
    signers: signers === null ? null : person.path(signers),
    sshKeygen: "ssh-keygen",
    gpg: "gpg",
    cwd: person.root,
  });

  it("signs it, also where they do not sign commits, for this purpose and no other", async () => {
    const scene = await started(makeKey);
    const { person } = scene;
    const { message, signatures } = signedLine(person, await commit(scene, says("one")));
    const sig = signatures[0] ?? Buffer.alloc(0);
    const key: unknown = expect.stringMatching(/^SHA256:/);
    const check = async (about: Uint8Array, signers: string | null) =>
      await checkSignature(about, sig, vouching(person, signers));
    expect(await check(message, "../allowed")).toEqual({
      kind: "good",
      by: "ada@example.com",
      key,
    });
    expect(await check(message, null)).toMatchObject({ kind: "unknown-key", key });
    // A key that is allowed to sign commits alone.
    expect(await check(message, "../for-git")).toMatchObject({ kind: "unknown-key", key });
    expect(await check(Buffer.from("something else"), "../allowed")).toMatchObject({ kind: "bad" });
    const asCommit = ["-Y", "check-novalidate", "-n", "git", "-s", person.path("../sig")];
    const armour = sig.toString("base64").match(/.{1,70}/g) ?? [];
    const lines = ["-----BEGIN SSH SIGNATURE-----", ...armour, "-----END SSH SIGNATURE-----", ""];
    person.write("../sig", lines.join("\n"));
    expect(spawnSync("ssh-keygen", asCommit, { input: message }).status).not.toBe(0);
  });

  it("is not waited for where no temporary folder can be made", async () => {
    const scene = await started(makeKey);
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = "/nowhere";
    try {
      const one = await commit(scene, says("one"));
      expect(signedLine(scene.person, one).signatures).toEqual([]);
      expect(await scene.workspace.note([])).toEqual([expect.stringContaining("/nowhere")]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });

  it("is known by a person who names it in the settings itself, through their agent alone", async () => {
    const scene = await started((person) => {
      makeKey(person);
      person.git("config", "user.signingkey", `key::${person.read("../key.pub").trim()}`);
    });
    const one = await commit(scene, says("one"));
    // No agent has it here.
    expect(signedLine(scene.person, one).signatures).toEqual([]);
    expect(await scene.workspace.note([])).toEqual([expect.stringContaining("is not signed")]);
  });
});

describe("a signer that fails or asks", () => {
  it("leaves the note unsigned, says so once, and is not asked again", async () => {
    const scene = await started((person) => {
      person.program(
        "../signer",
        `echo x >> "${person.path("../calls")}"; echo 'no secret key' >&2; exit 2`,
      );
      person.git("config", "gpg.program", person.path("../signer"));
      person.git("config", "user.signingkey", "ada@example.com");
    });
    const { person, workspace } = scene;
    const one = await commit(scene, says("one"));
    const told = await workspace.note([]);
    expect(told).toEqual([
      "evidence is not signed: no secret key. To sign it, make signing work without a prompt (gpg-agent, ssh-agent)",
    ]);
    const two = await commit(scene, says("two"));
    expect(await workspace.note([])).toEqual([]);
    expect([one, two].map((id) => signedLine(person, id).signatures)).toEqual([[], []]);
    expect(person.read("../calls")).toBe("x\n");
  });
});

const hasGpg = spawnSync("gpg", ["--version"]).status === 0;

describe.skipIf(!hasGpg)("a person's OpenPGP key", () => {
  it("signs it, and whoever lacks the key is told so", async () => {
    const home = join(scenes.path, "g");
    const empty = join(scenes.path, "e");
    for (const each of [home, empty]) spawnSync("mkdir", ["-m", "700", each]);
    const gpg = (...args: string[]) =>
      spawnSync("gpg", ["--homedir", home, "--batch", "--quiet", ...args], { encoding: "utf8" });
    gpg("--passphrase", "", "--quick-generate-key", "Ada <ada@example.com>", "ed25519", "sign");
    try {
      const scene = await started((person) => {
        person.program("../gpg", `exec gpg --homedir ${home} "$@"`);
        person.program("../other-gpg", `exec gpg --homedir ${empty} "$@"`);
        person.git("config", "gpg.program", person.path("../gpg"));
        person.git("config", "user.signingkey", "ada@example.com");
      });
      const { person } = scene;
      const { message, signatures } = signedLine(person, await commit(scene, says("one")));
      const check = async (about: Uint8Array, program: string) =>
        await checkSignature(about, signatures[0] ?? Buffer.alloc(0), {
          signers: null,
          sshKeygen: "ssh-keygen",
          gpg: person.path(program),
          cwd: person.root,
        });
      expect(await check(message, "../gpg")).toMatchObject({
        kind: "good",
        by: "Ada <ada@example.com>",
      });
      expect(await check(Buffer.from("other"), "../gpg")).toMatchObject({ kind: "bad" });
      expect(await check(message, "../other-gpg")).toMatchObject({ kind: "unknown-key" });
    } finally {
      for (const each of [home, empty]) spawnSync("gpgconf", ["--homedir", each, "--kill", "all"]);
    }
  });
});
