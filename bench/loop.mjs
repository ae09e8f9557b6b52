// The loop: the gap between one agent's end and the next one's start, start-up to the first agent,
// memory, and whether it stays flat; side by side with a bare loop that starts as many git processes
// and makes as many durable writes.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, row } from "./measure.mjs";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));

export async function benchLoop({ iterations = 20, long = 0 } = {}) {
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    const withGit = await runLoop(join(base, "git"), iterations, true);
    const bareGit = bareLoop(
      join(base, "bare-git"),
      iterations,
      withGit.gitPerTask,
      withGit.writesPerTask,
    );
    console.log(`The loop, ${iterations} tasks with an agent that writes one file`);
    console.log(
      `  per task: ${withGit.gitPerTask} git processes, ${withGit.writesPerTask} durable writes`,
    );
    row("  gap with commit", withGit.gap, "bare loop", bareGit, 1.5);
    const without = await runLoop(join(base, "files"), iterations, false);
    const bareFiles = bareLoop(join(base, "bare-files"), iterations, 0, without.writesPerTask);
    row("  gap without git", without.gap, "bare loop", bareFiles);
    const node = nodeStart();
    console.log(
      `  start-up to the first agent ${withGit.startUp.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms, over it ${(withGit.startUp - node).toFixed(0)} ms, goal 150 ms`,
    );
    console.log(`  peak memory of the run ${(withGit.rss / 1024).toFixed(0)} MiB, goal 70 MiB`);
    if (long > 0) {
      const many = await runLoop(join(base, "long"), long, true);
      const early = median(many.gaps.slice(10, 30));
      const late = median(many.gaps.slice(-20));
      row(`  gap at task ${long}`, late, "gap at task 20", early, 1);
    }
    console.log();
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

async function runLoop(base, tasks, withGit) {
  const root = join(base, "repository");
  const times = join(base, "times");
  const calls = join(base, "git-calls");
  const bin = join(base, "bin");
  for (const folder of [root, bin]) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(times, "");
  fs.writeFileSync(calls, "");
  const agent = writeAgent(base, times);
  const steps = Array.from(
    { length: tasks },
    (_, index) =>
      `- [ ] Write file number ${index + 1}\n  - check: file out-t${index + 1} exists\n`,
  );
  fs.writeFileSync(join(root, "prompt.md"), `## Goal\n\nMeasure.\n\n## Steps\n\n${steps.join("")}`);
  const env = { ...process.env, XDG_STATE_HOME: join(base, "state") };
  delete env.NODE_EXTRA_CA_CERTS;
  if (withGit) {
    for (const args of [
      ["init", "-q"],
      ["config", "user.name", "bench"],
      ["config", "user.email", "bench@example.invalid"],
      ["add", "-A"],
      ["commit", "-qm", "start"],
    ]) {
      spawnSync("git", args, { cwd: root });
    }
    const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
    fs.writeFileSync(join(bin, "git"), `#!/bin/sh\necho x >> ${calls}\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
  }
  const startedAt = BigInt(Date.now()) * 1_000_000n;
  const rss = await runStint(root, agent, env);
  const { first, gaps } = readTimes(times);
  return {
    gap: median(gaps),
    gaps,
    startUp: Number(first - startedAt) / 1e6,
    rss,
    gitPerTask: withGit ? await countGit(base, bin, calls, agent, env) : 0,
    writesPerTask: durableWrites(join(base, "state")),
  };
}

/** @returns the peak resident memory in KiB */
async function runStint(root, agent, env) {
  const child = spawn(
    process.execPath,
    [STINT, "run", "prompt.md", "--agent", `command:${agent}`],
    {
      cwd: root,
      env,
      stdio: "ignore",
    },
  );
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const status = fs.readFileSync(`/proc/${child.pid}/status`, "utf8");
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has just ended, or this is no Linux.
    }
  }, 50);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`stint run ended with ${code}`);
  return peak;
}

/** Git processes per task, counted on a small project of its own: counting costs time. */
async function countGit(base, bin, calls, agent, env) {
  const root = join(base, "counting");
  const tasks = 5;
  fs.mkdirSync(root);
  const steps = Array.from(
    { length: tasks },
    (_, i) => `- [ ] Count ${i + 1}\n  - check: file out-t${i + 1} exists\n`,
  );
  fs.writeFileSync(join(root, "prompt.md"), `## Goal\n\nCount.\n\n## Steps\n\n${steps.join("")}`);
  for (const args of [
    ["init", "-q"],
    ["config", "user.name", "b"],
    ["config", "user.email", "b@example.invalid"],
    ["add", "-A"],
    ["commit", "-qm", "start"],
  ]) {
    spawnSync("git", args, { cwd: root });
  }
  fs.writeFileSync(calls, "");
  await runStint(root, agent, { ...env, PATH: `${bin}${delimiter}${env.PATH}` });
  return Math.round(fs.readFileSync(calls, "utf8").length / 2 / tasks);
}

/** Per task: a durable write is the fsync of a file and of its folder. */
function durableWrites(state) {
  const shadows = join(state, "stint", "shadows");
  const project = join(shadows, fs.readdirSync(shadows)[0]);
  const revisions = fs.readFileSync(join(project, "journal.jsonl"), "utf8").split("\n").length;
  const tasks = (
    fs.readFileSync(join(project, "journal.jsonl"), "utf8").match(/"kind":"checks-recorded"/g) ?? []
  ).length;
  const kept = fs
    .readdirSync(join(project, "kept"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).length;
  // A revision is the state and one fsync of the journal; a kept file is kept once.
  return Math.round((revisions * 1.5 + kept) / Math.max(1, tasks));
}

/** The same agent in a shell loop, with the same git commands and as many fsyncs between its runs. */
function bareLoop(base, iterations, gitPerTask, writesPerTask) {
  const root = join(base, "repository");
  const times = join(base, "times");
  fs.mkdirSync(join(root, ".kept"), { recursive: true });
  for (const args of [
    ["init", "-q"],
    ["config", "user.name", "b"],
    ["config", "user.email", "b@example.invalid"],
    ["commit", "-q", "--allow-empty", "-m", "start"],
  ]) {
    spawnSync("git", args, { cwd: root });
  }
  fs.writeFileSync(join(root, ".git", "info", "exclude"), ".kept\n");
  const agent = writeAgent(base, times);
  const files = Array.from({ length: writesPerTask }, (_, index) => `.kept/${index}`);
  const script = `
    text=$(printf '%02000d' 0); i=0
    while [ $i -lt ${iterations} ]; do
      i=$((i+1)); STINT_TASK=t$i ${agent}
      ${gitPerTask === 0 ? ":" : sameGitCommands(gitPerTask)}
      for file in ${files.join(" ")}; do echo "$text" > $file; done
      sync ${files.map((file) => `${file} .kept`).join(" ")}
    done`;
  const { status, stderr } = spawnSync("sh", ["-ec", script], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the bare loop ended with ${status}: ${stderr}`);
  return median(readTimes(times).gaps);
}

/** What a task costs Stint in git: look, snapshot, compare, commit, snapshot again, keep it by a ref. */
function sameGitCommands(count) {
  const durable = "git -c core.fsync=objects,reference -c core.fsyncMethod=batch";
  const snapshot = [
    "git status --porcelain=v2 -z --branch --untracked-files=all > /dev/null",
    `cp .git/index .git/private; GIT_INDEX_FILE=.git/private ${durable} update-index --add out-t$i`,
    `tree=$(GIT_INDEX_FILE=.git/private ${durable} write-tree)`,
  ];
  const commands = [
    "git for-each-ref refs/heads > /dev/null",
    ...snapshot,
    "git diff-tree -r -z --raw --no-renames HEAD $tree > /dev/null",
    "git diff-tree -r -z --raw -M HEAD $tree > /dev/null",
    "git rev-parse HEAD:out-t$i > /dev/null 2>&1 || git cat-file -e $tree",
    "git rev-parse HEAD > /dev/null",
    "git symbolic-ref --quiet HEAD > /dev/null",
    "git diff-index --cached -z --raw HEAD > /dev/null",
    "git config --get-regexp '^core[.]' > /dev/null",
    `${durable} update-index --add out-t$i`,
    `${durable} write-tree > /dev/null`,
    `${durable} commit -qm x`,
    "git diff-tree --root -r -z --raw HEAD > /dev/null",
    "git update-index --refresh > /dev/null",
    "git rev-list HEAD~1..HEAD > /dev/null",
    ...snapshot,
    "git for-each-ref refs/heads > /dev/null",
    `kept=$(${durable} commit-tree $tree -p HEAD -m kept)`,
    `${durable} update-ref refs/kept/$i $kept`,
  ];
  const looks = Array.from(
    { length: Math.max(0, count - commands.length) },
    () => "git rev-parse HEAD > /dev/null",
  );
  return [...commands, ...looks].join("\n");
}

/** Notes when it starts and when it ends, and writes one file. */
function writeAgent(base, times) {
  const agent = join(base, "agent.sh");
  fs.writeFileSync(
    agent,
    `#!/bin/sh\nprintf 's %s\\n' "$(date +%s%N)" >> ${times}\necho "$STINT_TASK" > "out-$STINT_TASK"\nprintf 'e %s\\n' "$(date +%s%N)" >> ${times}\n`,
    { mode: 0o755 },
  );
  return agent;
}

function readTimes(path) {
  const stamps = fs
    .readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  const starts = stamps.filter(([kind]) => kind === "s").map(([, at]) => BigInt(at));
  const ends = stamps.filter(([kind]) => kind === "e").map(([, at]) => BigInt(at));
  return { first: starts[0], gaps: starts.slice(1).map((at, i) => Number(at - ends[i]) / 1e6) };
}

function nodeStart() {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const times = Array.from({ length: 9 }, () => {
    const start = process.hrtime.bigint();
    spawnSync(process.execPath, ["-e", "0"], { env });
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return median(times);
}
