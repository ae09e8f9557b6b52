// `run --detach`: the run goes on in a process of its own, in a session of its own, so that no closed terminal reaches
// it. Here it is started, and it tells who it is, what it says and how it ended; `watch` reads that.
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { parseProjectId, type ProjectId } from "../../core/ids.ts";
import type { News } from "../../core/news.ts";
import type { DetachedView, ErrorView } from "../../core/schema/views.ts";
import { type ErrorCode, StintError } from "../../core/stint-error.ts";
import type { DetachedEnd, DetachedFiles } from "../../store/detached-files.ts";
import { projectFor } from "../new-project.ts";
import { nowOf, type System } from "../system.ts";
import { refuseInsideOwnRun } from "./run.ts";
import type { RunInput, TypedSettings } from "./run-settings.ts";
import { toBeWorkedOn } from "./run-surroundings.ts";

/** Which run in the background a process is: the project and the name of its files. */
export const DETACHED_VARIABLE = "STINT_DETACHED";

const LOOK_MS = 50;
/** A copy may take minutes to be made; nobody waits for that. */
const LONGEST_START_MS = 5_000;

export type Detached =
  | { readonly kind: "started"; readonly view: DetachedView }
  /** It ended before it came to work, or at once. */
  | { readonly kind: "ended"; readonly end: DetachedEnd };

export async function detach(
  system: System,
  input: TypedSettings &
    Pick<RunInput, "resumes"> & {
      readonly target: string | undefined;
      readonly words: readonly string[];
    },
): Promise<Detached> {
  refuseInsideOwnRun(system);
  const id = await projectFor(system, input.target, toBeWorkedOn(system, input));
  const { lease } = system.store.read(id);
  if (lease.held) throw alreadyAtWork(id, lease.why);
  const files = await system.detachedFiles();
  const name = files.newName();
  const log = files.openLog(id, name);
  try {
    const child = spawn(process.execPath, [system.program, ...input.words], {
      cwd: system.cwd,
      env: { ...system.env, [DETACHED_VARIABLE]: `${id}:${name}` },
      detached: true,
      stdio: ["ignore", log, log],
    });
    let failure: Error | undefined;
    child.on("error", (error) => {
      failure = error;
    });
    child.unref();
    const { pid } = child;
    const untilMs = system.host.nowMs() + LONGEST_START_MS;
    const isStarting = (): boolean =>
      failure === undefined && child.exitCode === null && child.signalCode === null;
    // What it would be refused for, it is refused for before it tells anything.
    const hasTold = (): boolean => files.news(id, name, 0).next > 0;
    while (isStarting() && !hasTold() && system.host.nowMs() < untilMs) {
      // oxlint-disable-next-line no-await-in-loop
      await system.host.sleep(LOOK_MS, new AbortController().signal);
    }
    if (pid !== undefined && isStarting()) {
      return { kind: "started", view: viewOf(files, { id, name, pid }) };
    }
    return { kind: "ended", end: endOf(files, id, name, failure) };
  } finally {
    closeSync(log);
  }
}

function alreadyAtWork(id: ProjectId, why: string): StintError {
  return new StintError(
    "lease-held",
    `${id} is being worked on: ${why}`,
    `See what it does: stint watch ${id}`,
  );
}

function viewOf(
  files: DetachedFiles,
  { id, name, pid }: { readonly id: ProjectId; readonly name: string; readonly pid: number },
): DetachedView {
  return {
    project_id: id,
    pid,
    log: files.logPath(id, name),
    next: [`stint watch ${id}`, `stint status ${id}`, `stint stop ${id}`],
  };
}

/** @throws what it ended with */
function endOf(
  files: DetachedFiles,
  id: ProjectId,
  name: string,
  failure: Error | undefined,
): DetachedEnd {
  const end = files.end(id, name);
  const log = files.logPath(id, name);
  if (end === undefined) {
    throw new StintError(
      "state-unwritable",
      `the run in the background ended before it started work${failure === undefined ? "" : `: ${failure.message}`}`,
      `Its output: cat ${log}; or run it here, without --detach`,
    );
  }
  const { error } = end.document as Partial<ErrorView>;
  if (error === undefined) return end;
  // As it would have been refused in the foreground.
  throw new StintError(error.code as ErrorCode, error.message, error.hint ?? "");
}

/** What the run in the background keeps of itself while it works. */
export interface DetachedRecord {
  tell(news: News): void;
  /** How it ended: what it would have printed. */
  end(end: DetachedEnd): void;
}

/** Null where this process is no run in the background. */
export async function detachedRecord(system: System): Promise<DetachedRecord | null> {
  const [, written = "", name = ""] =
    /^(p-[a-z0-9]+):([0-9a-f]{8})$/.exec(system.env[DETACHED_VARIABLE] ?? "") ?? [];
  const id = parseProjectId(written);
  if (id === undefined) return null;
  const files = await system.detachedFiles();
  const before = files.current(id);
  const begin = (): void => files.takeOver(id, name, nowOf(system));
  // Another one may be at work, and this one about to be refused.
  if (before === undefined || !files.isAlive(before)) begin();
  const news = files.openNews(id, name);
  let hasStarted = false;
  return {
    tell(each) {
      if (each.kind === "started") begin();
      hasStarted ||= each.kind === "started";
      news.tell(each);
    },
    end(end) {
      files.keepEnd(id, name, end);
      if (!hasStarted) files.giveBack(id, name);
      news.close();
    },
  };
}
