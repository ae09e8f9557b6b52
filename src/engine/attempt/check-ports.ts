// What checks reach the outside by: each child in the run's isolation, ended with it, and only as long
// as the run is wanted.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { CheckPorts } from "../../checks/check-run.ts";
import { showPage } from "../../checks/show-page.ts";
import { instantFromMs } from "../../core/instant.ts";
import type { ChildCommand } from "../../process/child-command.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import type { View } from "../../process/namespace/view.ts";
import { type CommandResult, runCommand } from "../../process/run-command.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Host } from "../../store/host.ts";
import type { StopWanted, Surroundings } from "../base/run-context.ts";
import { whileWanted } from "../base/while-wanted.ts";
import { WORK_TREE_VARIABLE } from "../space/open-space.ts";

export interface BrowserChoice {
  /** `browser:` of the settings. */
  readonly configured: string | undefined;
  /** The bundled program that drives a browser. */
  readonly program: string;
}

export interface CheckSurroundings extends Surroundings {
  /** The person's own files, for commands that a manifest wants there. */
  readonly checkout: Pick<Surroundings, "at" | "view">;
  readonly browser: BrowserChoice;
  /** The tree that was laid last. */
  readonly laidTree: () => string;
  /** Called whenever something is about to run that may change files. */
  readonly touched: () => void;
  readonly host: Host;
  readonly stopWanted: () => StopWanted | null;
}

const DRIVER_OUTPUT_BYTES = 16 * 1024;

export function checkPorts(surroundings: CheckSurroundings): CheckPorts {
  const { at, view, checkout, env, allow, host, stopWanted, browser } = surroundings;
  const own = (): Record<string, string> =>
    childEnvironment(env, { allow, extra: { STINT_CHECK: randomUUID() } });

  const runChild = async (
    what: string,
    command: ChildCommand,
    limits: { readonly timeoutMs: number; readonly maxOutputBytes: number },
    seen: View = view,
  ): Promise<CommandResult> =>
    await whileWanted(stopWanted, what, async (signal) => {
      surroundings.touched();
      const result = await runCommand(command, {
        ...limits,
        killMs: surroundings.killMs,
        runId: surroundings.runId,
        isolation: surroundings.isolation,
        view: seen,
        redact: makeRedactor(env),
        signal,
      });
      if (result.stopped) throw signal.reason;
      return result;
    });

  return {
    runShell: async (command, { dir = "", in: place, env: more, ...limits }) => {
      const start = place === "checkout" ? checkout : { at, view };
      const given = { ...own(), [WORK_TREE_VARIABLE]: start.at, ...more };
      return await runChild(
        `"${command}"`,
        { program: "sh", args: ["-c", command], cwd: join(start.at, dir), env: given },
        limits,
        start.view,
      );
    },
    showPage: async (page, options) =>
      await showPage(page, options, {
        sought: { configured: browser.configured, env, root: at, own: browser.program },
        program: browser.program,
        env: own(),
        isRoot: process.getuid?.() === 0,
        run: async (command, timeoutMs) =>
          await runChild("the browser", command, {
            timeoutMs,
            maxOutputBytes: DRIVER_OUTPUT_BYTES,
          }),
      }),
    whileWanted: async (what, work) => await whileWanted(stopWanted, what, work),
    treeHash: async () => surroundings.laidTree(),
    now: () => instantFromMs(host.nowMs()),
    variable: (name) => env[name],
    redact: (text) => text.split("\n").map(makeRedactor(env)).join("\n"),
  };
}
