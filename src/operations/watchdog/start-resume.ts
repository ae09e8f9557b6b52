// Starts a run that goes on with a project while nobody is there: a process of its own that outlives whoever starts it,
// told to decide nothing for a person. What it says goes to a log of the project.
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { RegistryEntry } from "../../store/store.ts";
import type { StartedProcess, WatchFiles } from "../../store/watch-files.ts";
import type { System } from "../system.ts";

export interface Resume {
  readonly entry: RegistryEntry;
  readonly why: string;
  readonly runsWait: boolean;
}

/** @returns null where it cannot be known again */
export type Recover = (system: System, files: WatchFiles, resume: Resume) => StartedProcess | null;

export const startResume: Recover = (system, files, { entry, why, runsWait }) => {
  const log = files.openLog(entry.project_id);
  try {
    const words = ["resume", entry.project_id, "--unattended", why];
    const child = spawn(
      process.execPath,
      [system.program, ...words, runsWait ? "--watchdog" : "--no-wait"],
      { cwd: entry.root, env: { ...system.env }, detached: true, stdio: ["ignore", log, log] },
    );
    // A process that cannot be started is a recovery of which nothing came.
    child.on("error", () => {});
    child.unref();
    const { pid } = child;
    return pid === undefined ? null : files.identify(pid);
  } finally {
    closeSync(log);
  }
};
