import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { required } from "../../test/support/project-fixture.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { completionScript, SHELLS } from "./completion.ts";
import { VERBS } from "./verbs.ts";

let folder: TemporaryFolder;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Completes a command line in a real bash, with a `stint` that offers two projects wherever it is asked. */
function completeInBash(...words: string[]): string[] {
  const script = join(folder.path, "stint.bash");
  const stint = join(folder.path, "stint");
  writeFileSync(script, completionScript("bash", VERBS));
  writeFileSync(
    stint,
    '#!/bin/sh\n[ "$1 $2 $3" = "completion offer --" ] && printf "p-one\\tOne\\np-two\\tTwo\\n"\n',
  );
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

const powerShell = spawnSync("pwsh", ["-NoProfile", "-Command", "exit 0"], { encoding: "utf8" });
const whyNoPowerShell = powerShell.error?.message;

function completeInPowerShell(line: string): string[] {
  const program = `function stint { 'p-one'; 'p-two' }
${completionScript("powershell", VERBS)}
[System.Management.Automation.CommandCompletion]::CompleteInput('${line}', ${line.length}, $null).CompletionMatches |
  ForEach-Object { $_.CompletionText }`;
  const out = execFileSync("pwsh", ["-NoProfile", "-Command", program], { encoding: "utf8" });
  return out.split(/\r?\n/).filter((each) => each !== "");
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
    expect(completeInBash("help", "do")).toEqual(["done", "doctor"]);
  });

  it("completes the flags of a verb", () => {
    expect(completeInBash("status", "--")).toEqual([
      "--all",
      "--verbose",
      "--exit-code",
      "--json",
      "--help",
    ]);
    expect(completeInBash("new", "--a")).toEqual(["--as"]);
    expect(completeInBash("demo", "--k")).toEqual(["--keep"]);
    expect(completeInBash("run", "--se")).toEqual(["--session", "--sessions"]);
  });

  it("completes projects by asking for them", () => {
    expect(completeInBash("status", "p-")).toEqual(["p-one", "p-two"]);
    expect(completeInBash("doctor", "--repair", "p-t")).toEqual(["p-two"]);
  });

  it("completes what is asked for beside files, and the agents of an option", () => {
    expect(completeInBash("run", "p")).toEqual(["plan.md", "p-one", "p-two"]);
    expect(completeInBash("approve", "p-")).toEqual(["p-one", "p-two"]);
    expect(completeInBash("edit", "--split", "p-t")).toEqual(["p-two"]);
    expect(completeInBash("run", "--agent", "c")).toEqual(["claude", "codex", "copilot", "cline"]);
    expect(completeInBash("run", "plan.md", "--fallback", "g")).toEqual(["gemini"]);
  });

  it("completes files, those with spaces as one word", () => {
    expect(completeInBash("lint", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("new", "my")).toEqual(["my manifest.md"]);
  });

  it("completes the value of an option: a file, a project, or nothing for a text", () => {
    expect(completeInBash("edit", "--file", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("propose", "--file", "my")).toEqual(["my manifest.md"]);
    expect(completeInBash("verify", "--signers", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("note", "--project", "p-t")).toEqual(["p-two"]);
    expect(completeInBash("done", "--project", "p-o")).toEqual(["p-one"]);
    expect(completeInBash("skip", "--reason", "p")).toEqual([]);
    // Here it takes no value.
    expect(completeInBash("skills", "install", "--project", "--u")).toEqual(["--user"]);
  });

  it("completes a command after --, then files, and nothing of stint", () => {
    expect(completeInBash("shell", "t1", "--", "printf")).toContain("printf");
    expect(completeInBash("shell", "t1", "--", "p-")).toEqual([]);
    expect(completeInBash("shell", "t1", "--", "cat", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("shell", "t1", "--", "cat", "--js")).toEqual([]);
  });

  it("completes what can be done with skills, and the folder of one", () => {
    expect(completeInBash("skills", "in")).toEqual(["install"]);
    expect(completeInBash("skills", "check", "pl")).toEqual(["plan.md"]);
    expect(completeInBash("skills", "--")).toEqual(
      "--agent --as --project --user --json --help".split(" "),
    );
    expect(completeInBash("watchdog", "ti")).toEqual(["tick"]);
  });

  it("completes the names of the shells", () => {
    expect(completeInBash("completion", "f")).toEqual(["fish"]);
    expect(VERBS.find(({ name }) => name === "completion")?.words).toEqual(SHELLS);
    expect(completeInBash("iterate", "f")).toEqual([]);
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

  it.each(["zsh", "fish", "powershell"] as const)("for %s leaves no quote open", (shell) => {
    const quote = shell === "powershell" ? /['\u2018-\u201b]/g : /'/g;
    const lines = completionScript(shell, VERBS).split("\n");
    expect(lines.filter((line) => (line.match(quote) ?? []).length % 2 === 1)).toEqual([]);
  });
});

describe("the value of an option", () => {
  it.each([
    ["zsh", "--signers[", ":file:_files'"],
    ["zsh", "--project[without", ":project:_stint_ask'"],
    ["fish", "-l signers ", " -r -F"],
    ["fish", "-l project -d 'without", " -x -a '(__stint_ask)'"],
  ] as const)("is offered in %s: %s", (shell, option, action) => {
    const script = completionScript(shell, VERBS);
    const after = script.slice(script.indexOf(option));
    expect(script).toContain(option);
    expect(after.slice(0, after.indexOf(action))).not.toContain("\n");
    expect(after).toContain(action);
  });
});

describe("the PowerShell completion", () => {
  const script = completionScript("powershell", VERBS);

  it("closes every brace it opens, outside of quotes", () => {
    const code = script.replaceAll(/'[^']*'/g, "");
    expect(code.match(/\{/g)).toHaveLength((code.match(/\}/g) ?? []).length);
  });

  it("doubles every character that PowerShell takes for a quote", () => {
    const nasty = { ...required(VERBS[0]), name: "it", summary: "it's ‘one’ $(verb)" };
    expect(completionScript("powershell", [nasty])).toContain("'it''s ‘‘one’’ $(verb)'");
  });

  it("offers ids where a project is meant, shells to completion, and leaves files to PowerShell", () => {
    const offered = (verb: string): string =>
      required(new RegExp(`^    '${verb}' \\{\n([^]*?)\n      if `, "m").exec(script)?.[1]).trim();
    expect(offered("status")).toBe("& $ask");
    expect(script).toContain("stint completion offer '--' @words 2>$null | ForEach-Object {");
    expect(offered("completion")).toBe(
      SHELLS.map((name) => `& $offer '${name}' '${name}'`).join("\n      "),
    );
    expect(script).toContain("'lint' {\n      if ($word -like '-*') {");
  });

  it.skipIf(whyNoPowerShell !== undefined)(
    `completes in a real PowerShell${whyNoPowerShell === undefined ? "" : ` (there is none: ${whyNoPowerShell})`}`,
    () => {
      expect(completeInPowerShell("stint st")).toEqual(["status", "stop"]);
      expect(completeInPowerShell("stint run --se")).toEqual(["--session", "--sessions"]);
      expect(completeInPowerShell("stint status p")).toEqual(["p-one", "p-two"]);
      expect(completeInPowerShell("stint completion f")).toEqual(["fish"]);
      expect(completeInPowerShell("stint run --agent cod")).toEqual(["codex"]);
    },
  );
});
