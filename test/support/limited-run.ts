// A run in process with real sessions and a clock that can be slept away: what waits for hours takes
// as long as its sessions do.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectId, RunId } from "../../src/core/ids.ts";
import { HEARTBEAT_MS } from "../../src/core/lease-rules.ts";
import type { RunView } from "../../src/core/schema/views.ts";
import type { News } from "../../src/core/news.ts";
import type { RunInput } from "../../src/operations/run/run-settings.ts";
import { run } from "../../src/operations/run/run.ts";
import type { System } from "../../src/operations/system.ts";
import { projectPages } from "../../src/report/pages/pages.ts";
import { Doctor } from "../../src/store/doctor/doctor.ts";
import { Mailbox } from "../../src/store/mailbox.ts";
import { FileStore } from "../../src/store/file-store.ts";
import { realFiles } from "../../src/store/files.ts";
import { DetachedFiles } from "../../src/store/detached-files.ts";
import { WatchFiles } from "../../src/store/watch-files.ts";
import { type Host, thisHost } from "../../src/store/host.ts";
import { REPOSITORY } from "./generated-files.ts";
import { git, gitInit } from "./git.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type Acts = readonly object[];

export const ONE_TASK = `## Goal
Say hello.

## Steps
- [ ] english - Write hello.txt
  - check: file hello.txt
`;

export const ENGLISH: Acts = [{ act: "write", path: "hello.txt", text: "Hello\n" }];

/** A session that its provider refuses, after the acts before it. */
export function refuse(cause: string, resetAt?: string): Acts {
  const limit = { act: "emit", event: { kind: "limit", resetAt } };
  return [
    ...(resetAt === undefined ? [] : [limit]),
    { act: "emit", event: { kind: "result", ok: false, cause, reason: `${cause} met` } },
    { act: "exit", code: 1 },
  ];
}

export class LimitedRun {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly root = join(this.path, "repo");
  #skewMs = 0;
  readonly #beats = new Set<() => void>();
  /** Every sleep, in whole seconds. */
  readonly slept: number[] = [];
  readonly news: News[] = [];
  /** Called in the middle of every sleep. */
  whileAsleep: () => void | Promise<void> = () => {};
  readonly #stopping = new AbortController();
  readonly system: System;

  /** @param given a host of the test's own, whose clock it moves itself */
  constructor(manifest = ONE_TASK, given?: Host) {
    mkdirSync(this.root);
    gitInit(this.root);
    git(this.root, "config", "user.name", "Ada");
    git(this.root, "config", "user.email", "ada@example.com");
    this.write("prompt.md", manifest);
    const real = thisHost();
    const host: Host = given ?? {
      ...real,
      nowMs: () => real.nowMs() + this.#skewMs,
      randomBytes: (count) => (count === 2 ? new Uint8Array(2) : real.randomBytes(count)),
      sleep: async (ms) => {
        this.slept.push(Math.round(ms / 1000));
        this.pass(ms);
        await this.whileAsleep();
      },
      every: (ms, act) => {
        const end = real.every(ms, act);
        this.#beats.add(act);
        return () => {
          end();
          this.#beats.delete(act);
        };
      },
    };
    const stateHome = join(this.path, "state");
    const options = { files: realFiles, host, stateHome, pages: projectPages };
    const store = new FileStore(options);
    this.system = {
      store,
      mailbox: new Mailbox(realFiles, host, stateHome),
      doctor: async () => new Doctor(options, store),
      host,
      cwd: this.root,
      user: "ada",
      descent: () => null,
      env: { PATH: process.env["PATH"] },
      stateHome,
      scriptedProgram: join(REPOSITORY, "dist/scripted-agent.cjs"),
      acpProgram: join(REPOSITORY, "dist/acp-client.cjs"),
      browserProgram: "",
      program: join(REPOSITORY, "dist/main.cjs"),
      examples: join(REPOSITORY, "examples"),
      version: "1.2.3",
      skills: join(REPOSITORY, "skills"),
      watchFiles: async () => new WatchFiles(realFiles, host, stateHome),
      detachedFiles: async () => new DetachedFiles(realFiles, host, stateHome),
    };
  }

  close(): void {
    this.#folder.remove();
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  get project(): ProjectId {
    const [entry] = this.system.store.list();
    if (entry === undefined) throw new Error("there is no project yet");
    return entry.project_id;
  }

  get snapshot() {
    return this.system.store.read(this.project);
  }

  get kinds(): string[] {
    return this.system.store.journal(this.project).map(({ kind }) => kind);
  }

  in(ms: number): string {
    return new Date(this.system.host.nowMs() + ms).toISOString();
  }

  /** What is done every so often is done meanwhile. */
  pass(ms: number): void {
    for (let leftMs = ms; leftMs > 0; leftMs -= HEARTBEAT_MS) {
      this.#skewMs += Math.min(leftMs, HEARTBEAT_MS);
      for (const act of this.#beats) act();
    }
  }

  /** As Ctrl-C does it. */
  stop(): void {
    this.#stopping.abort();
  }

  /** The agent that plays these acts for every task, one list per attempt. */
  agent(name: string, attempts: readonly Acts[]): string {
    return this.play(name, { "*": attempts });
  }

  /** The same with acts for each task. */
  play(name: string, tasks: Readonly<Record<string, readonly Acts[]>>): string {
    const file = join(this.path, `${name}.json`);
    writeFileSync(file, JSON.stringify({ manifest: "prompt.md", tasks }));
    return `scripted:${file}`;
  }

  async run(input: Partial<RunInput>): Promise<RunView> {
    const stop = { kind: "signal", reason: "SIGINT was received" } as const;
    return await run(this.system, {
      target: "prompt.md",
      tell: (news) => void this.news.push(news),
      stopWanted: () => (this.#stopping.signal.aborted ? stop : null),
      stopping: this.#stopping.signal,
      ...input,
    });
  }

  /** A run that is killed as soon as it has started a session: its lease is held by a process that is gone. */
  async killed(input: Partial<RunInput>): Promise<void> {
    const died = new Error("killed");
    const tell = (news: News): void => {
      if (news.kind === "persisted" && news.event === "attempt-started") throw died;
    };
    await this.run({ ...input, tell }).catch((error: unknown) => {
      if (error !== died) throw error;
    });
    const { host, stateHome } = this.system;
    const self = { ...host.self(), pid: 2 ** 22 + 1, process_start: "1" };
    const dead = { ...host, self: () => self };
    const store = new FileStore({ files: realFiles, host: dead, stateHome, pages: projectPages });
    store.acquire(this.project, { owner: "ada", run_id: "r-0000000000" as RunId });
  }

  told<Kind extends News["kind"]>(kind: Kind): Extract<News, { kind: Kind }>[] {
    return this.news.filter((news) => news.kind === kind) as Extract<News, { kind: Kind }>[];
  }
}
