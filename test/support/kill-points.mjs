// Preload for a real program (`node --import`): counts its calls that change files or make them
// durable, and kills it with SIGKILL right before call number KILL_AT. The program needs no hook.
//   KILL_UNDER  folders whose files count, separated as in PATH
//   KILL_AT     number of the call, from 1; absent: nobody is killed
//   KILL_COUNT  file that receives one line per counted call when KILL_AT is absent
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { delimiter, resolve, sep } from "node:path";

const folders = (process.env.KILL_UNDER ?? "").split(delimiter).filter((path) => path !== "");
const killAt = process.env.KILL_AT === undefined ? undefined : Number(process.env.KILL_AT);
const { appendFileSync, openSync, closeSync } = fs;
const watched = new Map();
let count = 0;

function isUnder(path) {
  const absolute = resolve(String(path));
  return folders.some((folder) => absolute === folder || absolute.startsWith(folder + sep));
}

function reach(call, path) {
  count += 1;
  if (count === killAt) {
    process.kill(process.pid, "SIGKILL");
    // The signal is on its way; this thread must not reach the call.
    for (;;);
  }
  if (killAt === undefined && process.env.KILL_COUNT !== undefined) {
    appendFileSync(process.env.KILL_COUNT, `${call} ${path}\n`);
  }
}

fs.openSync = (path, ...rest) => {
  const counts = isUnder(path);
  if (counts) reach("open", path);
  const fd = openSync(path, ...rest);
  if (counts) watched.set(fd, path);
  return fd;
};
fs.closeSync = (fd) => {
  watched.delete(fd);
  closeSync(fd);
};
for (const call of ["writeSync", "fsyncSync", "fdatasyncSync", "ftruncateSync"]) {
  const original = fs[call];
  fs[call] = (fd, ...rest) => {
    if (watched.has(fd)) reach(call, watched.get(fd));
    return original(fd, ...rest);
  };
}
for (const call of ["renameSync", "linkSync"]) {
  const original = fs[call];
  fs[call] = (from, to) => {
    if (isUnder(from) || isUnder(to)) reach(call, to);
    return original(from, to);
  };
}
for (const call of ["unlinkSync", "mkdirSync", "rmSync", "rmdirSync"]) {
  const original = fs[call];
  fs[call] = (path, ...rest) => {
    if (isUnder(path)) reach(call, path);
    return original(path, ...rest);
  };
}
syncBuiltinESMExports();
