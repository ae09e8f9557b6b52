// Records what one real CLI prints: starts it as Stint would, against the scripted model, once for
// each situation, and writes test/fixtures/agent-streams/<name>/<situation>.jsonl and .meta.json.
// Paths of the machine are replaced. What each recording must be judged to be is for a person to say.
//
//   STINT_AGENTS_ONLY=auth,success npm run test:agents -- --record claude     only these
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Permission } from "../../src/core/schema/run-records.ts";
import { CODING_AGENTS } from "../../src/agents/agents.ts";
import { request } from "../support/session-fixture.ts";
import type { AgentName } from "./real-agents.ts";
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
  /** Sent to the program once its tool is at work. */
  readonly signal?: NodeJS.Signals;
}

const SITUATIONS: readonly Situation[] = [
  { name: "success", brief: "Say hello." },
  { name: "tool-use" },
  { name: "permission-denied", permission: "read-only" },
  { name: "usage-limit", behaviour: "usage-limit" },
  { name: "overloaded-forever", behaviour: "overloaded" },
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
const AT_WORK_MS = 60_000;
const KEPT_OF_STDERR = 2_000;

const [repository = ".", prefix = ".", ...names] = process.argv.slice(2);
const only = process.env["STINT_AGENTS_ONLY"]?.split(",");
for (const name of names as AgentName[]) {
  for (const situation of SITUATIONS.filter((each) => only?.includes(each.name) ?? true)) {
    // One at a time: each of them starts programs that want a whole core.
    // oxlint-disable-next-line no-await-in-loop
    await record(name, situation);
  }
}

async function record(name: AgentName, situation: Situation): Promise<void> {
  const scene = await Scene.open(name, { stint: join(repository, "dist/main.cjs"), prefix });
  try {
    scene.model.behaviour = situation.behaviour ?? "work";
    if (situation.isLoggedOut === true) scene.logOut();
    const { command, out, err, ...end } = await played(scene, situation);
    const meta = { command, ...end, stderr: err.slice(-KEPT_OF_STDERR) };
    const folder = join(repository, "test/fixtures/agent-streams", name);
    mkdirSync(folder, { recursive: true });
    const anywhere = (text: string): string => withoutPaths(text, scene);
    writeFileSync(join(folder, `${situation.name}.jsonl`), anywhere(out));
    const text = `${JSON.stringify(meta, null, 2)}\n`;
    writeFileSync(join(folder, `${situation.name}.meta.json`), anywhere(text));
    const how = end.timedOut ? "did not end" : `exit code ${end.exit}, signal ${end.signal}`;
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
  readonly out: string;
  readonly err: string;
}

async function played(scene: Scene, situation: Situation): Promise<Played> {
  const agent = CODING_AGENTS.find(({ name }) => name === scene.agent);
  if (agent === undefined) throw new Error(`${scene.agent} is not in src/agents/agents.ts`);
  const { brief = BRIEF, permission = "default", signal: sent } = situation;
  const places = { workTree: scene.root, root: scene.root, configFolder: scene.configFolder };
  const command = agent.buildCommand(request({ brief, permission, isolated: true, ...places }));
  const child = scene.startAgent(command);
  const said = { out: "", err: "" };
  child.stdout?.on("data", (text: Buffer) => (said.out += text.toString("utf8")));
  child.stderr?.on("data", (text: Buffer) => (said.err += text.toString("utf8")));
  let timedOut = false;
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
  endAll(scene);
  await eventually(() => child.stdout?.readableEnded === true, AT_WORK_MS);
  return { command: [command.program, ...command.args], exit, signal, timedOut, ...said };
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
    .replaceAll(prefix, "/usr/lib");
}
