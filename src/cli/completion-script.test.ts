import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { completionScript, SHELLS } from "./completion-script.ts";
import { VERBS } from "./verbs.ts";

let folder: TemporaryFolder;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Completes a command line in a real bash, with a `stint` that knows two projects. */
function completeInBash(...words: string[]): string[] {
  const script = join(folder.path, "stint.bash");
  const stint = join(folder.path, "stint");
  writeFileSync(script, completionScript("bash", VERBS));
  writeFileSync(stint, '#!/bin/sh\n[ "$1 $2" = "list --ids" ] && printf "p-one\\np-two\\n"\n');
  chmodSync(stint, 0o755);
  writeFileSync(join(folder.path, "my manifest.md"), "");
  writeFileSync(join(folder.path, "plan.md"), "");
  const program = `source "${script}"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stint
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["--norc", "-c", program, "bash", "stint", ...words], {
    encoding: "utf8",
    cwd: folder.path,
    env: { ...process.env, PATH: `${folder.path}:${process.env["PATH"]}` },
  });
  return out.split("\n").filter((line) => line !== "");
}

describe("the bash completion", () => {
  it("completes the manifest of a run, the project of the verbs that take one, nothing for a demo", () => {
    expect(completeInBash("run", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("verify", "p")).toEqual(["p-one", "p-two"]);
    expect(completeInBash("resume", "p")).toEqual(["p-one", "p-two"]);
    expect(completeInBash("demo", "b")).toEqual([]);
  });

  it("is right bash", () => {
    const { status, stderr } = spawnSync("bash", ["-n"], {
      input: completionScript("bash", VERBS),
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("completes verbs", () => {
    expect(completeInBash("st")).toEqual(["status", "stop"]);
    expect(completeInBash("")).toEqual([
      ...VERBS.map(({ name }) => name),
      "help",
      "--help",
      "--version",
    ]);
    expect(completeInBash("help", "do")).toEqual(["doctor"]);
  });

  it("completes the flags of a verb", () => {
    expect(completeInBash("status", "--")).toEqual(["--all", "--exit-code", "--json", "--help"]);
    expect(completeInBash("new", "--a")).toEqual(["--as"]);
    expect(completeInBash("demo", "--k")).toEqual(["--keep"]);
    expect(completeInBash("run", "--se")).toEqual(["--session", "--sessions"]);
  });

  it("completes projects by asking for them", () => {
    expect(completeInBash("status", "p-")).toEqual(["p-one", "p-two"]);
    expect(completeInBash("doctor", "--repair", "p-t")).toEqual(["p-two"]);
  });

  it("completes files, those with spaces as one word", () => {
    expect(completeInBash("lint", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("new", "my")).toEqual(["my manifest.md"]);
  });

  it("completes the names of the shells", () => {
    expect(completeInBash("completion", "f")).toEqual(["fish"]);
  });
});

describe("every completion script", () => {
  it.each(SHELLS)("for %s names every verb and flag", (shell) => {
    const script = completionScript(shell, VERBS);
    for (const verb of VERBS) {
      expect(script).toContain(verb.name);
      for (const { flags } of verb.options ?? []) {
        const name = /--([a-z-]+)/.exec(flags)?.[1] ?? "";
        expect(script).toContain(name);
      }
    }
  });

  it.each(["zsh", "fish"] as const)("for %s is right where that shell is installed", (shell) => {
    const { status, error } = spawnSync(shell, ["-n"], {
      input: completionScript(shell, VERBS),
    });
    const verdict = error === undefined ? status : (error as NodeJS.ErrnoException).code;
    expect([0, "ENOENT", "EACCES"]).toContain(verdict);
  });

  it.each(["zsh", "fish"] as const)("for %s leaves no quote open", (shell) => {
    const lines = completionScript(shell, VERBS).split("\n");
    expect(lines.filter((line) => (line.match(/'/g) ?? []).length % 2 === 1)).toEqual([]);
  });
});
