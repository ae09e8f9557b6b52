// Builds the context of a real run: processes, git, checks and agents around a held lease. What a person chose
// on the command line is kept, so that whoever resumes by the id alone goes on as the run was begun.
import { pathInTree } from "../../core/files.ts";
import { type Instant, instantFromMs } from "../../core/instant.ts";
import type { Config } from "../../core/schema/config.ts";
import { type RunChoices, runChoices } from "../../core/schema/run-records.ts";
import type { ProtectSettings } from "../../core/written/protect.ts";
import type { IterationSettings } from "../../iteration/settings.ts";
import type { Notifier } from "../../notify/notifier.ts";
import { chooseIsolation, type Isolation } from "../../process/namespace/isolation.ts";
import type { Walls } from "../../process/namespace/walls.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import { projectLayout } from "../../store/layout.ts";
import type { Mailbox } from "../../store/mailbox.ts";
import { keptPath } from "../../store/store.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { answersFor, openLanes } from "../attempt/lanes.ts";
import { type BrowserChoice, checkPorts } from "../attempt/run-checks.ts";
import {
  DEFAULT_SESSION_LIMITS,
  type SessionLimits,
  sessionStarter,
} from "../attempt/session-process.ts";
import { type Keeping, keepRecord, type Kept, readKept } from "../base/kept-record.ts";
import type { AnswerBox, RunContext, StopWanted, Surroundings } from "../base/run-context.ts";
import { openSecrets } from "../base/secrets.ts";
import { treeFiles } from "../base/tree-files.ts";
import { deliveryRule } from "../finish/deliver.ts";
import { NO_PUSH, workPush } from "../finish/push.ts";
import { childPages } from "../people/child-pages.ts";
import { openNotices } from "../people/open-notices.ts";
import { outsideFiles } from "../proof/outside-files.ts";
import { personsGit } from "../people/persons-git.ts";
import { openAnswers } from "../people/take-answers.ts";
import {
  openSpace,
  type OpenSpace,
  type SpaceChoice,
  WORK_TREE_VARIABLE,
} from "../space/open-space.ts";
import { runWalls } from "../space/run-walls.ts";
import { insideStarter } from "../space/workspace-commands.ts";
import { stageNotes } from "./note-stages.ts";

export interface RunOptions extends Pick<
  RunContext,
  | "holder"
  | "store"
  | "host"
  | "person"
  | "settings"
  | "agents"
  | "tell"
  | "stopWanted"
  | "checkTimeoutMs"
  | "setupTimeoutMs"
  | "program"
> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only variables that sessions, checks and acts see, and the credentials that they get. */
  readonly allow?: readonly string[] | undefined;
  readonly stateHome: string;
  readonly space: SpaceChoice;
  readonly isolation: "auto" | "on" | "off";
  /** Absent: no walls. */
  readonly protect?: ProtectSettings;
  readonly limits?: Partial<SessionLimits>;
  /** Stint's own client of the Agent Client Protocol. */
  readonly acpProgram: string;
  readonly browser: BrowserChoice;
  readonly notify: Config["notify"];
  readonly mailbox: Mailbox;
  /** Where the pages of child workflows lie. */
  readonly iteration: { readonly settings: IterationSettings; readonly home: string };
}

export interface OpenRun extends RunContext {
  readonly isolation: Isolation;
  readonly notices: Notifier | undefined;
}

export async function openRun(options: RunOptions): Promise<OpenRun> {
  const { holder, store, host, person, settings, agents, tell, stateHome } = options;
  const { root, manifest, folder } = holder.entry;
  const runId = holder.lease.run_id;
  const isolation = chooseIsolation(options.isolation);
  const walls = runWalls({ ...options, isolation, runId });
  const checkout = treeFiles({ root, manifest, projectFolder: folder });
  const isInPlace = options.space.kind === "in-place";
  const answers = openAnswers(
    { holder, store, host, tell, checkout, agents, isInPlace },
    options.mailbox,
  );
  const stopWanted = (): StopWanted | null => options.stopWanted() ?? answers.stopNow();
  const secrets = openSecrets(options.env, root);
  const opened = await openSpace({
    ...options,
    secrets,
    runId,
    isolation,
    choice: options.space,
    walls,
    stopWanted,
  });
  const place: PlaceOptions = { ...options, runId, isolation, walls, secrets, stopWanted };
  const context: Omit<OpenRun, "lanes" | "clone"> = {
    holder,
    store,
    host,
    runId,
    person,
    checkout,
    ...placeOf(place, opened, answers),
    rule: deliveryRule(root, settings.deliver),
    push: options.space.hasGit
      ? workPush({
          root,
          policy: settings.push,
          runId,
          stopWanted,
          hook: (push) => opened.space.beforePush(push),
        })
      : NO_PUSH,
    personsGit: personsGit(holder, store),
    isolation,
    secrets,
    agents,
    program: options.program,
    ...(walls.cannotWrite !== null && { cannotWrite: walls.cannotWrite }),
    settings,
    checkTimeoutMs: options.checkTimeoutMs,
    setupTimeoutMs: options.setupTimeoutMs,
    tell,
    notices: openNotices({
      ...surroundings(place, opened.space),
      view: { hide: [stateHome], mounts: [] },
      settings: options.notify,
      holder,
      store,
      host,
      tell,
    }),
    children: childPages(
      { holder, store, tell },
      options.iteration.settings,
      options.iteration.home,
    ),
    stages: stageNotes({ holder, store, host }),
    // Without a namespace every child sees what is there.
    outsideFiles: () =>
      isolation.kind === "group"
        ? { hidden: [], tooMany: [] }
        : outsideFiles({ holder, space: opened.space }, options.env),
    stopWanted,
  };
  const clone = async (commit: string, hidden: readonly string[]): Promise<RunContext> => {
    const fresh = opened.clone(commit, hidden);
    await fresh.space.open();
    return { ...context, ...placeOf(place, fresh, answers), lanes, clone };
  };
  const lanes = openLanes({ holder, answers }, async (lane, all) => {
    const beside = opened.lane(lane);
    for (const text of await beside.space.open()) tell({ kind: "notice", text });
    const own = placeOf(place, beside, answersFor(answers, all, lane));
    return { ...context, ...own, lane, lanes: all, clone };
  });
  return { ...context, lanes, clone };
}

interface PlaceOptions
  extends Omit<RunOptions, "isolation">, Pick<RunContext, "runId" | "secrets"> {
  readonly isolation: Isolation;
  readonly walls: Walls;
}

/** All that depends on where the files are: in the workspace, or in a lane of it. */
function placeOf(
  options: PlaceOptions,
  { space, laidTree, touched, layAgentFiles }: OpenSpace,
  answers: AnswerBox,
): Pick<
  RunContext,
  | "space"
  | "copy"
  | "layAgentFiles"
  | "startSession"
  | "sessionMs"
  | "startInside"
  | "checks"
  | "answers"
> {
  const { holder, host, acpProgram } = options;
  const { root, manifest, folder } = holder.entry;
  const limits = { ...DEFAULT_SESSION_LIMITS, ...options.limits };
  const around = surroundings(options, space);
  const now = (): Instant => instantFromMs(host.nowMs());
  const unwanted = (): StopWanted | null => {
    const letGo = answers.letGo();
    return options.stopWanted() ?? (letGo === null ? null : { kind: "requested", reason: letGo });
  };
  return {
    space,
    copy: treeFiles({
      root: space.folder,
      manifest: pathInTree(manifest),
      projectFolder: folder,
      isCopy: space.kind === "own-copy",
    }),
    layAgentFiles,
    startSession: touching(touched, sessionStarter({ ...around, limits, now, acpProgram })),
    sessionMs: limits.totalMs,
    startInside: touching(
      touched,
      insideStarter({ ...around, logs: projectLayout(holder.entry).logs }),
    ),
    checks: checkPorts({
      ...around,
      checkout: { at: root, view: { hide: space.view.hide, mounts: [] } },
      browser: options.browser,
      laidTree,
      touched,
      host,
      stopWanted: unwanted,
    }),
    answers,
  };
}

function surroundings(
  { runId, isolation, walls, protect, env, allow, secrets, limits }: PlaceOptions,
  { view, at, kind, folder }: Workspace,
): Surroundings {
  const { killMs } = { ...DEFAULT_SESSION_LIMITS, ...limits };
  const own = { ...env, [WORK_TREE_VARIABLE]: at };
  const network = protect?.network ?? "all";
  const ownFolder = kind === "own-copy" ? folder : undefined;
  const seen = { view, at, ownFolder, walls, network };
  return { runId, isolation, ...seen, env: own, allow, secrets, killMs };
}

/** Whatever is started may change files. */
function touching<A extends readonly unknown[], T>(
  touched: () => void,
  start: (...call: A) => T,
): (...call: A) => T {
  return (...call) => {
    touched();
    return start(...call);
  };
}

const CHOICES = keptPath("logs", "choices.json");

/** What counts for this run: what was chosen now, and where it resumes, what was chosen before. */
export function choicesFor(kept: Kept, chosen: RunChoices, resumes: boolean): RunChoices {
  return {
    ...(resumes ? readKept(kept, CHOICES, runChoices) : undefined),
    ...withoutUnchosen(chosen),
  };
}

/** For the next run, once nothing is wrong with them. */
export function keepChoices(
  kept: Keeping,
  choices: RunChoices,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const redact = makeRedactor(env);
  const { agent, fallback = [], ...others } = choices;
  // A command line may hold a secret: then it is not written down, and has to be typed again.
  const isSecret = [agent ?? "", ...fallback].some((spec) => redact(spec) !== spec);
  keepRecord(kept, CHOICES, isSecret ? others : choices);
}

/**
 * A folder belongs to the agents named there: who names none does not move it. Who names an agent
 * anew names all: earlier fallbacks are not taken over.
 */
function withoutUnchosen(chosen: RunChoices): RunChoices {
  const { agent, called_from, fallback, fallback_from, ...others } = chosen;
  const named = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...(agent === undefined || called_from === undefined
      ? {}
      : { agent, called_from, fallback: [] }),
    ...(fallback === undefined || fallback_from === undefined ? {} : { fallback, fallback_from }),
    ...Object.fromEntries(named),
  };
}
