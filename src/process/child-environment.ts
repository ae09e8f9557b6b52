// The environment of agents and checks: the person's, minus Stint's own secrets. With an allow-list
// only the named variables, and the few without which hardly a program runs.
import { isRunVariable } from "./run-variables.ts";
import { looksSecret } from "./text/redact.ts";

export interface EnvironmentOptions {
  /** Names, or beginnings followed by `*`. */
  readonly allow?: readonly string[] | undefined;
  readonly extra: Readonly<Record<string, string>>;
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
  { allow, extra }: EnvironmentOptions,
): Record<string, string> {
  const patterns = allow === undefined ? ["*"] : [...ALWAYS, ...allow];
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOwnSecret(name)) continue;
    // The variables of a run are kept always: a session that starts a run of its own stays findable.
    if (isRunVariable(name) || patterns.some((pattern) => matches(name, pattern)))
      passed[name] = value;
  }
  return { ...passed, ...extra };
}

function isOwnSecret(name: string): boolean {
  return name.startsWith("STINT_") && looksSecret(name);
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
