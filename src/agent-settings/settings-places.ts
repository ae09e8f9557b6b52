// Where each agent reads which MCP servers it may start, and how Stint is written there. Pure; what lies there is
// somebody else's.
import { StintError } from "../core/stint-error.ts";
import { knownWord } from "../core/words/edit-distance.ts";
import type { SkillScope } from "../skills/skill-places.ts";
import type { JsonEntry } from "./json-entry.ts";
import type { TomlEntry } from "./toml-entry.ts";

export type Written =
  | ({ readonly kind: "json" } & JsonEntry)
  | ({ readonly kind: "toml" } & TomlEntry);

export interface SettingsPlace {
  readonly scope: SkillScope;
  /** Taken as it is: what lies above it is not ours to judge. */
  readonly root: string;
  /** The file, below the root; where several are read, the first that is there, else the last. */
  readonly paths: readonly string[];
  readonly agents: readonly string[];
  readonly written: Written;
}

/** Folders that a person may have moved. */
export interface SettingsRoots {
  readonly project: string;
  readonly user: string;
  readonly claudeConfig: string | undefined;
  readonly codexHome: string | undefined;
  readonly xdgConfig: string | undefined;
}

type Reading = Pick<SettingsPlace, "root" | "paths" | "written">;

const NAME = "stint";
const COMMAND = { command: "stint", args: ["mcp"] };

/** Codex starts servers with hardly a variable; by these one finds its session, and else its projects. */
const VARIABLES = [
  "STINT_INBOX",
  "STINT_SEAL",
  "STINT_PROJECT",
  "STINT_SESSION",
  "STINT_TASK",
  "STINT_MANIFEST",
  "STINT_RUN_ID",
  "XDG_STATE_HOME",
];

/** Checks are run while a tool is waited for; where an agent would give it up after a minute, it is told. */
const LONGEST_CALL_S = 3600;

const SERVERS = json("mcpServers", COMMAND);
const CLINE = json("mcpServers", { ...COMMAND, timeout: LONGEST_CALL_S });
const KIMI = json("mcpServers", { ...COMMAND, toolTimeoutMs: LONGEST_CALL_S * 1000 });
/** Copilot CLI reads the same file, and wants the type. */
const TYPED = json("mcpServers", { type: "stdio", ...COMMAND });
const COPILOT = json("mcpServers", { type: "local", ...COMMAND, tools: ["*"] });
const OPENCODE = json("mcp", { type: "local", command: ["stint", "mcp"], enabled: true });
const CODEX: Written = {
  kind: "toml",
  table: ["mcp_servers", NAME],
  lines: [
    `command = "stint"`,
    `args = ["mcp"]`,
    `env_vars = ${listed(VARIABLES)}`,
    `tool_timeout_sec = ${LONGEST_CALL_S}`,
  ],
};

function json(container: string, value: Readonly<Record<string, unknown>>): Written {
  return { kind: "json", container, name: NAME, value };
}

function listed(names: readonly string[]): string {
  return `[${names.map((name) => `"${name}"`).join(", ")}]`;
}

/** Null where an agent reads no such file. */
const READ_BY: Readonly<
  Record<string, (scope: SkillScope, roots: SettingsRoots) => Reading | null>
> = {
  claude: (scope, { project, user, claudeConfig }) =>
    scope === "project"
      ? { root: project, paths: [".mcp.json"], written: TYPED }
      : { root: claudeConfig ?? user, paths: [".claude.json"], written: TYPED },
  codex: (scope, { project, user, codexHome }) => {
    const isMoved = scope === "user" && codexHome !== undefined;
    const root = scope === "project" ? project : user;
    return isMoved
      ? { root: codexHome, paths: ["config.toml"], written: CODEX }
      : { root, paths: [".codex/config.toml"], written: CODEX };
  },
  gemini: (scope, roots) => ({
    root: roots[scope],
    paths: [".gemini/settings.json"],
    written: SERVERS,
  }),
  opencode: (scope, { project, user, xdgConfig }) => {
    const names = ["opencode.jsonc", "opencode.json"];
    if (scope === "project") return { root: project, paths: names, written: OPENCODE };
    const below = xdgConfig === undefined ? ".config/opencode" : "opencode";
    const paths = names.map((name) => `${below}/${name}`);
    return { root: xdgConfig ?? user, paths, written: OPENCODE };
  },
  copilot: (scope, { project, user }) =>
    scope === "project"
      ? { root: project, paths: [".mcp.json"], written: TYPED }
      : { root: user, paths: [".copilot/mcp-config.json"], written: COPILOT },
  qwen: (scope, roots) => ({
    root: roots[scope],
    paths: [".qwen/settings.json"],
    written: SERVERS,
  }),
  cline: (scope, { user }) =>
    scope === "project"
      ? null
      : { root: user, paths: [".cline/data/settings/cline_mcp_settings.json"], written: CLINE },
  kimi: (scope, roots) => ({
    root: roots[scope],
    paths: [".kimi-code/mcp.json"],
    written: KIMI,
  }),
  qodercli: (scope, { project, user }) =>
    scope === "project"
      ? { root: project, paths: [".mcp.json"], written: TYPED }
      : { root: user, paths: [".qoder/settings.json"], written: SERVERS },
  auggie: (scope, roots) => ({
    root: roots[scope],
    paths: [".augment/settings.json"],
    written: TYPED,
  }),
};

export const SETTINGS_AGENTS: readonly string[] = Object.keys(READ_BY);

/** One place for each file, with the agents that read it; all agents where none is named. */
export function settingsPlaces(
  scope: SkillScope,
  roots: SettingsRoots,
  named: readonly string[],
): SettingsPlace[] {
  const wanted = named.length === 0 ? SETTINGS_AGENTS : named.map(knownAgent);
  const places = new Map<string, SettingsPlace>();
  for (const agent of SETTINGS_AGENTS.filter((each) => wanted.includes(each))) {
    const reading = READ_BY[agent]?.(scope, roots) ?? null;
    if (reading === null) {
      if (named.length === 0) continue;
      throw new StintError(
        "bad-input",
        `${agent} reads no servers from a work tree`,
        `For all your work: stint mcp install --user --agent ${agent}`,
      );
    }
    const key = `${reading.root}/${reading.paths[0]}`;
    const agents = [...(places.get(key)?.agents ?? []), agent];
    places.set(key, { scope, agents, ...reading });
  }
  return [...places.values()];
}

function knownAgent(named: string): string {
  return knownWord(
    named,
    SETTINGS_AGENTS,
    (_, isItMeant) =>
      new StintError(
        "bad-input",
        `"${named}" is not an agent whose settings Stint knows${isItMeant}`,
        `Use one of ${SETTINGS_AGENTS.join(", ")}`,
      ),
  );
}
