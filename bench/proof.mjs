// Proof in a fresh clone: what it adds to a run, for a small and a large repository; side by side with `git clone` into an
// empty folder and the same checks in it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, row } from "./measure.mjs";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const TASKS = 5;
const ROUNDS = 5;

export function benchProof() {
  console.log(`Proof in a fresh clone, ${TASKS} tasks with a check each`);
  for (const files of [15, 5000]) {
    const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
    try {
      const stint = [];
      const clone = [];
      const root = prepare(base, files);
      runStint(base, root, ["run", "prompt.md", "--agent", `scripted:${script(base)}`]);
      for (let round = 0; round < ROUNDS; round += 1) {
        clone.push(byHand(root, join(base, `clone-${round}`)));
        stint.push(proven(base, root));
      }
      row(`  proof at ${files} files`, median(stint), "git clone and checks", median(clone));
    } finally {
      fs.rmSync(base, { recursive: true, force: true });
    }
  }
}

function prepare(base, files) {
  const root = join(base, "repository");
  const names = Array.from({ length: files }, (_, n) => `src/${n % 50}/${n}.txt`);
  for (const name of names) {
    fs.mkdirSync(join(root, name, ".."), { recursive: true });
    fs.writeFileSync(join(root, name), `${name}\n`.repeat(40));
  }
  const steps = Array.from(
    { length: TASKS },
    (_, n) => `- [ ] write-${n} - Write ${n}\n  - check: \`test -f made-${n}.txt\`\n`,
  );
  fs.writeFileSync(join(root, "prompt.md"), `# Goal\n\nMeasure.\n\n# Steps\n\n${steps.join("")}`);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "Bench");
  git(root, "config", "user.email", "bench@example.com");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "start");
  return root;
}

function script(base) {
  const path = join(base, "script.json");
  const act = (n) => [{ act: "write", path: `made-${n}.txt`, text: "made\n" }];
  const tasks = Object.fromEntries(Array.from({ length: TASKS }, (_, n) => [`write-${n}`, act(n)]));
  fs.writeFileSync(path, JSON.stringify({ manifest: "prompt.md", tasks }));
  return path;
}

/** As a run has it, by the clock of its journal: from its last commit, or the verb's first line, to the proof. */
function proven(base, root) {
  const lines = runStint(base, root, ["log", "--json"]);
  const all = JSON.parse(lines).lines;
  const at = all.findIndex(({ kind }) => kind === "proof-recorded");
  const ms = Date.parse(all[at].at) - Date.parse(all[at - 1].at);
  fs.rmSync(join(base, "state"), { recursive: true, force: true });
  git(root, "reset", "-q", "--hard", "HEAD~5");
  git(root, "clean", "-qfdx");
  runStint(base, root, ["run", "prompt.md", "--agent", `scripted:${join(base, "script.json")}`]);
  return ms;
}

function byHand(root, folder) {
  const start = performance.now();
  git(root, "clone", "-q", "--no-local", root, folder);
  for (let n = 0; n < TASKS; n += 1) {
    execFileSync("sh", ["-c", `test -f made-${n}.txt`], { cwd: folder });
  }
  return performance.now() - start;
}

function git(cwd, ...args) {
  execFileSync("git", args, { cwd, stdio: "ignore" });
}

function runStint(base, cwd, words) {
  const env = { ...process.env, XDG_STATE_HOME: join(base, "state") };
  return execFileSync(process.execPath, [STINT, ...words], { cwd, env, encoding: "utf8" });
}
