// Asks the programs of coding agents for their version and, where they can tell, for the login.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentProgram } from "../../agents/agent.ts";
import { newRunId } from "../../core/ids.ts";
import type { AgentView } from "../../core/schema/views.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { whichProgram } from "../../process/find-program.ts";
import {
  chooseIsolation,
  type Isolation,
  namespaceRefusal,
  type NamespaceRefusal,
} from "../../process/namespace/isolation.ts";
import { type CommandResult, runCommand } from "../../process/run-command.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Host } from "../../store/host.ts";

/** Some of them are slow to start, and none may keep a person waiting for long. */
const ANSWER_MS = 20_000;
const ANSWER_BYTES = 64 * 1024;

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: Host;
}

/** How sessions and checks are kept together here; throws where `on` is wanted and cannot be. */
export function isolationHere(
  wanted: "auto" | "on" | "off",
): Pick<Isolation, "kind" | "guarantees"> & { readonly refusal: NamespaceRefusal | null } {
  return { ...chooseIsolation(wanted), refusal: namespaceRefusal() };
}

export type Look = Omit<AgentView, "is_default">;

/** Asks each program itself, all at once. */
export async function lookAtAgents(machine: Machine, which: readonly Agent[]): Promise<Look[]> {
  const isolation = chooseIsolation("auto");
  // Asked in a folder of its own, so that no project file has a say in the answer.
  const folder = mkdtempSync(join(tmpdir(), "stint-agents-"));
  const env = childEnvironment(machine.env, { extra: {} });
  const ask: Ask = async (path, args) =>
    await runCommand(
      { program: path, args: [...args], cwd: folder, env },
      {
        timeoutMs: ANSWER_MS,
        maxOutputBytes: ANSWER_BYTES,
        runId: newRunId((count) => machine.host.randomBytes(count)),
        isolation,
        redact: makeRedactor(machine.env),
      },
    );
  try {
    return await Promise.all(which.map((agent) => viewOf(agent, machine.env["PATH"], ask)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Ask = (path: string, args: readonly string[]) => Promise<CommandResult>;

async function viewOf(agent: Agent, path: string | undefined, ask: Ask): Promise<Look> {
  const { program, name, describe, installHint, loginHint, modes } = agent;
  const found = program === undefined ? undefined : whichProgram(program.name, path);
  const shared = { name, title: describe, modes: { ...modes } };
  if (program === undefined || found === undefined) {
    const version = null;
    return { ...shared, program: null, version, login: "unknown", next: installHint };
  }
  const [version, login] = await Promise.all([
    versionOf(found, program, ask),
    loginOf(found, program, ask),
  ]);
  const next = login === "no" ? loginHint : null;
  return { ...shared, program: found, version, login, next };
}

/** The first thing in its answer that looks like a version. */
async function versionOf(path: string, program: AgentProgram, ask: Ask): Promise<string | null> {
  const { exitCode, output } = await ask(path, program.versionArgs);
  if (exitCode !== 0) return null;
  return /\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?/.exec(output)?.[0] ?? null;
}

async function loginOf(path: string, program: AgentProgram, ask: Ask): Promise<AgentView["login"]> {
  if (program.login === null) return "unknown";
  const { exitCode, output, timedOut } = await ask(path, program.login.args);
  if (exitCode === null || timedOut) return "unknown";
  const answer = program.login.isLoggedIn({ exitCode, stdout: output });
  return answer === null ? "unknown" : answer ? "yes" : "no";
}
