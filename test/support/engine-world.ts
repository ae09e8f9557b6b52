// The engine in a world of its own: a store in memory, a work tree of a few strings, agents that do
// what they are told, and a crash after any effect. What a crash leaves is what the next run finds.
//
// An effect is a revision, a kept file, a line of the journal, a write to the manifest, a commit, or
// one act of an agent or a command. After effect number `crashAt` everything is dead at once.
import type {
  InsideChild,
  RunContext,
  SessionCall,
  SessionResult,
} from "../../src/engine/base/run-context.ts";
import { openSecrets } from "../../src/engine/base/secrets.ts";
import type { Agent } from "../../src/agents/agent.ts";
import { readNote } from "../../src/core/evidence/note-lines.ts";
import { evidenceEnvelope, evidenceStatement } from "../../src/core/schema/evidence-note.ts";
import { saidByMarker } from "../../src/agents/judge-end.ts";
import type { Answer } from "../../src/core/answers.ts";
import {
  newAnswerId,
  newProjectId,
  newRunId,
  parseAgentId,
  parseSlug,
  type ProjectId,
  type QuestionId,
} from "../../src/core/ids.ts";
import { instantFromMs } from "../../src/core/instant.ts";
import type { JournalEntry, ProjectState } from "../../src/core/schema/project.ts";
import { carryOutAnswer, type Receipt } from "../../src/engine/people/carry-out-answer.ts";
import { childPages } from "../../src/engine/people/child-pages.ts";
import { iterationSettings } from "../../src/iteration/settings.ts";
import { persist } from "../../src/engine/base/persist.ts";
import { stageNotes } from "../../src/engine/run/note-stages.ts";
import { runProject } from "../../src/engine/run/run-project.ts";
import { withBoxes } from "../../src/engine/people/manifest-texts.ts";
import { NO_GIT } from "../../src/engine/people/persons-git.ts";
import { ALWAYS_DELIVERS } from "../../src/engine/finish/deliver.ts";
import { NO_PUSH } from "../../src/engine/finish/push.ts";
import type { ManifestFile, TreeFiles } from "../../src/engine/base/tree-files.ts";
import { type Lying, type MemoryCommit, MemoryWorkspace } from "./memory-workspace.ts";
import { endByHand, takeUpByHand } from "../../src/engine/attempt/by-hand.ts";
import { answersFor, openLanes } from "../../src/engine/attempt/lanes.ts";
import { lintManifest } from "../../src/manifest/lint/lint-manifest.ts";
import { DEFAULT_LIMITS } from "../../src/core/written/bounds.ts";
import { planToState } from "../../src/operations/new-project.ts";
import { MemoryShelf, MemoryStore } from "./memory-store.ts";
import type { Holder } from "../../src/store/store.ts";
import { required } from "./project-fixture.ts";
import { type VirtualMachine, VirtualWorld } from "./virtual-host.ts";

/** What one attempt does; the last one of a task serves all later attempts. */
export type Behaviour =
  /** Does the work, and leaves box and commit to Stint. */
  | "works"
  | "works-and-flips"
  | "works-flips-and-commits"
  /** Does the work, and writes tests of its own for it. */
  | "works-with-tests"
  /** Does the work, and changes that of the first task as well. */
  | "meddles"
  /** Does the work, another way each time. */
  | "works-anew"
  /** Does the work, and leaves a secret beside it, the same one whatever the task. */
  | "leaks"
  /** Does the work, and leaves something beside it that no commit can hold; who works next takes it away. */
  | "works-uncommittably"
  | "nothing"
  /** Flips its box without doing anything. */
  | "lies"
  /** Does the work, and words the Goal as it likes. */
  | "works-and-rewrites-goal"
  /** Does something else and ends. */
  | "strays"
  /** Does nine other things and ends: more than one session may. */
  | "overreaches"
  /** The same, with the work. */
  | "works-too-much"
  | "runs-out-of-context"
  /** A command of it is refused, and it ends. */
  | "is-denied"
  | "asks"
  /** Does some of the work, enough for the check, before it asks. */
  | "works-and-asks"
  | "works-and-wants-approval"
  /** Does the work, and gives the task to somebody who has to look at it. */
  | "works-and-delegates"
  | "asks-three-things"
  | "asks-too-much"
  | "wants-approval"
  | "gives-up"
  /** Does the work, and writes its name into a file that others write into as well. */
  | "signs"
  /** Its provider is overloaded. */
  | "refused";

/** What is said by the marker at the end, where that is more than "ended". */
const SAID: Partial<Record<Behaviour, (name: string) => string>> = {
  asks: (name) => `question: what about ${name}?\n`,
  "works-and-asks": (name) => `question: what about ${name}?\n`,
  "works-and-delegates": () => "delegate: ada\nreturns: file seen.txt\n",
  "works-and-wants-approval": (name) => `approval_required: delete ${name}\n`,
  "asks-three-things": (name) => questionsAbout(name, 3),
  "asks-too-much": (name) => questionsAbout(name, 7),
  "wants-approval": (name) => `approval_required: delete ${name}\n`,
  "gives-up": (name) => `reason: ${name} cannot be done\n`,
};

/** How the agent itself ends, where that is not in order. */
const ENDS: Partial<Record<Behaviour, SessionResult["outcome"]>> = {
  refused: { kind: "overloaded", reason: "busy" },
  "runs-out-of-context": { kind: "context-exhausted", reason: "too long" },
  "is-denied": { kind: "denied", command: "one && two; three" },
};

const OVERREACHING: ReadonlySet<Behaviour> = new Set(["overreaches", "works-too-much"]);

function questionsAbout(name: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `question: ${name}, what about ${n + 1}?\n`).join(
    "",
  );
}

export type PlannedTask = (
  | {
      readonly kind: "session";
      readonly behaviours: readonly Behaviour[];
      /** What every attempt at a chunk of it does, by name. Absent: it works. */
      readonly chunks?: Readonly<Record<string, Behaviour>>;
      readonly isUnchecked?: true;
    }
  | { readonly kind: "act"; readonly succeeds: boolean; readonly hasCheck: boolean }
) & {
  /**
   * What its check asks for. `check`: the work. `prove`: a test, and the work that this asks for. `claim`: a test that asks
   * for nothing.
   */
  readonly check?: "check" | "prove" | "claim";
  /** Further lines of the task, as `approve: after`. */
  readonly keys?: readonly string[];
};

export interface Scenario {
  readonly tasks: readonly PlannedTask[];
  readonly batch: number;
  /** Sessions beside each other. */
  readonly parallel?: number;
  /** Front matter. */
  readonly settings?: string;
  /** Somebody left this marker before anything began. */
  readonly staleMarker?: string;
  /** A hook removes the output of this task as it is committed. */
  readonly hookBreaks?: string;
  /** A hook rewrites the output of this task as it is committed; its check still passes. */
  readonly hookRewrites?: string;
  /** Commits hold the manifest. */
  readonly isTracked?: true;
  /** Sessions work in the person's own folder. */
  readonly isInPlace?: true;
  /** False: what is too large is not split. */
  readonly extract?: boolean;
  /** Where pages of child workflows are written; absent: nowhere. */
  readonly home?: string;
}

interface RunOptions {
  readonly crashAt?: number;
  readonly retry?: boolean;
  readonly tell?: RunContext["tell"];
  /** A person wants it to stop when the current work is finished. */
  readonly pauseWanted?: () => boolean;
  /** Somebody wants it to stop at once. */
  readonly stopWanted?: () => boolean;
  /** Another number of sessions beside each other than the scenario has. */
  readonly parallel?: number;
  /** Every event is taken and none has an effect. */
  readonly isDeaf?: boolean;
  /** A verb of an agent that no run has started: sessions are handed out. */
  readonly byHand?: "brief" | "done";
}

const STOPPED = { kind: "signal", reason: "SIGINT" } as const;

/** The whole world died. */
export class Crash extends Error {}

export class EngineWorld {
  readonly #shelf = new MemoryShelf();
  readonly #world = new VirtualWorld(1);
  readonly #machine: VirtualMachine = this.#world.machine("here");
  readonly #scenario: Scenario;
  readonly #id: ProjectId;
  readonly #space: MemoryWorkspace;
  /** Whether the crash came between a session's start and the moment its end was kept. */
  wasSessionCut = false;
  /** Every execution of a task, with whether its output was there already. */
  readonly executed: {
    readonly task: string;
    readonly outputExisted: boolean;
    /** A crash came before its marker: whoever has not been heard says it again. */
    isUnsaid?: boolean;
  }[] = [];
  /** What sessions were told. */
  /** Commands that were executed for the workspace itself. */
  readonly inside: string[] = [];
  readonly briefs: string[] = [];
  /** What each of them might spend. */
  readonly allowances: SessionCall["allowance"][] = [];
  /** What must never happen, found on the way. */
  readonly violations: string[] = [];
  manifest: string;
  /** Checks that fail whatever is there. */
  readonly failing = new Set<string>();
  /** Somebody else acts while a session works. */
  whileWorking: (task: string) => void = () => {};
  /** Somebody else acts while a check runs. */
  whileChecking: (command: string) => void = () => {};
  #effects = 0;
  #crashAt = Number.POSITIVE_INFINITY;
  #isDead = false;

  constructor(scenario: Scenario, root: string) {
    this.#scenario = scenario;
    this.manifest = manifestOf(scenario);
    this.#space = new MemoryWorkspace(root, scenario, this, () => this.#effect(undefined));
    if (scenario.staleMarker !== undefined)
      this.#space.here.marker = Buffer.from(scenario.staleMarker);
    const host = this.#machine.start();
    const store = new MemoryStore(this.#shelf, host);
    const at = instantFromMs(host.nowMs());
    const { plan } = lintManifest(this.manifest, DEFAULT_LIMITS);
    const owner_agent = required(parseAgentId("stint"));
    const project_id = newProjectId((count) => host.randomBytes(count));
    const text = this.manifest;
    const named = { project_id, owner_agent, root, manifest: "prompt.md" };
    const { state } = store.create({
      entry: { ...named, created_at: at },
      slug: required(parseSlug("prompt")),
      projectsFolder: "agents/stint/projects",
      manifestText: text,
      firstState: (slug) => planToState(plan, { ...named, slug }, { text, at, config: {} }),
      happening: { at, kind: "project-created", by: "person", summary: "created" },
    });
    this.#id = state.project_id;
    host.kill();
  }

  get state(): ProjectState {
    return this.#store().read(this.#id).state;
  }

  get journal(): readonly JournalEntry[] {
    return this.#store().journal(this.#id);
  }

  kept(path: string): string | undefined {
    return this.#store()
      .kept(this.#id, path as never)
      ?.toString("utf8");
  }

  /** All verified work. */
  get files(): Record<string, string> {
    return this.#space.verified;
  }

  /** What lies in the workspace. */
  get there(): readonly string[] {
    return [...this.#space.here.files.keys()];
  }

  get commits(): readonly MemoryCommit[] {
    return this.#space.commits;
  }

  /** Which tasks the notes on each commit tell of, a line each. */
  get noted(): Record<string, readonly string[]> {
    const schemas = { envelope: evidenceEnvelope, statement: evidenceStatement };
    const lines = this.commits.map(({ id }): [string, string[]] => {
      const { said } = readNote(this.#space.notes.get(id) ?? "", schemas);
      return [
        id,
        said.map(({ statement }) => statement.predicate.stint.tasks.map((task) => task.id).join()),
      ];
    });
    return Object.fromEntries(lines);
  }

  get hasMarker(): boolean {
    return this.#space.everywhere.some(({ marker }) => marker !== undefined);
  }

  #store(): MemoryStore {
    return new MemoryStore(this.#shelf, this.#machine.start());
  }

  /** One run, from start to its end or to the crash. @returns how many effects it had */
  async run(options: RunOptions = {}): Promise<number> {
    this.#effects = 0;
    this.#isDead = false;
    this.wasSessionCut = false;
    this.#crashAt = options.crashAt ?? Number.POSITIVE_INFINITY;
    this.#world.advance(1000);
    const host = this.#machine.start();
    const store = new MemoryStore(this.#shelf, host);
    const runId = newRunId((count) => host.randomBytes(count));
    const real = store.acquire(this.#id, { owner: "person", run_id: runId });
    const holder = this.#watched(real);
    try {
      enter(holder, instantFromMs(host.nowMs()), options.retry === true);
      const context = this.#context(options, { holder, store, host, runId });
      if (options.byHand === "done") endByHand(context);
      if (options.byHand !== "brief" || (await takeUpByHand(context))) await runProject(context);
      real.release();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    } finally {
      host.kill();
    }
    return this.#effects;
  }

  #context(
    options: RunOptions,
    given: Pick<RunContext, "holder" | "runId"> & {
      readonly store: MemoryStore;
      readonly host: ReturnType<VirtualMachine["start"]>;
    },
  ): RunContext {
    const { store, host, runId } = given;
    const holder = options.isDeaf === true ? deaf(given.holder) : given.holder;
    const answers: RunContext["answers"] = {
      take: () => 0,
      settled: () => 0,
      hold() {},
      letGo: () => null,
      keepMs: () => 0,
      letGoOf: () => null,
      stopNow: () => null,
      close() {},
      pauseWanted: () =>
        options.pauseWanted?.() === true ? { kind: "requested", reason: "lunch" } : null,
    };
    const context: Omit<RunContext, "lanes"> = {
      secrets: openSecrets({}, "/nowhere"),
      holder,
      store,
      host,
      runId,
      person: "person",
      checkout: this.#checkout(),
      ...this.#placeOf(this.#space.here, host),
      rule: ALWAYS_DELIVERS,
      push: NO_PUSH,
      personsGit: {
        ...NO_GIT,
        isManifestCommitted: async () => this.#space.isManifestCommitted(),
      },
      agents: {
        names: [AGENT.name],
        namesFor: () => [AGENT.name],
        named: () => AGENT,
        require: () => {},
        reviewer: () => AGENT,
      },
      settings: {
        batch: this.#scenario.batch,
        parallel: options.parallel ?? this.#scenario.parallel ?? 1,
        extract: this.#scenario.extract ?? true,
        deliver: "auto",
        push: "never",
        trackState: false,
        release: "ask",
        strict: false,
        proof: { when: "never" },
        permission: "default",
        models: {},
      },
      clone: () => Promise.reject(new Error("nothing is cloned in a world of strings")),
      outsideFiles: () => ({ hidden: [], tooMany: [] }),
      tell: options.tell ?? (() => {}),
      stages: stageNotes({ holder, store, host }),
      children: this.#children(holder, store, options.tell ?? (() => {})),
      answers,
      stopWanted: () => (options.stopWanted?.() === true ? STOPPED : null),
      ...(options.byHand !== undefined && { byHand: this.#byHand(options.byHand) }),
    };
    const lanes = openLanes({ holder, answers }, async (lane, all) => ({
      ...context,
      ...this.#placeOf(this.#space.lane(lane), host),
      answers: answersFor(answers, all, lane),
      lane,
      lanes: all,
    }));
    return { ...context, lanes };
  }

  /** What is said to be done goes on with its own task alone. */
  #byHand(verb: "brief" | "done"): NonNullable<RunContext["byHand"]> {
    const own = this.state.current_task_id;
    return {
      whyNot: async (task) => (verb === "brief" || task === own ? null : `${task} is next`),
    };
  }

  /** What an agent that no run has started does in the session in hand; false where none is, or it has no brief. */
  workByHand(): boolean {
    const task = this.state.tasks.find(({ id }) => id === this.state.current_task_id);
    if (task?.status !== "in_progress") return false;
    if (this.kept(`logs/sessions/${task.attempt.session}/brief.md`) === undefined) return false;
    const planned = this.#scenario.tasks[Number(/\d+/.exec(task.name)?.[0]) - 1];
    if (planned?.kind !== "session") throw new Error(`${task.name} is no work of a session`);
    const behaviour = required(
      planned.behaviours.at(Math.min(task.attempts, planned.behaviours.length) - 1),
    );
    this.#isDead = false;
    this.#crashAt = Number.POSITIVE_INFINITY;
    this.#behave(task.name, behaviour, this.#space.here);
    const said = SAID[behaviour]?.(task.name);
    if (said !== undefined) this.#space.here.marker = Buffer.from(said);
    return true;
  }

  /** All that depends on where the files lie. */
  #placeOf(
    here: Lying,
    host: ReturnType<VirtualMachine["start"]>,
  ): Pick<
    RunContext,
    "space" | "copy" | "layAgentFiles" | "startSession" | "startInside" | "checks"
  > {
    return {
      space: this.#space.port(here),
      copy: this.#space.copy(here),
      layAgentFiles() {},
      startSession: (call) => this.#session(call, here),
      startInside: ({ command }) => this.#inside(command),
      checks: {
        runShell: async (command) => this.#shell(command, here),
        showPage: async () => ({ kind: "not-shown", why: "there are no pages in this world" }),
        whileWanted: async (_, work) => await work(new AbortController().signal),
        treeHash: async () => this.#space.treeNow(here),
        now: () => instantFromMs(host.nowMs()),
        variable: () => undefined,
        redact: (text) => text,
      },
    };
  }

  #children(holder: Holder, store: MemoryStore, tell: RunContext["tell"]): RunContext["children"] {
    const { home } = this.#scenario;
    if (home === undefined) return undefined;
    const settings = iterationSettings(holder.entry.root, home, { options: {}, config: {} });
    return childPages({ holder, store, tell }, settings, home);
  }

  /** A person changes a file, or removes it, and commits that. */
  edit(path: string, text: string | null): void {
    this.#space.person(path, text);
  }

  /** A person commits a change while work waits, so that their branch does not hold it. */
  moveBranch(path: string, text: string): void {
    this.#space.moveBranch(path, text);
  }

  /** A person answers while nothing runs. @returns what came of it */
  answer(answer: (state: ProjectState) => Answer): Receipt {
    this.#effects = 0;
    this.#isDead = false;
    this.#crashAt = Number.POSITIVE_INFINITY;
    this.#world.advance(1000);
    const host = this.#machine.start();
    const store = new MemoryStore(this.#shelf, host);
    const random = (count: number) => host.randomBytes(count);
    const holder = store.acquire(this.#id, { owner: "person", run_id: newRunId(random) });
    const at = instantFromMs(host.nowMs());
    const letter = {
      id: newAnswerId(random),
      answer: answer(holder.state),
      by: "person",
      channel: "test",
      at,
    };
    const agents = { names: [AGENT.name] };
    const ports = { holder, store, checkout: this.#checkout(), agents };
    const { receipt } = carryOutAnswer(ports, letter);
    holder.release();
    host.kill();
    return receipt;
  }

  /** A person's yes to an item, as it is shown. */
  approve(name: string): Receipt {
    return this.answer(({ approval_items }) => {
      const { id, subject_sha256 } = required(approval_items.find((item) => item.id === name));
      return { verb: "approve", item: id, subject_sha256 };
    });
  }

  deny(name: string): Receipt {
    return this.answer(({ approval_items }) => {
      const { id, subject_sha256 } = required(approval_items.find((item) => item.id === name));
      return { verb: "deny", item: id, subject_sha256, reason: "no" };
    });
  }

  /** A person's words to a question. */
  answerQuestion(name: string, text: string): Receipt {
    return this.answer(() => ({ verb: "answer", question: name as QuestionId, text }));
  }

  /** So much time passes while nothing runs. */
  pass(ms: number): void {
    this.#world.advance(ms);
  }

  /** Something happened that the next run will find. */
  #effect<T>(result: T): T {
    this.#effects += 1;
    if (this.#effects === this.#crashAt) this.#isDead = true;
    if (this.#isDead) throw new Crash();
    return result;
  }

  #alive(): void {
    if (this.#isDead) throw new Crash();
  }

  #watched(holder: Holder): Holder {
    const alive = (): void => this.#alive();
    const effect = <T>(result: T): T => this.#effect(result);
    const judge = (before: ProjectState, after: ProjectState): void => this.#judge(before, after);
    const keep: Holder["keep"] = (path, content) => {
      alive();
      holder.keep(path, content);
      // From here on nobody knows whether it worked, until its end is kept.
      if (path.endsWith("/process.json")) this.wasSessionCut = true;
      if (path.endsWith("/result.json")) this.wasSessionCut = false;
      effect(undefined);
    };
    return {
      entry: holder.entry,
      healed: holder.healed,
      get lease() {
        return holder.lease;
      },
      get state() {
        return holder.state;
      },
      commit(next, happening) {
        alive();
        const before = holder.state;
        const after = holder.commit(next, happening);
        judge(before, after);
        return effect(after);
      },
      note(happening) {
        alive();
        holder.note(happening);
        effect(undefined);
      },
      keepManifest(text) {
        alive();
        return effect(holder.keepManifest(text));
      },
      keep,
      keepWithNext: keep,
      settle: () => holder.settle(),
      renew: () => holder.renew(),
      giveUp: (why) => holder.giveUp(why),
      release: () => holder.release(),
    };
  }

  /** Rules of every single revision. */
  #judge(before: ProjectState, after: ProjectState): void {
    for (const task of after.tasks) {
      const earlier = before.tasks.find(({ id }) => id === task.id);
      if (earlier !== undefined && task.attempts < earlier.attempts) {
        this.violations.push(`attempts of ${task.id} went down`);
      }
      if (task.status !== "done" || earlier?.status === "done") continue;
      if (task.evidence.length === 0) this.violations.push(`${task.id} is done without evidence`);
      for (const evidence of task.evidence) {
        if (evidence.kind === "check" && this.kept(evidence.path) === undefined) {
          this.violations.push(`${task.id} is done but ${evidence.path} is not kept`);
        }
      }
    }
    const counters = Object.entries(after.counters).filter(([name]) => MONOTONIC.has(name));
    for (const [name, value] of counters) {
      if ((value ?? 0) < (before.counters[name as keyof typeof before.counters] ?? 0)) {
        this.violations.push(`the counter ${name} went down`);
      }
    }
  }

  async #session(call: SessionCall, here: Lying): Promise<SessionResult> {
    const names = this.state.tasks
      .filter((task) => call.request.brief.includes(task.title))
      .filter((task) => task.status === "in_progress" || task.status === "pending")
      .map(({ name }) => name);
    call.onStarted(NO_PROCESS);
    this.briefs.push(call.request.brief);
    this.allowances.push(call.allowance);
    const first = call.request.task.name;
    const given = this.#scenario.batch > 1 ? names.filter((name) => name >= first) : [first];
    let said = "";
    let end: SessionResult["outcome"] | undefined;
    this.wasSessionCut = true;
    for (const name of given.slice(0, this.#scenario.batch)) {
      const planned = this.#scenario.tasks[Number(/\d+/.exec(name)?.[0]) - 1];
      if (planned?.kind !== "session") break;
      const attempts = this.executed.filter(
        ({ task, isUnsaid }) => task === name && isUnsaid !== true,
      ).length;
      const behaviours = isChunk(name) ? [planned.chunks?.[name] ?? "works"] : planned.behaviours;
      const behaviour = required(behaviours[Math.min(attempts, behaviours.length - 1)]);
      const isFirst = name === first;
      this.executed.push({
        task: name,
        outputExisted: isFirst && here.uncommittable.size === 0 && here.files.has(`${name}.js`),
        isUnsaid: behaviour in SAID,
      });
      this.#effect(undefined);
      // Those beside it begin meanwhile, each in its own time.
      for (let turn = 0; turn < (this.#scenario.parallel ?? 0) * TURNS; turn += 1) {
        // oxlint-disable-next-line no-await-in-loop
        await Promise.resolve();
        this.#alive();
      }
      end = ENDS[behaviour];
      this.#behave(name, behaviour, here);
      said = SAID[behaviour]?.(name) ?? said;
    }
    here.marker = Buffer.from(said);
    for (const each of this.executed) each.isUnsaid = false;
    this.#effect(undefined);
    const marker = call.takeMarker();
    return {
      outcome: end ?? saidByMarker(marker) ?? { kind: "finished" },
      exit_code: 0,
      signal: null,
      marker,
      stopped: null,
      last_text: null,
      left_behind: 0,
      wall_ms: 100,
      tokens: 10,
      cost_usd: null,
    };
  }

  /** Something of the person's keeps their branch from getting what is committed. */
  blockDelivery(isBlocked: boolean): void {
    this.#space.isDeliveryBlocked = isBlocked;
  }

  #behave(name: string, behaviour: Behaviour, here: Lying): void {
    this.whileWorking(name);
    if (behaviour === "works-uncommittably") here.uncommittable.add(`${name}/.git`);
    else if (behaviour.startsWith("works")) here.uncommittable.clear();
    // In one effect with the work.
    if (behaviour === "works-with-tests") here.files.set(`tests/${name}.js`, "a test");
    if (behaviour === "works-anew") this.#writeFile(here, `${name}.js`, `${this.executed.length}`);
    else if (behaviour.startsWith("works")) this.#writeFile(here, `${name}.js`, "done");
    // The chunk that has the checks of its task is the one that ends its work.
    const hasChecks = this.state.tasks.some(
      (task) => task.name === name && task.checks !== undefined,
    );
    if (isChunk(name) && behaviour.startsWith("works") && hasChecks) {
      for (let whole = name; isChunk(whole);) {
        whole = whole.slice(0, whole.lastIndexOf("-"));
        this.#writeFile(here, `${whole}.js`, "done");
      }
    }
    for (let n = 1; OVERREACHING.has(behaviour) && n <= 9; n += 1) {
      this.#writeFile(here, `${name}-${this.executed.length}-${n}.tmp`, "more");
    }
    if (behaviour === "meddles") {
      this.#writeFile(here, "n1.js", `by ${name}`);
      this.#writeFile(here, `${name}.js`, "done");
    }
    if (behaviour === "signs") {
      this.#writeFile(here, `${name}.js`, "done");
      this.#writeFile(here, "names.js", `${here.files.get("names.js") ?? ""}${name} `);
    }
    if (behaviour === "leaks") {
      this.#writeFile(here, ".env", `of ${name}`);
      this.#writeFile(here, `${name}.js`, "done");
    }
    if (behaviour === "strays")
      this.#writeFile(here, `${name}-${this.executed.length}.tmp`, "stray");
    if (behaviour === "lies" || behaviour.includes("flips")) {
      const { tasks } = this.state;
      const ids = tasks.filter((task) => task.name === name).map(({ id }) => id);
      here.manifest = withBoxes(here.manifest ?? "", tasks, ids, true);
      this.#effect(undefined);
    }
    if (behaviour === "works-and-rewrites-goal") {
      here.manifest = here.manifest?.replace("Make things.", "Rule the world.");
      this.#effect(undefined);
    }
  }

  /** Setup is quick in this world, and a server ends at once. */
  #inside(command: string): InsideChild {
    this.#alive();
    this.inside.push(command);
    const end = { exitCode: 0, timedOut: false };
    return { ended: Promise.resolve(end), end: () => end, stop() {}, lastWords: () => "" };
  }

  #writeFile(here: Lying, path: string, text: string): void {
    here.files.set(path, text);
    this.#effect(undefined);
  }

  #shell(command: string, here: Lying) {
    this.#alive();
    const [verb, name = "", fate] = command.split(" ");
    const told = (exitCode: number) => ({ exitCode, timedOut: false, output: "", durationMs: 1 });
    if (isCheck(verb)) {
      this.whileChecking(name);
      const isThere = verb === "claim" || here.files.has(`${name}.js`);
      const isTested = verb === "check" || here.files.has(`tests/${name}.js`);
      return told(isThere && isTested && !this.failing.has(name) ? 0 : 1);
    }
    this.executed.push({ task: name, outputExisted: here.files.has(`${name}.js`) });
    this.#effect(undefined);
    if (fate !== "succeeds") return told(1);
    this.#writeFile(here, `${name}.js`, "done");
    return told(0);
  }

  #checkout(): ManifestFile & Pick<TreeFiles, "textNow" | "writeText"> {
    return {
      readManifest: () => this.manifest,
      manifestBytes: () => Buffer.from(this.manifest, "utf8"),
      writeManifest: (expected, text) => {
        this.#alive();
        if (this.manifest !== expected) return false;
        this.manifest = text;
        return this.#effect(true);
      },
      textNow: () => undefined,
      writeText: () => false,
    };
  }
}

function isCheck(verb: string | undefined): boolean {
  return verb === "check" || verb === "prove" || verb === "claim";
}

function isChunk(name: string): boolean {
  return name.includes("-");
}

/** Of the event loop: enough for another session to be prepared and to begin. */
const TURNS = 100;

const MONOTONIC = new Set(["tasks", "sessions", "attempts", "approvals", "questions"]);

const NO_PROCESS = {
  run_id: "r-0000000000" as never,
  pid: 0,
  process_start: "unknown",
  boot_id: "another",
  pid_namespace: "another",
  isolation: "group",
} as const;

const AGENT = { name: "scripted", loginHint: "" } as Agent;

/** As `operations/enter-run.ts` lets a person enter. */
function enter(holder: Holder, at: ProjectState["created_at"], retry: boolean): void {
  const byPerson = { at, by: "person" };
  const { state } = holder;
  if (state.status === "Draft") {
    const { digest } = state.manifest;
    persist(
      { holder },
      { kind: "plan-approved", ...byPerson, digest, lint_errors: 0, channel: "test" },
    );
  }
  if (state.status === "Paused") {
    persist({ holder }, { kind: "resumed", ...byPerson, fence: holder.lease.fence });
  }
  if (!retry) return;
  for (const task of state.tasks) {
    if (task.status === "blocked") {
      persist({ holder }, { kind: "task-retried", ...byPerson, task_id: task.id });
    }
  }
}

function manifestOf({ tasks, settings }: Scenario): string {
  const lines = tasks.flatMap((task, index) => {
    const name = `n${index + 1}`;
    const check = `  - check: \`${task.check ?? "check"} ${name}\``;
    const box = `- [ ] ${name} - Make the thing number ${index + 1}`;
    const head = [box, ...(task.keys ?? []).map((key) => `  - ${key}`)];
    if (task.kind === "session") return task.isUnchecked === true ? head : [...head, check];
    const run = `  - run: \`act ${name} ${task.succeeds ? "succeeds" : "fails"}\``;
    return task.hasCheck ? [...head, run, check] : [...head, run];
  });
  const front = settings === undefined ? "" : `---\n${settings}\n---\n\n`;
  return `${front}# Goal\n\nMake things.\n\n# Steps\n\n${lines.join("\n")}\n`;
}

function deaf(holder: Holder): Holder {
  return Object.create(holder, { commit: { value: () => holder.state } }) as Holder;
}
