// The environment of agents and checks: the person's, minus Stint's own secrets and the credentials that what is
// started does not need. With an allow-list only the named variables, and the few without which hardly a program runs.
//
// Into it come the variables by which descendants are found. Agents and tools pass their environment on, so a
// variable reaches processes that left the group and lost their parent. STINT_RUN_ID says which run a
// process belongs to. A run inside a session of another run sets its own, so each child also gets a
// variable with a name of its own, which nothing overwrites.
import { randomBytes } from "node:crypto";
import type { RunId } from "../core/ids.ts";
import { findProcess, thisMachine } from "./process-table.ts";
import { looksSecret } from "../core/written/secret-shapes.ts";
import { isCredential } from "./text/redact.ts";

export interface EnvironmentOptions {
  /** Names, or beginnings followed by `*`. */
  readonly allow?: readonly string[] | undefined;
  readonly extra: Readonly<Record<string, string>>;
  /**
   * Credentials that it gets, by the same patterns: of an agent its own key. What `allow` names is passed as well. Without
   * it, all of them: for what a person wrote themselves to act in their name.
   */
  readonly credentials?: readonly string[] | undefined;
}

const ALWAYS = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "LANG",
  "LC_*",
  // By these Stint finds what it started, and an agent its brief.
  "STINT_*",
];

export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { allow, extra, credentials }: EnvironmentOptions,
): Record<string, string> {
  const held = new Set(heldBack(env, { allow, credentials }));
  const patterns = allow === undefined ? ["*"] : [...ALWAYS, ...allow];
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOwnSecret(name) || held.has(name)) continue;
    // The variables of a run are kept always: a session that starts a run of its own stays findable.
    if (isRunVariable(name) || patterns.some((pattern) => matches(name, pattern)))
      passed[name] = value;
  }
  return { ...passed, ...extra };
}

/** The names of credentials that are there and are not passed. A lone `*` names none of them. */
export function heldBack(
  env: Readonly<Record<string, string | undefined>>,
  { allow = [], credentials }: Pick<EnvironmentOptions, "allow" | "credentials">,
): string[] {
  if (credentials === undefined) return [];
  const named = [...allow, ...credentials].filter((pattern) => pattern !== "*");
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || isRunVariable(name) || !isCredential(name, value)) return [];
    return named.some((pattern) => matches(name, pattern)) ? [] : [name];
  });
}

/** What words that tell of a failure name and was not passed on, as a hint; empty where they name none of it. */
export function missedCredentials(words: string, held: readonly string[]): string {
  const named = held.filter((name) => words.includes(name));
  if (named.length === 0) return "";
  const [are, them] = named.length === 1 ? ["is a credential", "it"] : ["are credentials", "them"];
  return `${named.join(", ")} ${are} and not passed on; if ${them === "it" ? "it is" : "they are"} needed, add ${them} to env.allow in stint.config.yaml`;
}

function isOwnSecret(name: string): boolean {
  return name.startsWith("STINT_") && looksSecret(name);
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

export const RUN_ID_VARIABLE = "STINT_RUN_ID";
const CHILD_VARIABLE = "STINT_CHILD_";

export interface RunVariables {
  readonly variables: Readonly<Record<string, string>>;
  /** What finds this child's descendants and no others of the run. */
  readonly beginning: string;
}

export function newRunVariables(runId: RunId): RunVariables {
  const name = `${childVariable(runId)}${randomBytes(6).toString("hex")}`;
  return { variables: { [RUN_ID_VARIABLE]: runId, [name]: "1" }, beginning: `${name}=` };
}

/** What finds every process of a run. */
export function variablesOfRun(runId: RunId): string[] {
  return [`${RUN_ID_VARIABLE}=${runId}`, childVariable(runId)];
}

/** Whether a variable is one of these, which no child may lose. */
export function isRunVariable(name: string): boolean {
  return name === RUN_ID_VARIABLE || name.startsWith(CHILD_VARIABLE);
}

/** Shells drop variables whose names are no words, so the id goes in without its dash. */
function childVariable(runId: RunId): string {
  return `${CHILD_VARIABLE}${runId.replace(/\W/g, "_")}_`;
}

/**
 * How a process was started by a run, in words for a person: by a session, a check, an act or a hook of it. It
 * carries the run's variables, or one of the processes it is under does; who clears its environment still
 * has a parent. Null for a process that no run has started.
 */
export function sessionDescent(env: Readonly<Record<string, string | undefined>>): string | null {
  const own = Object.keys(env).find((name) => isRunVariable(name) && env[name] !== undefined);
  if (own !== undefined) return `it carries ${own}`;
  const line = lineOf(process.pid);
  const carriers = thisMachine().carriers([`${RUN_ID_VARIABLE}=`, CHILD_VARIABLE], line);
  const marked = line.find((each) => carriers.has(each));
  return marked === undefined ? null : `its parent process ${marked} has a variable of the run`;
}

/** The process and everything it is under, as far as this pid namespace tells. */
function lineOf(pid: number): number[] {
  const line: number[] = [];
  for (let at: number | undefined = pid; at !== undefined && at > 0 && !line.includes(at);) {
    line.push(at);
    at = findProcess(at)?.parent;
  }
  return line;
}
