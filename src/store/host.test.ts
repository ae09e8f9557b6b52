import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { thisHost } from "./host.ts";

const isLinux = existsSync("/proc/self/stat");

describe("this host", () => {
  it("knows its own process as alive", () => {
    const host = thisHost();
    const { pid, process_start } = host.self();
    expect(pid).toBe(process.pid);
    expect(process_start).not.toBe("unknown");
    expect(host.processState(pid, process_start)).toBe("alive");
  });

  it("tells the same identity each time, with a boot id and a namespace", () => {
    const host = thisHost();
    expect(host.self()).toEqual(thisHost().self());
    expect(host.self().boot_id).not.toBe("unknown");
    expect(host.self().pid_namespace).not.toBe("");
  });

  it("knows a reused pid by its other start time as dead", () => {
    const host = thisHost();
    expect(host.processState(process.pid, "1")).toBe("dead");
  });

  it("knows a child that ended and was reaped as dead", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    expect(thisHost().processState(pid, "1")).toBe("dead");
  });

  it("cannot tell for a process whose start time was never known", () => {
    expect(thisHost().processState(process.pid, "unknown")).toBe("unknown");
  });

  it.runIf(isLinux)("knows a zombie as dead although its pid still exists", async () => {
    // A parent that never reaps: the shell becomes sleep, whose child has ended.
    const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [said] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(said.toString("utf8"));
      const stat = () => readFileSync(`/proc/${pid}/stat`, "latin1");
      while (!/\) Z /.test(stat())) await new Promise(setImmediate);
      const start = stat().split(") ")[1]?.split(" ")[19] ?? "";
      expect(() => process.kill(pid, 0)).not.toThrow();
      expect(thisHost().processState(pid, start)).toBe("dead");
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("does something every so often until it is told not to, and keeps no process alive for it", () => {
    vi.useFakeTimers();
    try {
      const set = vi.spyOn(globalThis, "setInterval");
      let count = 0;
      const end = thisHost().every(10, () => (count += 1));
      expect(set.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([
        false,
      ]);
      vi.advanceTimersByTime(35);
      expect(count).toBe(3);
      end();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      vi.restoreAllMocks();
    }
  });

  it("gives as many random bytes as asked, and others each time", () => {
    const host = thisHost();
    expect(host.randomBytes(8)).toHaveLength(8);
    expect(host.randomBytes(8)).not.toEqual(host.randomBytes(8));
  });
});
