// A user namespace that has the same users as this one, for root to put its children into: held open by a
// descriptor for as long as this process lives, and entered by every child.
import { spawn } from "node:child_process";
import { openSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { killChild } from "../kill-child.ts";
import { findProcess } from "../process-table.ts";

/**
 * Only somebody outside may say which users it has, so it is made by a process that waits until that is
 * said; without its input, also when this process dies, that one leaves by itself.
 * Throws where none can be made.
 */
export function sameUsers(unshare: string): number {
  const waiting = ["--user", "/bin/sh", "-c", "read -r end"];
  const maker = spawn(unshare, waiting, { cwd: "/", stdio: ["pipe", "ignore", "ignore"] });
  maker.on("error", () => {});
  try {
    if (maker.pid === undefined) throw new Error("no process or no descriptor is free");
    const at = `/proc/${maker.pid}`;
    const own = readlinkSync("/proc/self/ns/user");
    while (readlinkSync(`${at}/ns/user`) === own) {
      if (findProcess(maker.pid)?.zombie !== false) throw new Error("it made no namespace");
    }
    for (const map of ["uid_map", "gid_map"]) writeFileSync(`${at}/${map}`, same(map));
    return openSync(`${at}/ns/user`, "r");
  } finally {
    maker.stdin?.destroy();
    killChild(maker, "SIGKILL");
    maker.unref();
  }
}

/** Each line is the first number inside, the first outside, and how many. */
function same(map: string): string {
  const lines = readFileSync(`/proc/self/${map}`, "latin1").trim().split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/))
    .map(([first, , count]) => `${first} ${first} ${count}\n`)
    .join("");
}
