// `stint skills` killed before every call that changes a file: at no moment is there half a skill that an agent could
// read, the next call completes it, nothing is taken for a person's edit, and `remove` leaves no trace. Only a kill
// before the record is there, when nothing but folders is, may leave these, empty.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sha256Of } from "../../src/store/digest.ts";
import { STINT } from "../support/built-stint.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const SKILL = ".claude/skills/stint";
const RECORD = `${SKILL}/.stint-skill.json`;
/** What is between them shows in no name. */
const CHANGING = "^(?:renameSync|unlinkSync|mkdirSync|rmdirSync) ";
const folder = temporaryFolder();
const root = join(folder.path, "tree");
const older = join(folder.path, "older");
const countFile = join(folder.path, "count");

afterAll(() => folder.remove());

beforeAll(() => {
  begin();
  call("install");
  // As an earlier Stint would have left it: other texts, and one that is no more.
  const record = JSON.parse(readFileSync(join(root, RECORD), "utf8")) as {
    files: Record<string, string>;
  };
  for (const name of [...Object.keys(record.files), "references/gone.md"]) {
    const text = `earlier ${name}\n`;
    writeFileSync(join(root, SKILL, name), text);
    record.files[name] = sha256Of(text);
  }
  writeFileSync(join(root, RECORD), JSON.stringify(record));
  cpSync(root, older, { recursive: true });
});

function begin(from?: string): void {
  rmSync(root, { recursive: true, force: true });
  if (from === undefined) mkdirSync(root);
  else cpSync(from, root, { recursive: true });
}

function call(act: string, kill: Record<string, string> = {}) {
  const node = Object.keys(kill).length === 0 ? [] : ["--import", PRELOAD];
  const words = [...node, STINT, "skills", act, "--agent", "claude", "--json"];
  const { signal, status, stdout } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, HOME: folder.path, KILL_UNDER: root, KILL_ONLY: CHANGING, ...kill },
  });
  return { signal, status, out: stdout };
}

/** The calls that change files, in their order. */
function callsOf(act: string): string[] {
  rmSync(countFile, { force: true });
  expect(call(act, { KILL_COUNT: countFile })).toMatchObject({ status: 0 });
  return readFileSync(countFile, "utf8").split("\n").slice(0, -1);
}

function contentOf(base: string): Record<string, string> {
  const names = readdirSync(base, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:md|json)$/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(base, name), "utf8")]));
}

/** Every text that the main file leads to is there, of the same age. */
function isWhole(): boolean {
  const main = join(root, SKILL, "SKILL.md");
  if (!existsSync(main)) return true;
  const isOld = readFileSync(main, "utf8").startsWith("earlier");
  const shipped = readdirSync(join(REPOSITORY, "skills/stint/references"));
  return isOld || shipped.every((name) => existsSync(join(root, SKILL, "references", name)));
}

it.each([
  ["install", "the first", undefined],
  ["install", "of a later version", older],
  ["remove", "", older],
])(
  "stint skills %s, %s, killed before any of its calls is completed by the next",
  (act, _, from) => {
    begin(from);
    const calls = callsOf(act);
    expect(calls.length).toBeGreaterThan(8);
    const recorded = calls.findIndex(
      (each) => each.startsWith("renameSync") && each.endsWith(RECORD),
    );
    begin();
    call("install");
    const whole = contentOf(root);
    const failures: string[] = [];
    for (const [index, before] of calls.entries()) {
      begin(from);
      const killed = call(act, { KILL_AT: String(index + 1) });
      const found = [
        ...(killed.signal === "SIGKILL" ? [] : ["nobody killed it"]),
        ...(isWhole() ? [] : ["half a skill is there"]),
      ];
      cpSync(root, join(folder.path, "killed"), { recursive: true });
      const { status, out } = call("install");
      if (status !== 0) found.push(`install: exit ${status} ${out}`);
      // Which folders were made is not known before the record is there, and after it is gone.
      const isKnown = act === "install" && (from !== undefined || index > recorded);
      const wanted = isKnown ? whole : { ...whole, [RECORD]: expect.any(String) as string };
      try {
        expect(contentOf(root)).toEqual(wanted);
      } catch (error) {
        found.push(`it is not as it should be: ${String(error)}`);
      }
      begin(join(folder.path, "killed"));
      rmSync(join(folder.path, "killed"), { recursive: true });
      if (call("remove").status !== 0) found.push("it cannot be removed");
      const left = readdirSync(root, { recursive: true, encoding: "utf8" });
      const files = left.filter((name) => /\.(?:md|json)$|tmp/.test(name));
      if (files.length > 0 || (isKnown && left.length > 0)) {
        found.push(`left: ${left.join(", ")}`);
      }
      if (found.length > 0) failures.push(`before ${before}: ${found.join("; ")}`);
    }
    expect(failures).toEqual([]);
  },
);
