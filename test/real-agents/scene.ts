// One scenario's world: a repository with the manifest, a HOME with the CLI's settings, a state
// folder, the model, and the built Stint. Nothing of the machine's own environment comes in.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentCommand } from "../../src/agents/agent.ts";
import { MODEL_NAME, ModelServer, nameModel, type Outage } from "./model-server.ts";
import { type AgentName, REAL_AGENTS, type Setup } from "./real-agents.ts";
import { FIRST_FILES, MANIFEST, MANIFEST_NAME, OWN_FILES } from "./three-tasks.ts";

export interface Place {
  readonly stint: string;
  /** Where the CLIs are installed. */
  readonly prefix: string;
}

export interface Ended {
  /** Null when it took too long and was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** No command of a scenario may take longer. */
const LONGEST_MS = 480_000;

export class Scene {
  readonly agent: AgentName;
  readonly model: ModelServer;
  readonly folder: string;
  readonly root: string;
  readonly home: string;
  readonly configFolder: string;
  readonly #place: Place;
  readonly #env: Record<string, string>;
  readonly #children: ChildProcess[] = [];

  private constructor(agent: AgentName, place: Place, folder: string, model: ModelServer) {
    this.agent = agent;
    this.model = model;
    this.folder = folder;
    this.root = join(folder, "repository");
    this.home = join(folder, "home");
    this.configFolder = join(folder, "config");
    this.#place = place;
    this.#env = {
      PATH: `${this.#programs()}:${process.env["PATH"] ?? ""}`,
      HOME: this.home,
      XDG_STATE_HOME: join(folder, "state"),
      TMPDIR: join(folder, "tmp"),
      LANG: "C.UTF-8",
      TERM: "dumb",
    };
    for (const name of ["HOME", "XDG_STATE_HOME", "TMPDIR"]) mkdirSync(this.#env[name] ?? "");
    this.#fillRepository();
    this.setUp(REAL_AGENTS[agent].setUp(this.provider));
  }

  static async open(agent: AgentName, place: Place): Promise<Scene> {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), `stint-agents-${agent}-`));
    return new Scene(agent, place, folder, await ModelServer.start(join(folder, "repository")));
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await this.model.close();
    if (process.env["STINT_AGENTS_KEEP"] === undefined) {
      // A CLI that is just ending may still write into its HOME.
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
  }

  get provider(): { readonly url: string; readonly key: string } {
    return { url: this.model.url, key: "scripted-key" };
  }

  /** How it is named to Stint. */
  get spec(): string {
    const { overAcp } = REAL_AGENTS[this.agent];
    return overAcp === undefined ? this.agent : `acp:${overAcp.join(" ")}`;
  }

  get program(): string {
    return REAL_AGENTS[this.agent].overAcp?.[0] ?? this.agent;
  }

  /** It lies beside the executable. */
  get acpProgram(): string {
    return join(dirname(this.#place.stint), "acp-client.cjs");
  }

  /** Settings of the CLI, as a person would make them. */
  setUp({ env, files }: Setup): void {
    Object.assign(this.#env, env);
    for (const [path, content] of Object.entries(files)) {
      write(join(this.home, path), content);
    }
  }

  /** `before`: nobody listens at all. */
  async lose(outage: Outage | "before"): Promise<void> {
    if (outage === "before") {
      await this.model.close();
      return;
    }
    if (outage.kind === "no-name") {
      const url = this.provider.url.replace("127.0.0.1", MODEL_NAME);
      this.setUp(REAL_AGENTS[this.agent].setUp({ ...this.provider, url }));
      nameModel(outage.after > 0);
    }
    this.model.outage = outage;
  }

  /** The provider is there again, at the same address. */
  async find(): Promise<void> {
    nameModel(true);
    this.model.outage = undefined;
    await this.model.listen();
  }

  /** What Stint itself is set to. */
  configure(settings: string): void {
    write(join(this.root, "stint.config.yaml"), settings);
  }

  forget(...variables: readonly string[]): void {
    for (const name of variables) delete this.#env[name];
  }

  /** As if the person had never set the CLI up. */
  logOut(): void {
    this.forget(...Object.keys(REAL_AGENTS[this.agent].setUp(this.provider).env));
    rmSync(this.home, { recursive: true });
    mkdirSync(this.home);
  }

  logInWithVendor(): void {
    this.logOut();
    const { ofVendor } = REAL_AGENTS[this.agent];
    if (ofVendor !== undefined) this.setUp(ofVendor());
  }

  /** The CLI alone, as Stint would start it: in the repository, with the brief as a file on stdin. */
  startAgent({ program, args, env, files = [], stdin = "" }: AgentCommand): ChildProcess {
    for (const { name, text } of files) write(join(this.configFolder, name), text);
    const brief = join(this.folder, "brief.md");
    write(brief, stdin);
    const input = openSync(brief, "r");
    const child = spawn(program, args, {
      cwd: this.root,
      env: { ...this.#env, ...env, STINT_RUN_ID: "recorded" },
      stdio: [input, "pipe", "pipe"],
    });
    closeSync(input);
    this.#children.push(child);
    return child;
  }

  async agentEnded(command: AgentCommand): Promise<Ended> {
    return await ended(this.startAgent(command));
  }

  start(...words: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [this.#place.stint, ...words], {
      cwd: this.root,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    // Also when this program ends in the middle of a scenario.
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.off("exit", kill));
    return child;
  }

  async stint(...words: readonly string[]): Promise<Ended> {
    return await ended(this.start(...words));
  }

  async runStint(...more: readonly string[]): Promise<Ended> {
    return await this.stint("run", MANIFEST_NAME, "--agent", this.spec, ...more);
  }

  git(...words: readonly string[]): string {
    return execFileSync("git", words, { cwd: this.root, env: this.#env, encoding: "utf8" });
  }

  /** What the CLI says of itself, some of them on stderr. */
  version(): string {
    const { stdout, stderr } = spawnSync(this.program, ["--version"], {
      env: this.#env,
      encoding: "utf8",
    });
    return /\d+\.\d+\.\d+/.exec(`${stdout}\n${stderr}`)?.[0] ?? "unknown";
  }

  /** Everything alive that a session of this scene started, by the variable that Stint sets. */
  alive(): string[] {
    return readdirSync("/proc").flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
        const isOurs = environment.includes("STINT_RUN_ID=") && environment.includes(this.folder);
        if (!isOurs) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
        return [`${pid} ${command.slice(0, 80).trim()}`];
      } catch {
        return [];
      }
    });
  }

  /** A folder with this CLI alone, and with the Node it needs. */
  #programs(): string {
    const folder = join(this.folder, "bin");
    mkdirSync(folder);
    const bin = join(this.#place.prefix, "node_modules", ".bin");
    symlinkSync(join(bin, this.program), join(folder, this.program));
    const { needsNewerNode } = REAL_AGENTS[this.agent];
    symlinkSync(needsNewerNode ? join(bin, "node") : process.execPath, join(folder, "node"));
    symlinkSync(this.#place.stint, join(folder, "stint"));
    return folder;
  }

  #fillRepository(): void {
    mkdirSync(this.root);
    for (const [path, content] of Object.entries(FIRST_FILES))
      write(join(this.root, path), content);
    write(join(this.root, MANIFEST_NAME), MANIFEST);
    const { longestSession } = REAL_AGENTS[this.agent];
    if (longestSession !== undefined) {
      this.configure(`timeouts:\n  session: ${longestSession}\n`);
    }
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Real agents");
    this.git("config", "user.email", "agents@stint.invalid");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "Begin");
    for (const [path, content] of Object.entries(OWN_FILES)) write(join(this.root, path), content);
  }
}

/** Whether it came true in time. */
export async function eventually(isTrue: () => boolean, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!isTrue()) {
    if (performance.now() > until) return false;
    // oxlint-disable-next-line no-await-in-loop
    await delay(50);
  }
  return true;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const said = { out: "", err: "" };
  child.stdout?.on("data", (text: Buffer) => (said.out += text.toString("utf8")));
  child.stderr?.on("data", (text: Buffer) => (said.err += text.toString("utf8")));
  const limit = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearTimeout(limit);
  return { code, ...said };
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
