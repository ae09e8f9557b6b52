// The one place that builds a real system: files, clock, state folder, pages.
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import type { System } from "./operations/system.ts";
import { projectPages } from "./report/pages.ts";
import { FileStore } from "./store/file-store.ts";
import { realFiles } from "./store/files.ts";
import { thisHost } from "./store/this-host.ts";

export function openSystem(options: {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly scriptedProgram: string;
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
    async doctor() {
      const { FileDoctor } = await import("./store/file-doctor.ts");
      return new FileDoctor(storeOptions, store);
    },
    host,
    cwd: options.cwd,
    user: userName(options.env),
    env: options.env,
    stateHome: storeOptions.stateHome,
    scriptedProgram: options.scriptedProgram,
  };
}

/** `$XDG_STATE_HOME/stint`, by default `~/.local/state/stint`. A relative path does not count. */
export function stateHome(env: NodeJS.ProcessEnv): string {
  const set = env["XDG_STATE_HOME"];
  const base = set !== undefined && isAbsolute(set) ? set : join(homedir(), ".local", "state");
  return join(base, "stint");
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // Accounts without an entry in the user database exist in containers.
    return env["USER"] ?? "unknown";
  }
}
