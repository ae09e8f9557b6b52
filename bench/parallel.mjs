// Sessions beside each other: five tasks that wait for none, each some seconds of an agent that does nothing but wait,
// at once and one after another, in the same run of the bench.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const TASKS = 5;
const SECONDS = 8;
const GOAL = 4;

export function benchParallel() {
  console.log(`${TASKS} independent tasks of ${SECONDS} s each`);
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    const single = runWith(join(base, "single"), 1);
    const beside = runWith(join(base, "beside"), TASKS);
    const ratio = single / beside;
    console.log(
      `  one after another ${single.toFixed(1)} s, --parallel ${TASKS} ${beside.toFixed(1)} s: ${ratio.toFixed(2)} times as fast, goal ${GOAL}: ${ratio >= GOAL ? "within" : "MISSED"}`,
    );
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** @returns the seconds that the whole run took */
function runWith(base, parallel) {
  const root = join(base, "repository");
  fs.mkdirSync(root, { recursive: true });
  const steps = Array.from(
    { length: TASKS },
    (_, n) =>
      `- [ ] Write file number ${n + 1}\n  - after: none\n  - check: file out-t${n + 1} exists\n`,
  );
  fs.writeFileSync(join(root, "prompt.md"), `# Goal\n\nWrite.\n\n# Steps\n\n${steps.join("")}`);
  const agent = join(base, "agent.sh");
  fs.writeFileSync(agent, `#!/bin/sh\nsleep ${SECONDS}\necho done > "out-$STINT_TASK"\n`);
  fs.chmodSync(agent, 0o755);
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
  for (const words of [
    ["init", "-q"],
    ["add", "."],
    [...identity, "commit", "-q", "-m", "Begin"],
  ]) {
    checked("git", words, { cwd: root });
  }
  const env = { ...process.env, XDG_STATE_HOME: join(base, "state"), GIT_AUTHOR_NAME: "bench" };
  Object.assign(env, { GIT_AUTHOR_EMAIL: "bench@example.com", GIT_COMMITTER_NAME: "bench" });
  Object.assign(env, { GIT_COMMITTER_EMAIL: "bench@example.com" });
  delete env.NODE_EXTRA_CA_CERTS;
  const words = ["run", "prompt.md", "--agent", `command:${agent}`, "--parallel", String(parallel)];
  const startedAt = performance.now();
  checked(process.execPath, [STINT, ...words], { cwd: root, env });
  return (performance.now() - startedAt) / 1000;
}

function checked(program, words, options) {
  const { status, stderr, stdout } = spawnSync(program, words, { ...options, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words[0]} failed: ${stderr}${stdout}`);
}
