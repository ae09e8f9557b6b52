// A real Chromium for tests: the one that a check would find here. Where none can be started, tests of
// it are skipped and say why; everything about having none is tested all the same.
import { accessSync, constants, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newRunId } from "../../src/core/ids.ts";
import {
  type PageCheck,
  type PageShown,
  type PageSurroundings,
  showPage,
} from "../../src/checks/page-check.ts";
import { randomBytes } from "node:crypto";
import { chooseIsolation } from "../../src/process/namespace/isolation.ts";
import { runCommand } from "../../src/process/run-command.ts";
import { REPOSITORY } from "./generated-files.ts";

export const BROWSER_PROGRAM = join(REPOSITORY, "dist/browser-check.cjs");

/** A browser is unpacked once for all tests. */
export const BROWSER_CACHE = writableCache();

export interface Showing {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly configured?: string;
  /** Beside which file the driver is looked for first. */
  readonly own?: string;
  /** Instead of running it as a check does. */
  readonly run?: PageSurroundings["run"];
}

export async function showInBrowser(check: PageCheck, showing: Showing): Promise<PageShown> {
  const env = { PATH: process.env["PATH"] ?? "", ...showing.env, XDG_CACHE_HOME: BROWSER_CACHE };
  const { signal, timeoutMs = 120_000 } = showing;
  return await showPage(
    check,
    { timeoutMs },
    {
      sought: {
        configured: showing.configured,
        env,
        root: showing.root,
        own: showing.own ?? BROWSER_PROGRAM,
      },
      program: BROWSER_PROGRAM,
      env,
      isRoot: process.getuid?.() === 0,
      run:
        showing.run ??
        (async (command, ms) =>
          await runCommand(command, {
            timeoutMs: ms,
            maxOutputBytes: 16 * 1024,
            runId: newRunId((count) => randomBytes(count)),
            isolation: chooseIsolation("auto"),
            redact: (line) => line,
            ...(signal === undefined ? {} : { signal }),
          })),
    },
  );
}

/** Undefined when a browser can be started here, else why not. */
export async function whyNoBrowser(): Promise<string | undefined> {
  const check = { kind: "browser", url: "about:blank", sees: "" } as const;
  const shown = await showInBrowser(check, { root: REPOSITORY });
  return shown.kind === "unavailable" ? shown.why : undefined;
}

function writableCache(): string {
  const beside = join(REPOSITORY, "node_modules", ".cache");
  try {
    mkdirSync(beside, { recursive: true });
    accessSync(beside, constants.W_OK);
    return beside;
  } catch {
    const own = join(tmpdir(), `stint-test-browser-${process.getuid?.() ?? 0}`);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return own;
  }
}
