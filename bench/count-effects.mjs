// `node bench/count-effects.mjs [files]`: what one task costs in git processes, flushes to disk and renames,
// by name, seen from outside with strace on a repository of that many files (100). It counts and times
// nothing, so the machine need not be quiet.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const TASKS = 6;
const KINDS = [
  "git processes",
  "other processes",
  "flushes",
  "write-outs without a flush",
  "renames and links",
];
const CALLS = "execve,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat";

/** @returns how many flushes a gap takes; null where that cannot be seen */
export function countEffects({ files = 100 } = {}) {
  if (spawnSync("strace", ["-V"]).status !== 0) {
    console.log("Effects of a task: not counted, strace is not installed");
    return null;
  }
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    const trace = traceRun(base, files);
    const { tasks, gaps } = splitByAgent(readTrace(fs.readFileSync(trace, "utf8")), base);
    console.log(`Effects of a task, ${TASKS} tasks in a repository with ${files} files`);
    print("a task, from one agent's start to the next one's", tasks);
    print("the gap alone, from an agent's end to the next one's start", gaps);
    const flushes = gaps.filter(({ kind }) => kind === "flushes").length;
    return { flushes: Math.round(flushes / (TASKS - 1)) };
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** @returns the path of what strace saw */
function traceRun(base, files) {
  const root = join(base, "repository");
  const trace = join(base, "trace");
  const agent = join(base, "bench-agent");
  // As agents do, it works for longer than its start takes: what is done meanwhile nobody waits for.
  const text = '#!/bin/sh\necho "$STINT_TASK" > "out-$STINT_TASK"\nsleep 3\n';
  fs.writeFileSync(agent, text, { mode: 0o755 });
  makeRepository(root, files);
  const words = [process.execPath, STINT, "run", "prompt.md", "--agent", `command:${agent}`];
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    "strace",
    [
      "-f",
      "--seccomp-bpf",
      "-y",
      "-s",
      "3000",
      "-qq",
      "-e",
      "signal=none",
      "-e",
      `trace=${CALLS},exit_group`,
    ]
      .concat(["-o", trace])
      .concat(words),
    {
      cwd: root,
      env: { ...env, XDG_STATE_HOME: join(base, "state") },
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  if (status !== 0) throw new Error(`stint run ended with ${status}: ${stdout}${stderr}`);
  return trace;
}

function makeRepository(root, files) {
  for (let n = 0; n < files; n += 1) {
    const folder = join(root, `folder-${Math.floor(n / 100)}`);
    if (n % 100 === 0) fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, `file-${n}.txt`), `This is file number ${n}.\n`);
  }
  const steps = Array.from(
    { length: TASKS },
    (_, n) => `- [ ] Write file number ${n + 1}\n  - check: file out-t${n + 1} exists\n`,
  );
  fs.writeFileSync(join(root, "prompt.md"), `## Goal\n\nCount.\n\n## Steps\n\n${steps.join("")}`);
  for (const args of [
    ["init", "-q", "-b", "work"],
    ["config", "user.name", "bench"],
    ["config", "user.email", "bench@example.invalid"],
    ["add", "-A"],
    ["commit", "-qm", "start"],
  ]) {
    spawnSync("git", args, { cwd: root });
  }
}

/** Calls that succeeded, in the order in which they began. */
function readTrace(text) {
  const calls = [];
  const open = new Map();
  for (const line of text.split("\n")) {
    const [, pid, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) continue;
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest);
    if (resumed !== null) {
      const call = open.get(pid);
      if (call !== undefined) call.text += resumed[2];
      continue;
    }
    const [, name] = /^(\w+)\(/.exec(rest) ?? [];
    if (name === undefined) continue;
    const call = { pid, name, text: rest.replace(/ <unfinished \.\.\.>$/, "") };
    open.set(pid, call);
    calls.push(call);
  }
  return calls.filter(({ text: said }) => !/= -1 E/.test(said));
}

/** The effects between agents: a task is from one agent's start to the next one's, the gap without the agent. */
function splitByAgent(calls, base) {
  const effects = { tasks: [], gaps: [] };
  const program = new Map();
  let agents = 0;
  let agentPid = null;
  for (const call of calls) {
    const { pid, name, text } = call;
    if (name === "execve") {
      const words = JSON.parse(
        `[${/\[(.*)\]/.exec(text)?.[1] ?? ""}]`.replaceAll(/\\[^"\\ntrbf/u]/g, "?"),
      );
      program.set(pid, words);
      if (
        words.some((word) => basename(word) === "bench-agent") &&
        text.startsWith(`execve("${base}`)
      ) {
        agents += 1;
        agentPid = pid;
      }
    }
    if (name === "exit_group" && pid === agentPid) agentPid = null;
    if (agents === 0 || agents === TASKS) continue;
    const effect = describe(call, program.get(pid), base);
    if (effect === null) continue;
    effects.tasks.push(effect);
    if (agentPid === null) effects.gaps.push(effect);
  }
  if (agents !== TASKS) throw new Error(`${agents} agents were seen, not ${TASKS}`);
  return effects;
}

function describe({ name, text }, words, base) {
  const isGit = words !== undefined && /^git(?:-|$)/.test(basename(words[0] ?? ""));
  if (name === "exit_group") return null;
  if (name === "execve") {
    return isGit
      ? { kind: "git processes", what: plainGit(words, base) }
      : { kind: "other processes", what: basename(words[0] ?? "?") };
  }
  const by = isGit ? `git ${subcommand(words)}` : "stint";
  const kind = kindOf(name);
  const paths = /sync/.test(name)
    ? /<(.*?)>/.exec(text)?.[1]
    : [...text.matchAll(/"(.*?)"/g)].at(-1)?.[1];
  return { kind, what: `${by}: ${plainPath(paths ?? "?", base)}` };
}

/** Git writes many objects out and flushes the disk once for all of them. */
function kindOf(name) {
  if (name === "sync_file_range") return "write-outs without a flush";
  return /sync/.test(name) ? "flushes" : "renames and links";
}

function subcommand(words) {
  return plainWords(words)[0] ?? "";
}

/** Without the settings that all of them have. */
function plainWords(words) {
  const rest = words.slice(1);
  const plain = [];
  for (let n = 0; n < rest.length; n += 1) {
    if (rest[n] === "-c") n += 1;
    else if (!/^--(?:no-pager|work-tree=|git-dir=)/.test(rest[n])) plain.push(rest[n]);
  }
  return plain;
}

function plainGit(words, base) {
  const gitDir = words.find((word) => word.startsWith("--git-dir="));
  const whose = gitDir === undefined ? "" : gitDir.includes("/state/") ? "[own] " : "[person's] ";
  return whose + plainPath(plainWords(words).join(" "), base).slice(0, 150);
}

/** Names without what differs from task to task and from run to run. */
function plainPath(text, base) {
  return text
    .replaceAll(base, "")
    .replaceAll(/tmp_objdir-[\w-]+(?:\/[0-9a-f]{2})?\/\w+/g, "TMP")
    .replaceAll(/\bobjects\/[0-9a-f]{2}\b/g, "objects/xx")
    .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{38})\b/g, "ID")
    .replaceAll(/\b[psra]-[0-9a-z]{10,}\b/g, "ID")
    .replaceAll(/tmp-[\w.-]+|tmp_\w+/g, "TMP")
    .replaceAll(/\n[^]*/g, "…")
    .replaceAll(/\bt\d+\b/g, "tN")
    .replaceAll(/\d+/g, "N");
}

function print(title, effects) {
  const per = (count) => (count / (TASKS - 1)).toFixed(1).padStart(6);
  console.log(`\n  ${title}`);
  for (const kind of KINDS) {
    const found = effects.filter((effect) => effect.kind === kind).map(({ what }) => what);
    const counts = new Map();
    for (const what of found) counts.set(what, (counts.get(what) ?? 0) + 1);
    const own = found.filter((what) => what.startsWith("stint: ")).length;
    const split = kind === "flushes" ? `, ${per(own).trim()} of them by stint itself` : "";
    console.log(`  ${per(found.length)} ${kind}${split}`);
    for (const [what, count] of [...counts].toSorted((a, b) => b[1] - a[1])) {
      console.log(`      ${per(count)}  ${what}`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  countEffects({ files: Number(process.argv[2] ?? 100) });
}
