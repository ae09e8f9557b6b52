// The one place that builds a real system: files, clock, state folder, pages.
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { StintError } from "./core/stint-error.ts";
import type { System } from "./operations/system.ts";
import { sessionDescent } from "./process/child-environment.ts";
import { killProcessesOfRun } from "./process/end-processes.ts";
import { projectPages } from "./report/pages/pages.ts";
import { Mailbox } from "./store/mailbox.ts";
import { FileStore } from "./store/file-store.ts";
import { realFiles } from "./store/files.ts";
import { thisHost } from "./store/host.ts";
import { realPathOf } from "./store/real-path.ts";
import { VERSION } from "./core/words/version.ts";

export function openSystem(options: {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly scriptedProgram: string;
  readonly acpProgram: string;
  readonly browserProgram: string;
  readonly program: string;
  readonly examples: string;
  readonly skills: string;
  readonly watchBeside?: System["watchBeside"];
  readonly agents?: System["agents"];
}): System {
  const host = thisHost();
  const storeOptions = {
    files: realFiles,
    host,
    stateHome: stateHome(options.env),
    pages: projectPages,
  };
  const store = new FileStore(storeOptions);
  return {
    store,
    mailbox: new Mailbox(realFiles, host, storeOptions.stateHome),
    async doctor() {
      const { Doctor } = await import("./store/doctor/doctor.ts");
      return new Doctor(storeOptions, store);
    },
    host,
    cwd: options.cwd,
    // Asked for only by verbs that write: the user database is not read for the others.
    get user() {
      return userName(options.env);
    },
    descent: () => sessionDescent(options.env),
    env: options.env,
    stateHome: storeOptions.stateHome,
    scriptedProgram: options.scriptedProgram,
    acpProgram: options.acpProgram,
    agents: options.agents,
    browserProgram: options.browserProgram,
    program: options.program,
    examples: options.examples,
    version: VERSION,
    skills: options.skills,
    async watchFiles() {
      const { WatchFiles } = await import("./store/watch-files.ts");
      return new WatchFiles(realFiles, host, storeOptions.stateHome);
    },
    async detachedFiles() {
      const { DetachedFiles } = await import("./store/detached-files.ts");
      return new DetachedFiles(realFiles, host, storeOptions.stateHome);
    },
    watchBeside: options.watchBeside,
    killProcessesOf: killProcessesOfRun,
  };
}

/**
 * `$XDG_STATE_HOME/stint`, by default `~/.local/state/stint`. A relative path does not count. Where it really is: a home may
 * be a link, and nothing is mounted through one.
 */
export function stateHome(env: NodeJS.ProcessEnv): string {
  const set = env["XDG_STATE_HOME"];
  const isSet = set !== undefined && isAbsolute(set);
  return realPathOf(isSet ? join(set, "stint") : join(homeFolder(), ".local", "state", "stint"));
}

function homeFolder(): string {
  let home = "";
  try {
    home = homedir();
  } catch {
    // An account without HOME and without an entry in the user database.
  }
  // An empty or relative HOME would put the state wherever one happens to stand.
  if (isAbsolute(home)) return home;
  throw new StintError(
    "bad-input",
    "there is no home folder to keep the state in: HOME is not an absolute path",
    "Say where: export XDG_STATE_HOME=/path/to/state",
  );
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // Accounts without an entry in the user database exist in containers.
    return env["USER"] ?? "unknown";
  }
}
