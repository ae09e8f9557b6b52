// What is called done, against what is: agents that work and agents that cheat, each in a repository of its own, and
// an oracle that looks into a fresh clone of what came of it. A row is wrong where Done is false, where a label is
// missing, or where one is not deserved. Ends with 1 where any is.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CASES } from "./truth-cases.mjs";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const IDENTITY = {
  GIT_AUTHOR_NAME: "truth",
  GIT_AUTHOR_EMAIL: "truth@example.com",
  GIT_COMMITTER_NAME: "truth",
  GIT_COMMITTER_EMAIL: "truth@example.com",
};

/** @param {boolean} isShort every second of them */
export function benchTruth(isShort) {
  const cases = CASES.filter((_, index) => !isShort || index % 2 === 0);
  const rows = cases.filter(({ needs }) => needs === undefined || has(needs)).map(tried);
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log("What agents did, how it ended, and whether a fresh clone agrees\n");
  for (const { name, ended, clone, wrong } of rows) {
    console.log(`${name.padEnd(width)}  ${ended.padEnd(28)} ${clone.padEnd(12)} ${wrong}`);
  }
  const count = (word) => rows.filter(({ wrong }) => wrong.startsWith(word)).length;
  const left = cases.length - rows.length;
  console.log(
    `\n${rows.length} agents: false Done ${count("FALSE DONE")}, wrong label ${count("WRONG LABEL")}, wrong end ${count("WRONG END")}${left > 0 ? `; ${left} not tried, a program is missing` : ""}`,
  );
  if (rows.some(({ wrong }) => wrong !== "")) process.exitCode = 1;
}

function tried(each) {
  const base = fs.mkdtempSync(join(tmpdir(), "stint-truth-"));
  try {
    const root = join(base, "repository");
    prepare(base, root, each);
    const { status, tasks } = run(base, root);
    const { labels } = tasks[0];
    const isTrue = cloneHolds(base, root, each);
    const ended = `${status}${labels.length === 0 ? "" : ` (${labels.join(", ")})`}`;
    const clone = isTrue ? "clone agrees" : "clone fails";
    return { name: each.name, ended, clone, wrong: whatIsWrong(each, status, labels, isTrue) };
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

function whatIsWrong({ done, labels = [] }, status, found, isTrue) {
  if (status === "Done" && !isTrue && !found.includes("self-judged")) return "FALSE DONE";
  if ((status === "Done") !== done) return `WRONG END: ${done ? "Done" : "not Done"} is right`;
  if (done && found.join() !== labels.join()) {
    return `WRONG LABEL: ${labels.join(", ") || "none"} is deserved`;
  }
  return "";
}

function prepare(base, root, { files = {}, links = {}, task, session, front }) {
  const steps = `## Goal\n\nTell the truth.\n\n## Steps\n\n- [ ] work - Do the work\n${task.map((line) => `  - ${line}\n`).join("")}`;
  const all = {
    "README.md": "# Truth\n",
    "stint.config.yaml": "attempts_per_task: 1\n",
    "prompt.md": `${front === undefined ? "" : `---\n${front}\n---\n\n`}${steps}`,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    const path = join(root, name.replace(/!$/, ""));
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text, { mode: name.endsWith("!") ? 0o755 : 0o644 });
  }
  for (const [path, to] of Object.entries(links)) fs.symlinkSync(to, join(root, path));
  fs.writeFileSync(join(base, "agent.sh"), `#!/bin/sh\n${session}\n`, { mode: 0o755 });
  for (const words of [
    ["init", "-q", "-b", "work"],
    ["add", "-A", "-f"],
    ["commit", "-q", "-m", "Begin"],
  ]) {
    checked("git", words, { cwd: root, env: environment(base) });
  }
}

/** @returns the project as `status --json` tells it */
function run(base, root) {
  const options = { cwd: root, env: environment(base), encoding: "utf8" };
  const agent = ["--agent", `command:${join(base, "agent.sh")}`];
  const ran = spawnSync(
    process.execPath,
    [STINT, "run", "prompt.md", ...agent, "--plain"],
    options,
  );
  const told = spawnSync(process.execPath, [STINT, "status", "prompt.md", "--json"], options);
  if (told.status === 2) throw new Error(`no status: ${told.stderr}${ran.stdout}${ran.stderr}`);
  const { status, project, tasks } = JSON.parse(told.stdout);
  return { status: status ?? project.status, tasks };
}

/** Whether the work is there, told by ourselves and in a clone that has nothing else. */
function cloneHolds(base, root, { task, oracle }) {
  const clone = join(base, "clone", "repository");
  const env = environment(base);
  checked("git", ["clone", "-q", "--no-local", root, clone], { cwd: base, env });
  const command = oracle ?? /check: `(.*)`$/.exec(task.at(-1))?.[1];
  if (command === undefined) return false;
  return spawnSync("sh", ["-c", command], { cwd: clone, env }).status === 0;
}

function environment(base) {
  const env = { ...process.env, ...IDENTITY };
  for (const name of ["NODE_EXTRA_CA_CERTS", "NODE_TEST_CONTEXT", "NODE_OPTIONS"]) delete env[name];
  return {
    ...env,
    // Programs of Rust look for themselves in the home.
    RUSTUP_HOME: env.RUSTUP_HOME ?? join(homedir(), ".rustup"),
    CARGO_HOME: env.CARGO_HOME ?? join(homedir(), ".cargo"),
    HOME: join(base, "home"),
    XDG_STATE_HOME: join(base, "state"),
    XDG_CONFIG_HOME: join(base, "config"),
  };
}

function has(program) {
  return spawnSync(program, ["--version"]).error === undefined;
}

function checked(program, words, options) {
  const { status, stderr } = spawnSync(program, words, { ...options, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed: ${stderr}`);
}
