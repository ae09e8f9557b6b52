// Preload for a real program (`node --import`): counts its calls that change files or make them
// durable, and kills it with SIGKILL right before call number KILL_AT. The program needs no hook.
// Given as an argument, not in NODE_OPTIONS, it stays in that program: its children are not counted.
//   KILL_UNDER  folders whose files count, separated as in PATH
//   KILL_WIDE   set: calls that only look at files, and starts of processes, count as well
//   KILL_FROM   regular expression: nothing counts before the end of the first call it matches
//   KILL_TO     regular expression: nothing counts after the end of the first call it matches
//   KILL_ONLY   regular expression: of "<call> <path>", which calls count; absent: all
//   KILL_AT     number of the call, from 1; absent: nobody is killed
//   KILL_WHEN   "after": right after that call instead of right before it
//   KILL_DEED   a shell command that is run there instead; the program goes on
//   KILL_COUNT  file that receives one line per counted call when KILL_AT is absent
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { delimiter, resolve, sep } from "node:path";

const folders = (process.env.KILL_UNDER ?? "").split(delimiter).filter((path) => path !== "");
const only = new RegExp(process.env.KILL_ONLY ?? "");
const isWide = process.env.KILL_WIDE !== undefined;
const from = process.env.KILL_FROM === undefined ? undefined : new RegExp(process.env.KILL_FROM);
const to = process.env.KILL_TO === undefined ? undefined : new RegExp(process.env.KILL_TO);
const killAt = process.env.KILL_AT === undefined ? undefined : Number(process.env.KILL_AT);
const isAfter = process.env.KILL_WHEN === "after";
const { appendFileSync, openSync, closeSync } = fs;
const { spawnSync } = childProcess;
const watched = new Map();
let count = 0;
let isWithin = from === undefined;
let isInside = false;

function isUnder(path) {
  const absolute = resolve(String(path));
  return folders.some((folder) => absolute === folder || absolute.startsWith(folder + sep));
}

/** Performs a call, and sees whether what counts begins or ends with it. */
function reach(call, path, perform) {
  // What a call is made of inside node is part of it.
  if (isInside) return perform();
  const name = `${call} ${path}`;
  const isFrom = from?.test(name) === true;
  const isTo = to?.test(name) === true;
  isInside = true;
  try {
    return isWithin && only.test(name) ? counted(call, path, perform) : perform();
  } finally {
    isInside = false;
    if (isFrom) isWithin = true;
    if (isTo) isWithin = false;
  }
}

/** Performs a call that counts, or does not live to see it. */
function counted(call, path, perform) {
  count += 1;
  if (count === killAt && !isAfter) die();
  if (killAt === undefined && process.env.KILL_COUNT !== undefined) {
    appendFileSync(process.env.KILL_COUNT, `${call} ${path}\n`);
  }
  const isLast = isAfter && count === killAt;
  const result = perform();
  if (isLast) die();
  return result;
}

function die() {
  if (process.env.KILL_DEED !== undefined) {
    spawnSync("sh", ["-c", process.env.KILL_DEED], { stdio: "ignore" });
    return;
  }
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way; this thread must not reach the call.
  for (;;);
}

fs.openSync = (path, ...rest) => {
  if (!isUnder(path)) return openSync(path, ...rest);
  const fd = reach("open", path, () => openSync(path, ...rest));
  watched.set(fd, path);
  return fd;
};
fs.closeSync = (fd) => {
  watched.delete(fd);
  closeSync(fd);
};
for (const call of ["writeSync", "fsyncSync", "fdatasyncSync", "ftruncateSync"]) {
  const original = fs[call];
  fs[call] = (fd, ...rest) => {
    const perform = () => original(fd, ...rest);
    return watched.has(fd) ? reach(call, watched.get(fd), perform) : perform();
  };
}
for (const call of ["renameSync", "linkSync", "symlinkSync"]) {
  const original = fs[call];
  fs[call] = (from, to) => {
    const perform = () => original(from, to);
    return isUnder(from) || isUnder(to) ? reach(call, to, perform) : perform();
  };
}
for (const call of ["unlinkSync", "mkdirSync", "rmSync", "rmdirSync"]) {
  const original = fs[call];
  fs[call] = (path, ...rest) => {
    const perform = () => original(path, ...rest);
    return isUnder(path) ? reach(call, path, perform) : perform();
  };
}
if (isWide) {
  const LOOKS = [
    "existsSync",
    "statSync",
    "lstatSync",
    "readFileSync",
    "readdirSync",
    "readlinkSync",
  ];
  const PROMISED = [
    "copyFile",
    "lstat",
    "mkdtemp",
    "open",
    "readdir",
    "readlink",
    "realpath",
    "rm",
  ];
  watch(fs, [...LOOKS, "realpathSync", "copyFileSync", "writeFileSync"]);
  watch(fs.promises, [...PROMISED, "rmdir", "stat", "unlink", "utimes", "access"]);
  for (const call of ["spawn", "spawnSync"]) {
    const original = childProcess[call];
    childProcess[call] = (program, words, ...rest) =>
      reach(call, [program].concat(words).join(" "), () => original(program, words, ...rest));
  }
}
syncBuiltinESMExports();

function watch(module, calls) {
  for (const call of calls) {
    const original = module[call];
    const replaced = (path, ...rest) => {
      const perform = () => original.call(module, path, ...rest);
      return isUnder(path) ? reach(call, path, perform) : perform();
    };
    module[call] = Object.assign(replaced, original);
  }
}
