// The loop: the gap between one agent's end and the next one's start, start-up to the first agent, memory, and
// whether it stays flat; side by side with a shell loop that does the same with nothing around it: the agent in
// a namespace, the check, `git add -A`, `git commit`, and with as many flushes by hand, each of a file that was
// just written. One `sync` of many files would be one commit of the file system, which nobody who writes them in
// an order can have.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, row } from "./measure.mjs";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const SIZES = [
  { files: 100, tasks: 15 },
  { files: 50_000, tasks: 6 },
];

/** `flushes` is what a gap of Stint takes, as `effects` counts them; the floor makes as many. */
export async function benchLoop({ flushes = 12, long = 0 } = {}) {
  console.log("The loop, with an agent that writes one file");
  for (const { files, tasks } of SIZES) {
    const { stint, shell } = await inFolder(async (base) => ({
      stint: await runLoop(join(base, "stint"), tasks, files),
      shell: shellLoop(join(base, "shell"), tasks, files) + flushesByHand(base, flushes),
    }));
    row(`  gap at ${files} files`, stint.gap, `shell loop and ${flushes} flushes`, shell, 2);
    if (files === SIZES[0].files) tellOfStart(stint);
  }
  if (long > 0) {
    const { gaps } = await inFolder((base) => runLoop(join(base, "long"), long, 100));
    const [early, late] = [gaps.slice(0, 100), gaps.slice(-100)];
    row(`  ${long} tasks: the last 100`, median(late), "the first 100", median(early), 1.1);
  }
}

async function inFolder(measure) {
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    return await measure(base);
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

function tellOfStart({ startUp, rss }) {
  const node = nodeStart();
  const over = startUp - node;
  console.log(
    `  start-up to the first agent ${startUp.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms, over it ${over.toFixed(0)} ms, goal 150 ms: ${over <= 150 ? "within" : "MISSED"}`,
  );
  const memory = rss / 1024;
  console.log(
    `  peak memory of the run ${memory.toFixed(0)} MiB, goal 64 MiB: ${memory <= 64 ? "within" : "MISSED"}`,
  );
}

async function runLoop(base, tasks, files) {
  const root = join(base, "repository");
  const times = join(base, "times");
  makeRepository(root, files, tasks);
  fs.writeFileSync(times, "");
  const agent = writeAgent(base, times);
  const env = { ...process.env, XDG_STATE_HOME: join(base, "state") };
  delete env.NODE_EXTRA_CA_CERTS;
  const startedAt = BigInt(Date.now()) * 1_000_000n;
  const rss = await runStint(root, agent, env);
  const { first, gaps } = readTimes(times);
  return { gap: median(gaps), gaps, startUp: Number(first - startedAt) / 1e6, rss };
}

function makeRepository(root, files, tasks) {
  for (let n = 0; n < files; n += 1) {
    const folder = join(root, `folder-${Math.floor(n / 100)}`);
    if (n % 100 === 0) fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, `file-${n}.txt`), `This is file number ${n}.\n`);
  }
  const steps = Array.from(
    { length: tasks },
    (_, n) => `- [ ] Write file number ${n + 1}\n  - check: file out-t${n + 1} exists\n`,
  );
  fs.writeFileSync(join(root, "prompt.md"), `## Goal\n\nMeasure.\n\n## Steps\n\n${steps.join("")}`);
  for (const args of [
    ["init", "-q", "-b", "work"],
    ["config", "user.name", "bench"],
    ["config", "user.email", "bench@example.invalid"],
    // Nothing goes on in the background once the loop is over.
    ["config", "gc.auto", "0"],
    ["config", "maintenance.auto", "false"],
    ["add", "-A"],
    ["commit", "-qm", "start"],
  ]) {
    spawnSync("git", args, { cwd: root });
  }
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

/** The floor: nothing but what has to be done. */
function shellLoop(base, tasks, files) {
  const root = join(base, "repository");
  const times = join(base, "times");
  makeRepository(root, files, tasks);
  const agent = writeAgent(base, times);
  const script = `
    i=0
    while [ $i -lt ${tasks} ]; do
      i=$((i+1)); STINT_TASK=t$i ${namespaceWords().join(" ")} ${agent}
      test -e out-t$i
      git add -A
      git commit -qm "task $i"
    done`;
  const { status, stderr } = spawnSync("sh", ["-ec", script], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the shell loop ended with ${status}: ${stderr}`);
  return median(readTimes(times).gaps);
}

/** @returns how long so many writes of a new file take, each flushed before the next */
function flushesByHand(base, flushes) {
  const bytes = Buffer.alloc(2000, "0");
  const rounds = Array.from({ length: 15 }, (_, round) => {
    const start = process.hrtime.bigint();
    for (let n = 0; n < flushes; n += 1) {
      const fd = fs.openSync(join(base, `flushed-${round}-${n}`), "wx");
      fs.writeSync(fd, bytes);
      fs.fsyncSync(fd);
      fs.closeSync(fd);
    }
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return median(rounds);
}

/** A namespace of the kind that Stint starts it in, where that can be had. */
function namespaceWords() {
  const words = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc"];
  const [program, ...args] = [...words, "--die-with-parent"];
  return spawnSync(program, [...args, "true"]).status === 0 ? [program, ...args] : [];
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
