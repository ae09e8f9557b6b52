// What a real browser shows: of an address, or of a file of the work tree. The picture is kept. The program that drives
// the browser runs as a child like every command of a check, so its whole tree is gone when this returns, and nothing of
// a browser is ever loaded into the run. Everything the browser writes lies in one temporary folder, which the next check
// removes where this one is killed.
import { stat } from "node:fs/promises";
import { renderProblem } from "../core/files.ts";
import { shownAddress } from "../core/written/address.ts";
import type { CheckContext, CheckPorts, Finding } from "./check-run.ts";
import { insideWorkTree } from "./file-check.ts";
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Check } from "../core/schema/task.ts";
import type { ChildCommand } from "../process/find-program.ts";
import type { CommandResult } from "../process/run-command.ts";
import { type BrowserSought, findBrowser } from "./find-browser.ts";
import { createHash } from "node:crypto";
import { bootId, findProcess, pidNamespace, type ProcessEntry } from "../process/process-table.ts";
import { lookAt } from "../process/look-at.ts";

/** Unpacking a browser for the first time takes seconds of it. */
const PAGE_TIMEOUT_MS = 2 * 60_000;

/** A browser needs many times as much memory to draw it. */
const LARGEST_BYTES = 16 * 1024 * 1024;

export async function runPageCheck(
  check: PageCheck,
  ports: CheckPorts,
  context: CheckContext,
): Promise<Finding> {
  const timeoutMs = Math.min(PAGE_TIMEOUT_MS, context.timeoutMs ?? PAGE_TIMEOUT_MS);
  const isFile = check.kind === "render";
  const problem = isFile ? await fileProblem(check.path, context) : undefined;
  if (problem !== undefined) return { result: "failed", summary: problem, output: problem };
  const shown = await ports.showPage(check, { timeoutMs });
  return judge(isFile ? check.path : shownAddress(check.url), check.sees, shown);
}

async function fileProblem(path: string, context: CheckContext): Promise<string | undefined> {
  const at = await insideWorkTree(context.workTree, path);
  if (!at.found) {
    return at.reason === "outside"
      ? `${path} leads out of the work tree`
      : `${path} does not exist`;
  }
  const problem = renderProblem(path);
  if (problem !== undefined) return problem;
  // Of what it really leads to: a pipe would be read for ever.
  const found = await stat(at.path);
  if (!found.isFile()) return `${path} is not a regular file`;
  if (found.size <= LARGEST_BYTES) return undefined;
  return `${path} is too large to render: ${Math.ceil(found.size / 1024 ** 2)} MiB of at most ${LARGEST_BYTES / 1024 ** 2}`;
}

function judge(what: string, sees: string, shown: PageShown): Finding {
  switch (shown.kind) {
    case "unavailable":
      return {
        result: "unavailable",
        summary: `no browser can show ${what}: ${shown.why}`,
        output: "",
        hint: shown.hint,
      };
    case "not-shown": {
      const summary = `${what} could not be shown: ${shown.why}`;
      return { result: "failed", summary, output: summary };
    }
    case "shown": {
      const isError = shown.status !== null && shown.status >= 400;
      const status = isError ? ` (it answered ${shown.status})` : "";
      return {
        result: shown.isSeen ? "passed" : "failed",
        summary: `${what} ${shown.isSeen ? "shows" : "does not show"} "${sees}"${status}`,
        output: `${shown.title === "" ? "" : `${shown.title}\n\n`}${shown.text}`,
        ...(shown.picture !== undefined && { picture: shown.picture }),
      };
    }
    default:
      return shown satisfies never;
  }
}

export interface PageSurroundings {
  readonly sought: BrowserSought;
  /** The bundled program that drives the browser. */
  readonly program: string;
  /** What the child inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly isRoot: boolean;
  /** Runs a child to its end, with everything it started. */
  readonly run: (command: ChildCommand, timeoutMs: number) => Promise<CommandResult>;
}

const LOAD_MS = 30_000;
/** A check that waits longer would wait as long before every session, when it cannot pass. */
const APPEAR_MS = 5_000;

export async function showPage(
  check: PageCheck,
  { timeoutMs }: { readonly timeoutMs: number },
  surroundings: PageSurroundings,
): Promise<PageShown> {
  const { sought, program } = surroundings;
  const found = findBrowser(sought);
  if (!found.found) return { kind: "unavailable", why: found.why, hint: found.hint };
  const folder = makePageFolder(pageFolderBase(tmpdir()));
  try {
    const job: PageJob = {
      check,
      driver: found.driver,
      browser: found.browser,
      sandbox: !surroundings.isRoot,
      workTree: realpathSync(sought.root),
      folder,
      loadMs: Math.min(LOAD_MS, timeoutMs),
      appearMs: Math.min(APPEAR_MS, timeoutMs),
    };
    const command: ChildCommand = {
      program: process.execPath,
      args: [program],
      cwd: folder,
      // The profile, crash reports and caches of a browser lie below these.
      env: { ...surroundings.env, TMPDIR: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      stdin: JSON.stringify(job),
    };
    const ran = await surroundings.run(command, timeoutMs);
    return answerIn(folder, ran, timeoutMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function answerIn(folder: string, ran: CommandResult, timeoutMs: number): PageShown {
  const text = readIfThere(join(folder, ANSWER_FILE))?.toString("utf8");
  if (text !== undefined) {
    const answer = JSON.parse(text) as PageShown;
    const picture = readIfThere(join(folder, PICTURE_FILE));
    return answer.kind === "shown" && picture !== undefined ? { ...answer, picture } : answer;
  }
  if (ran.timedOut) {
    return { kind: "not-shown", why: `it took longer than ${Math.round(timeoutMs / 1000)} s` };
  }
  const said = ran.output.trim().split("\n").slice(-5).join(" ");
  const why = `the browser's driver ended with code ${ran.exitCode}: ${said}`;
  return { kind: "unavailable", why, hint: NO_BROWSER_HINT };
}

export const NO_BROWSER_HINT =
  "start that Chromium by hand to see what is missing, or name another one: browser: in stint.config.yaml";

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Of an address, or of a file of the work tree. */
export type PageCheck = Extract<Check, { kind: "browser" | "render" }>;

export type PageShown =
  | {
      readonly kind: "shown";
      readonly isSeen: boolean;
      /** What the page shows, as text; bounded. */
      readonly text: string;
      readonly title: string;
      /** Of the answer that brought the page, where there was one. */
      readonly status: number | null;
      /** Lies beside the answer of the program that drives the browser. */
      readonly picture?: Uint8Array;
    }
  | { readonly kind: "not-shown"; readonly why: string }
  | { readonly kind: "unavailable"; readonly why: string; readonly hint: string };

/** Where the browser itself comes from. */
export type BrowserSource =
  | { readonly kind: "program"; readonly path: string }
  /** The npm package that holds a packed Chromium, and the folder it is unpacked to, once. */
  | { readonly kind: "package"; readonly path: string; readonly unpackTo: string }
  /** The one that Playwright itself downloaded. */
  | { readonly kind: "playwright" };

/** What the check and the program that drives the browser say to each other: a job on stdin, an answer and a picture. */
export interface PageJob {
  readonly check: PageCheck;
  /** The main file of playwright-core. */
  readonly driver: string;
  readonly browser: BrowserSource;
  /** Chromium cannot use its own sandbox as root. */
  readonly sandbox: boolean;
  /** Real path. */
  readonly workTree: string;
  /** Where answer and picture go, and everything the browser writes. */
  readonly folder: string;
  readonly loadMs: number;
  /** How long a page that is loaded may take to show it. */
  readonly appearMs: number;
}

export const ANSWER_FILE = "answer.json";
export const PICTURE_FILE = "page.png";

type Maker = Pick<ProcessEntry, "pid" | "start">;

const BEGINNING = "stint-page-";
const NAME = /^stint-page-([0-9a-f]{6})-(\d+)-([0-9a-f]{6})-\w{6}$/;

export function makePageFolder(base: string): string {
  const self = findProcess(process.pid);
  // Who cannot see itself can tell of nobody whether it runs.
  if (self === undefined) return mkdtempSync(join(base, BEGINNING));
  removeLeftFolders(base);
  return mkdtempSync(join(base, pageFolderBeginning(self)));
}

/** A browser's socket in the longest such folder; systems take at most 103 bytes for all of its path. */
const SOCKET = `${BEGINNING}123456-4194304-123456-XXXXXX/org.chromium.Chromium.XXXXXX/SingletonSocket`;
const LONGEST_PATH = 103;
const SHORTEST_BASE = "/tmp";

/** Where such folders are made: in the temporary folder, unless a browser could not start there. */
export function pageFolderBase(temporary: string): string {
  const wanted = realpathSync(temporary);
  if (Buffer.byteLength(join(wanted, SOCKET)) <= LONGEST_PATH) return wanted;
  try {
    accessSync(SHORTEST_BASE, constants.W_OK | constants.X_OK);
    return realpathSync(SHORTEST_BASE);
  } catch {
    return wanted;
  }
}

export function pageFolderBeginning({ pid, start }: Maker): string {
  return `${BEGINNING}${here()}-${pid}-${shortHash(start)}-`;
}

function removeLeftFolders(base: string): void {
  const ours = here();
  for (const name of readdirSync(base)) {
    const [, place, pid, start] = NAME.exec(name) ?? [];
    if (place !== ours || isRunning(Number(pid), start)) continue;
    const path = join(base, name);
    const facts = lookAt(path);
    if (facts?.isDirectory() !== true || facts.uid !== process.getuid?.()) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another check may be at it, or may not be allowed to; it holds up nobody.
    }
  }
}

/** Pids are used again; a start time in the same boot is not. */
function isRunning(pid: number, start: string | undefined): boolean {
  const found = findProcess(pid);
  return found !== undefined && !found.zombie && shortHash(found.start) === start;
}

/** Where pids mean the same. */
function here(): string {
  return shortHash(`${bootId()} ${pidNamespace()}`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}
