// The names by which people know this way of working. The description of the skill quotes them, which is enough for an
// agent that shows its model descriptions; under one of them as its own name the skill is also found where only names are
// shown, and called as a command. Pure.
import { StintError } from "../core/stint-error.ts";
import { nearMiss } from "../core/words/edit-distance.ts";
import type { ShippedSkill } from "./installed-skill.ts";
import { SKILL_FILE } from "./skill-text.ts";

export const OTHER_NAMES: readonly string[] = [
  "cross-session-iterative",
  "multi-session-orchestrator",
  "iteration",
  "project-loop",
  "long-task-coordinator",
];

/** The same skill, whole, by another name. @throws for a name that nobody knows it by */
export function underName(skill: ShippedSkill, name: string): ShippedSkill {
  if (name === skill.name) return skill;
  if (!OTHER_NAMES.includes(name)) throw unknownName(skill, name);
  const files = new Map(skill.files);
  const main = files.get(SKILL_FILE)?.toString("utf8") ?? "";
  files.set(SKILL_FILE, Buffer.from(main.replace(`\nname: ${skill.name}\n`, `\nname: ${name}\n`)));
  return { name, files };
}

function unknownName(skill: ShippedSkill, name: string): StintError {
  const known = [skill.name, ...OTHER_NAMES];
  const near = nearMiss(name, known);
  return new StintError(
    "bad-input",
    `"${name}" is not a known name of the skill${near === undefined ? "" : `; did you mean ${near}?`}`,
    `Use one of ${known.join(", ")}`,
  );
}
