// Variables that make sense for most, and yield to what the person has set.
import type { SessionRequest } from "./agent.ts";

export function setUnlessGiven(
  { inheritedEnv = {} }: SessionRequest,
  wanted: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name]) => (inheritedEnv[name] ?? "") === ""),
  );
}
