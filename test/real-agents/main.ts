// The real agent CLIs, end to end: each of them is installed with npm, pinned, and driven by the
// built Stint against a scripted model on loopback, in a network namespace where nothing else can be
// reached. No account, no key, no bill.
//
//   npm run test:agents                       all of them
//   npm run test:agents -- claude codex       only these
//   npm run test:agents -- --strict           what cannot be tried is an error, not a skip
//   npm run test:agents -- --record claude    records what it prints instead; see record.ts
//   STINT_AGENTS_PREFIX=~/.cache/stint-agents npm run test:agents     install once
//   STINT_AGENTS_ONLY="mcp tool called" npm run test:agents           these scenarios alone
//   STINT_AGENTS_KEEP=1 npm run test:agents   leave the scratch repositories, to look around
//
// The scenarios are in scenarios/, one file each. Exit code 1 when one of them went wrong.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentName, REAL_AGENTS } from "./real-agents.ts";
import { installAgents } from "./install-agents.ts";
import { HOSTS } from "./model-server.ts";
import { onlyLoopback, OWN_HOSTS } from "./network-namespace.ts";
import { say } from "./say.ts";

const words = process.argv.slice(2);
const isStrict = words.includes("--strict");
const program = words.includes("--record") ? "record" : "in-namespace";
const named = words.filter((word) => word !== "--strict" && word !== "--record");
const known = Object.keys(REAL_AGENTS) as AgentName[];
const unknown = named.filter((name) => !(known as string[]).includes(name));
if (unknown.length > 0) {
  say(
    `there is no agent ${unknown.join(", ")}; there are ${known.join(", ")} (and --strict, --record)`,
  );
  process.exit(2);
}
const wanted = named.length === 0 ? known : known.filter((name) => named.includes(name));
process.exit(run(wanted));

function run(agents: readonly AgentName[]): number {
  const namespace = onlyLoopback();
  if ("why" in namespace) return skip(`no network namespace: ${namespace.why}`);
  const given = process.env["STINT_AGENTS_PREFIX"];
  const prefix = given === undefined ? newFolder("stint-agents-") : resolve(given);
  const hosts = join(newFolder("stint-agents-hosts-"), "hosts");
  writeFileSync(hosts, HOSTS);
  try {
    const failed = installAgents(prefix, agents);
    if (failed !== undefined) return skip(failed);
    const file = fileURLToPath(new URL(`${program}.mjs`, import.meta.url));
    const [first = "", ...rest] = namespace.words;
    const { status } = spawnSync(
      first,
      [...rest, process.execPath, file, process.cwd(), prefix, ...agents],
      { stdio: "inherit", env: { ...process.env, [OWN_HOSTS]: hosts } },
    );
    return status ?? 1;
  } finally {
    rmSync(dirname(hosts), { recursive: true });
    if (given === undefined) rmSync(prefix, { recursive: true, force: true });
  }
}

function newFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), name));
}

function skip(why: string): number {
  say(`SKIPPED: the real agents were not tried: ${why}`);
  return isStrict ? 1 : 0;
}
