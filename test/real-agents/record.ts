// Records what one real CLI prints: starts it as Stint would, against the scripted model, once for
// each situation, and writes test/fixtures/agent-streams/<name>/<situation>.jsonl and .meta.json.
// Paths of the machine are replaced. What each recording must be judged to be is for a person to say.
//
//   STINT_AGENTS_ONLY=auth,success npm run test:agents -- --record claude     only these
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, SessionRequest } from "../../src/agents/agent.ts";
import type { Permission } from "../../src/core/schema/run-records.ts";
import { chooseAgent } from "../../src/agents/agents.ts";
import { RetryClock } from "../../src/agents/retry-clock.ts";
import { LineSplitter } from "../../src/process/text/bounded-output.ts";
import { request } from "../support/session-fixture.ts";
import type { Outage } from "./model-server.ts";
import { type AgentName, REAL_AGENTS } from "./real-agents.ts";
import { say } from "./say.ts";
import { eventually, Scene } from "./scene.ts";
import type { Behaviour } from "./scripted-model.ts";
import { HOLD } from "./three-tasks.ts";

interface Situation {
  /** As in `SITUATIONS` of the fixtures. */
  readonly name: string;
  readonly behaviour?: Behaviour;
  readonly permission?: Permission;
  readonly brief?: string;
  readonly isLoggedOut?: boolean;
  /** Logged in with its vendor, who cannot be reached. */
  readonly isOfVendor?: boolean;
  /** `before`: nobody listens when it starts. */
  readonly outage?: Outage | "before";
  /** Of what the session may use, handed down to programs that take it. */
  readonly given?: Pick<SessionRequest, "budgetUsd" | "wallMs">;
  readonly of?: AgentName;
  /** Sent to the program once its tool is at work. */
  readonly signal?: NodeJS.Signals;
}

const SITUATIONS: readonly Situation[] = [
  { name: "success", brief: "Say hello." },
  { name: "tool-use" },
  { name: "permission-denied", permission: "read-only" },
  { name: "usage-limit", behaviour: "usage-limit" },
  { name: "overloaded-forever", behaviour: "overloaded" },
  { name: "rate-limit-long", behaviour: "wait-long" },
  { name: "closed-port", outage: "before" },
  { name: "closed-port-midway", outage: { kind: "closed", after: 1, times: Infinity } },
  { name: "no-dns", outage: { kind: "no-name", after: 0, times: Infinity } },
  { name: "no-dns-midway", outage: { kind: "no-name", after: 1, times: Infinity } },
  { name: "vendor-unreachable", isOfVendor: true },
  { name: "disconnect-once", outage: { kind: "cut", after: 0, times: 1 } },
  { name: "disconnect-once-midway", outage: { kind: "cut", after: 1, times: 1 } },
  { name: "disconnect-forever", outage: { kind: "cut", after: 0, times: Infinity } },
  { name: "disconnect-forever-midway", outage: { kind: "cut", after: 1, times: Infinity } },
  { name: "max-budget", given: { budgetUsd: 0.004 }, of: "claude" },
  { name: "max-budget-unmetered", given: { budgetUsd: 0.3 }, of: "copilot" },
  { name: "max-wall-time", behaviour: "hold", given: { wallMs: 15_000 }, of: "qwen" },
  { name: "auth", behaviour: "bad-key" },
  { name: "not-logged-in", isLoggedOut: true },
  { name: "sigint-pid", behaviour: "hold", signal: "SIGINT" },
  { name: "sigterm-pid", behaviour: "hold", signal: "SIGTERM" },
  { name: "sigkill-pid", behaviour: "hold", signal: "SIGKILL" },
];

const BRIEF = `# Session 1 of project p-0123456789: greetings

Task t1 (commit), attempt 1 of 3
`;

/** Then it is ended, as Stint's own deadline would. */
const LONGEST_MS = 300_000;
/** And after so long of nothing but retries, as Stint would, only sooner. */
const RETRYING_MS = 75_000;
const AT_WORK_MS = 60_000;
const KEPT_OF_STDERR = 2_000;

const [repository = ".", prefix = ".", ...names] = process.argv.slice(2);
const only = process.env["STINT_AGENTS_ONLY"]?.split(",");
for (const name of names as AgentName[]) {
  for (const situation of situationsOf(name)) {
    // One at a time: each of them starts programs that want a whole core.
    // oxlint-disable-next-line no-await-in-loop
    await record(name, situation);
  }
}

function situationsOf(name: AgentName): readonly Situation[] {
  const { vendorOnly, ofVendor } = REAL_AGENTS[name];
  const possible = SITUATIONS.filter(
    ({ of = name, isLoggedOut, isOfVendor }) =>
      of === name &&
      (vendorOnly !== true || isLoggedOut === true) &&
      (isOfVendor !== true || ofVendor !== undefined),
  );
  return possible.filter((each) => only?.includes(each.name) ?? true);
}

async function record(name: AgentName, situation: Situation): Promise<void> {
  const scene = await Scene.open(name, { stint: join(repository, "dist/main.cjs"), prefix });
  try {
    scene.model.behaviour = situation.behaviour ?? "work";
    if (situation.isLoggedOut === true) scene.logOut();
    if (situation.isOfVendor === true) scene.logInWithVendor();
    if (situation.outage !== undefined) await scene.lose(situation.outage);
    const { command, out, err, ...end } = await played(scene, situation);
    const meta = { command, ...end, stderr: err.slice(-KEPT_OF_STDERR) };
    const folder = join(repository, "test/fixtures/agent-streams", name);
    mkdirSync(folder, { recursive: true });
    const anywhere = (text: string): string => withoutPaths(text, scene);
    writeFileSync(join(folder, `${situation.name}.jsonl`), anywhere(out));
    const text = `${JSON.stringify(meta, null, 2)}\n`;
    writeFileSync(join(folder, `${situation.name}.meta.json`), anywhere(text));
    const how = end.retryingOnly
      ? "only retried"
      : end.timedOut
        ? "did not end"
        : `exit code ${end.exit}, signal ${end.signal}`;
    say(`${name}: ${situation.name}: ${how}, ${out.split("\n").length - 1} lines`);
  } finally {
    await scene.close();
  }
}

interface Played {
  readonly command: readonly string[];
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Ended by the limit of a session that does nothing but retry. */
  readonly retryingOnly?: true;
  readonly seconds: number;
  readonly out: string;
  readonly err: string;
}

async function played(scene: Scene, situation: Situation): Promise<Played> {
  const agent = chooseAgent(scene.spec, { calledFrom: scene.root, scriptedProgram: "" });
  const { brief = BRIEF, permission = "default", signal: sent } = situation;
  const { root, configFolder, acpProgram } = scene;
  const places = { workTree: root, root, configFolder, acpProgram };
  const asked = request({ brief, permission, isolated: true, ...places, ...situation.given });
  const command = agent.buildCommand(asked);
  const began = performance.now();
  const child = scene.startAgent(command);
  const said = { out: "", err: "" };
  const retries = new RetryClock(RETRYING_MS, () => performance.now());
  const hear = (events: readonly AgentEvent[] = []): void => {
    for (const event of events) retries.hear(event);
  };
  const lines = {
    out: new LineSplitter(String, (line) => hear(agent.readLine(line))),
    err: new LineSplitter(String, (line) => hear(agent.readErrorLine?.(line))),
  };
  child.stdout?.on("data", (bytes: Buffer) => {
    said.out += bytes.toString("utf8");
    lines.out.push(bytes);
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    said.err += bytes.toString("utf8");
    lines.err.push(bytes);
  });
  let timedOut = false;
  let retryingOnly = false;
  const watch = setInterval(() => {
    retryingOnly = retries.isOver();
    if (retryingOnly) endAll(scene);
  }, 200);
  const limit = setTimeout(() => {
    timedOut = true;
    endAll(scene);
  }, LONGEST_MS);
  // Not `close`: a tool that outlives the program keeps its streams open.
  const end = new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (exit, signal) => resolve([exit, signal]));
  });
  if (sent !== undefined) {
    const held = HOLD.kind === "shell" ? HOLD.command : "";
    await eventually(() => scene.alive().some((line) => line.includes(held)), AT_WORK_MS);
    child.kill(sent);
  }
  const [exit, signal] = await end;
  clearTimeout(limit);
  clearInterval(watch);
  const seconds = Math.round((performance.now() - began) / 1000);
  endAll(scene);
  await eventually(() => child.stdout?.readableEnded === true, AT_WORK_MS);
  const limits = { timedOut, ...(retryingOnly ? { retryingOnly: true as const } : {}) };
  return { command: [command.program, ...command.args], exit, signal, ...limits, seconds, ...said };
}

/** What it left behind, and the program itself. */
function endAll(scene: Scene): void {
  for (const line of scene.alive()) {
    try {
      process.kill(Number(line.split(" ", 1)[0]), "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}

function withoutPaths(text: string, scene: Scene): string {
  return text
    .replaceAll(scene.root, "/repo")
    .replaceAll(scene.home, "/home/agent")
    .replaceAll(scene.folder, "/tmp/stint")
    .replaceAll(prefix, "/usr/lib")
    .replaceAll(scene.acpProgram, "/stint/acp-client.cjs")
    .replaceAll(process.execPath, "/usr/bin/node");
}
