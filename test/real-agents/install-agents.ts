// The pinned CLIs under one prefix. What is there in its right version is not installed again.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, REAL_AGENTS } from "./real-agents.ts";
import { say } from "./say.ts";

/** For CLIs that need a newer Node than the oldest one Stint runs on. */
export const NEWER_NODE = { name: "node", version: "22" } as const;

/** @returns why it could not be done */
export function installAgents(prefix: string, agents: readonly AgentName[]): string | undefined {
  mkdirSync(prefix, { recursive: true });
  const packages = agents.map((name) => REAL_AGENTS[name].package);
  const needed = agents.some((name) => REAL_AGENTS[name].needsNewerNode)
    ? [...packages, NEWER_NODE]
    : packages;
  const missing = needed.filter(({ name, version }) => !isInstalled(prefix, name, version));
  if (missing.length === 0) return undefined;
  const specs = missing.map(({ name, version }) => `${name}@${version}`);
  say(`installing ${specs.join(" ")} …`);
  const npm = ["install", "--prefix", prefix, "--no-audit", "--no-fund", "--loglevel", "error"];
  const { status, stderr, error } = spawnSync("npm", [...npm, ...specs], {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (error !== undefined) return `npm could not be started: ${error.message}`;
  const why = stderr.trim().split("\n").slice(0, 3).join("; ");
  return status === 0 ? undefined : `npm install ended with exit code ${status}: ${why}`;
}

function isInstalled(prefix: string, name: string, version: string): boolean {
  try {
    const file = join(prefix, "node_modules", name, "package.json");
    const found = (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
    return found === version || found.startsWith(`${version}.`);
  } catch {
    return false;
  }
}
