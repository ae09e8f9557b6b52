// `watchdog tick`: one pass over every project that is watched. What is due is gone on with by a run of its own,
// detached; after two of which nothing came, a person is told, once. Silent where there is nothing.
//
// The order, so that a kill between any two leaves nothing that the next tick does not find:
//   1. the recovery is remembered, exclusively    2. its run is started    3. its process is remembered
// Never two at once: who is later finds the recovery remembered, or the lease held.
import { existsSync } from "node:fs";
import type { ProjectId } from "../../core/ids.ts";
import { type Instant, instantFromMs, msOf } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import type { TickView } from "../../core/schema/views.ts";
import {
  type Due,
  lastEvidence,
  type LeaseCondition,
  recoverOrEscalate,
  whatIsDue,
} from "../../core/watchdog.ts";
import type { LeaseView } from "../../store/store.ts";
import type { Quiet, WatchFiles } from "../../store/watch-files.ts";
import { orFault } from "../faults.ts";
import { resolveProject } from "../resolve-project.ts";
import type { System } from "../system.ts";
import { type Recover, startResume } from "./start-resume.ts";

export interface TickInput {
  /** One project alone; without it, every one. */
  readonly project?: string | undefined;
  /** Runs that it starts wait for their limits themselves and are watched as it was: nobody else ticks. */
  readonly runsWait?: boolean;
  /** Starts a run that goes on; a test has its own. */
  readonly recover?: Recover;
}

/** What a tick found of one project. */
export interface Found {
  /** Null where there is nothing to say. */
  readonly act: TickView["acts"][number] | null;
  /** By what it is known again, where it is quiet. */
  readonly quiet: Quiet | null;
  /** When something comes due by itself. */
  readonly until: Instant | null;
  /** Nobody watches it: it is Done or Abandoned, or its settings say so. */
  readonly isOver: boolean;
}

const NOTHING: Found = { act: null, quiet: null, until: null, isOver: false };

export async function tick(system: System, input: TickInput): Promise<TickView> {
  refuseSession(system);
  const files = await system.watchFiles();
  const ids =
    input.project === undefined ? files.ids() : [await resolveProject(system, input.project)];
  const before = files.ticked()?.quiet ?? {};
  const quiet: Record<string, Quiet> = input.project === undefined ? {} : { ...before };
  const acts: TickView["acts"] = [];
  let watched = 0;
  for (const id of ids) {
    // One after another: each costs little, and what they start is on its own.
    // oxlint-disable-next-line no-await-in-loop
    const found =
      stillQuiet(system, files, id, before[id]) ?? (await tickProject(system, files, id, input));
    if (found.act !== null) acts.push(found.act);
    if (!found.isOver) watched += 1;
    if (found.quiet === null) delete quiet[id];
    else quiet[id] = found.quiet;
  }
  const at = instantFromMs(system.host.nowMs());
  files.keepTicked({ ticked_at: at, quiet });
  return { at, projects: ids.length, watched, acts };
}

/** What a session starts is ended with it; nothing is to be gone on with from there. @throws refused */
function refuseSession({ descent }: System): void {
  const why = descent();
  if (why === null) return;
  throw new StintError(
    "refused",
    `the watchdog resumes projects, and this process was started by a run: ${why}`,
    "Do your own task and end; the run continues with the next one.",
  );
}

/** Known again by its numbers, and its time has not come: nothing of it is read. */
function stillQuiet(
  { host }: System,
  files: WatchFiles,
  id: ProjectId,
  known: Quiet | undefined,
): Found | undefined {
  if (known === undefined || (known.until !== null && msOf(known.until) <= host.nowMs())) {
    return undefined;
  }
  const key = orFault(() => files.keyOf(id));
  return key.ok && key.value === known.key
    ? { ...NOTHING, quiet: known, isOver: known.over === true }
    : undefined;
}

export async function tickProject(
  system: System,
  files: WatchFiles,
  id: ProjectId,
  input: TickInput,
): Promise<Found> {
  // Read before everything else: what changes afterwards has another key.
  const key = orFault(() => files.keyOf(id));
  const looked = orFault(() => lookAt(system, files, id));
  if (!looked.ok)
    return sayOnce(files, id, instantFromMs(system.host.nowMs()), looked.fault.message);
  if (looked.value === undefined) return NOTHING;
  const { due, state } = looked.value;
  if (due.due) return await act(system, files, state, due.why, input);
  // A tick that was killed while it told a person is made up for.
  const untold = isToldAbout(state) ? files.escalating(id) : undefined;
  if (untold !== undefined) return await tellPerson(system, files, state, untold);
  const isOver = !state.watchdog.installed;
  if (isOver) files.forget(id);
  const { until } = due;
  const isKnownAgain = key.ok && key.value !== undefined && !looked.value.isHeld;
  if (!isKnownAgain) return { ...NOTHING, until, isOver };
  const over = isOver ? { over: true as const } : {};
  return { act: null, until, isOver, quiet: { key: key.value, until, ...over } };
}

interface Looked {
  readonly state: ProjectState;
  readonly due: Due;
  readonly isHeld: boolean;
}

function lookAt({ host, mailbox }: System, files: WatchFiles, id: ProjectId): Looked | undefined {
  const looked = files.look(id);
  if (looked === undefined) return undefined;
  const { state, lease } = looked;
  const answers = mailbox
    .waiting(id)
    .flatMap((mail) => (mail.kind === "letter" ? [mail.letter.answer.verb] : []));
  const condition = conditionOf(lease);
  // As good as the letter that says so.
  if (condition === "lost" && lease.lease !== null && files.isStopped(id, lease.lease.run_id)) {
    answers.push("pause");
  }
  const nowMs = host.nowMs();
  const facts = { state, lease: condition, leaseWhy: lease.why, answers, nowMs };
  return { state, due: whatIsDue(facts), isHeld: lease.held };
}

function conditionOf({ lease, held }: LeaseView): LeaseCondition {
  if (lease === null) return "never";
  if (held) return "held";
  return lease.released_at === null ? "lost" : "given-back";
}

async function act(
  system: System,
  files: WatchFiles,
  state: ProjectState,
  why: string,
  { recover = startResume, runsWait = false }: TickInput,
): Promise<Found> {
  const { project_id: id, slug } = state;
  const at = instantFromMs(system.host.nowMs());
  const entry = system.store.find(id);
  if (entry === undefined || !existsSync(entry.root)) {
    return sayOnce(files, id, at, `${why}; its work tree ${entry?.root ?? ""} is gone`);
  }
  const read = orFault(() => lastEvidence(system.store.journal(id), state.owner_agent));
  if (!read.ok) return sayOnce(files, id, at, read.fault.message);
  const since = read.value;
  const verdict = recoverOrEscalate(why, files.recoveries(id, since), system.host.nowMs());
  if (verdict.act === "wait") return NOTHING;
  if (verdict.act === "escalate") {
    files.beginEscalation(id, verdict.why);
    return await tellPerson(system, files, state, verdict.why);
  }
  const { number } = verdict;
  if (!files.beginRecovery(id, since, number, { at, why })) return NOTHING;
  const started = recover(system, files, { entry, why, runsWait });
  if (started !== null) files.recoveryStarted(id, since, number, { at, why, ...started });
  return { ...NOTHING, act: { project_id: id, slug, act: "resume", why, recovery: number } };
}

async function tellPerson(
  system: System,
  files: WatchFiles,
  { project_id, slug }: ProjectState,
  why: string,
): Promise<Found> {
  // Hardly ever needed, and it brings most of a run with it.
  const { escalate } = await import("./escalate.ts");
  const told = await escalate(system, project_id, why);
  // Somebody is at work after all: there is nothing to tell.
  files.endEscalation(project_id);
  return told
    ? { ...NOTHING, act: { project_id, slug, act: "escalate", why, recovery: null } }
    : NOTHING;
}

/** Only a project that a tick paused can have a person who was not told. */
function isToldAbout({ pause }: ProjectState): boolean {
  return pause?.kind === "interruption" && pause.resume_at === undefined;
}

/** What no run can help with; again only where it is something else. */
function sayOnce(files: WatchFiles, id: ProjectId, at: Instant, why: string): Found {
  if (!files.sayOnce(id, at, why)) return NOTHING;
  return { ...NOTHING, act: { project_id: id, slug: null, act: "look", why, recovery: null } };
}
