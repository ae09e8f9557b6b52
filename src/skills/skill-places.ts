// Where each agent reads skills. Two folders reach them all: every one but Claude Code reads `.agents/skills`, and
// where an agent reads both, it lists a skill of one name once. Pure.
import { StintError } from "../core/stint-error.ts";
import { knownWord } from "../core/words/edit-distance.ts";

export type SkillScope = "project" | "user";

const SHARED = ".agents/skills";

/** The folder, from the root of the work tree and from the home folder alike. */
const READ_BY: Readonly<Record<string, string>> = {
  claude: ".claude/skills",
  codex: SHARED,
  gemini: SHARED,
  opencode: SHARED,
  copilot: SHARED,
  qwen: SHARED,
  cline: SHARED,
  kimi: SHARED,
  qodercli: SHARED,
  auggie: SHARED,
};

export const SKILL_AGENTS: readonly string[] = Object.keys(READ_BY);

export interface SkillPlace {
  readonly scope: SkillScope;
  /** Taken as it is: what lies above it is not ours to judge. */
  readonly root: string;
  /** Below the root; its parts are made and removed where nobody else needs them. */
  readonly path: string;
  readonly agents: readonly string[];
}

export interface SkillRoots {
  readonly project: string;
  readonly user: string;
  /** Where Claude Code keeps what is otherwise in ~/.claude, when a person moved it. */
  readonly claudeConfig: string | undefined;
}

/** One place for each folder, with the agents that read it; all agents where none is named. */
export function skillPlaces(
  scope: SkillScope,
  roots: SkillRoots,
  named: readonly string[],
): SkillPlace[] {
  const wanted = named.length === 0 ? SKILL_AGENTS : named.map(knownAgent);
  const places = new Map<string, SkillPlace>();
  for (const agent of SKILL_AGENTS.filter((each) => wanted.includes(each))) {
    const { root, path } = folderOf(agent, scope, roots);
    const key = `${root}/${path}`;
    const agents = [...(places.get(key)?.agents ?? []), agent];
    places.set(key, { scope, root, path, agents });
  }
  return [...places.values()];
}

function folderOf(
  agent: string,
  scope: SkillScope,
  roots: SkillRoots,
): Pick<SkillPlace, "root" | "path"> {
  if (scope === "user" && agent === "claude" && roots.claudeConfig !== undefined) {
    return { root: roots.claudeConfig, path: "skills" };
  }
  return { root: roots[scope], path: READ_BY[agent] ?? SHARED };
}

function knownAgent(named: string): string {
  return knownWord(
    named,
    SKILL_AGENTS,
    (_, isItMeant) =>
      new StintError(
        "bad-input",
        `"${named}" is not an agent that Stint can install skills for${isItMeant}`,
        `Use one of ${SKILL_AGENTS.join(", ")}; without --agent, all of them`,
      ),
  );
}
