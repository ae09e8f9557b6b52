// `mcp install`, `remove` and `list`: Stint as a server in the settings of agents, and taken out again. An entry of that
// name that a person changed, and every other byte of a file, is left as it is.
import { lstatSync, mkdirSync, readFileSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJsonLine } from "../core/json-line.ts";
import type { McpView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { knownWord } from "../core/words/edit-distance.ts";
import {
  type InstalledEntry,
  lookAtEntry,
  putEntry,
  settingsFile,
  takeEntry,
} from "../agent-settings/installed-entry.ts";
import {
  SETTINGS_AGENTS,
  type SettingsPlace,
  type SettingsRoots,
  settingsPlaces,
} from "../agent-settings/settings-places.ts";
import { removeIfEmpty, writeWhole } from "../skills/whole-files.ts";
import { orHardStop } from "../store/files.ts";
import { sha256Of } from "../store/digest.ts";
import { findRepository } from "../store/repository.ts";
import { homeOf, type System } from "./system.ts";

export interface McpInput {
  readonly act: string;
  readonly agents: readonly string[];
  readonly isForUser: boolean;
  readonly isForProject: boolean;
}

const ACTS = ["install", "list", "remove"] as const;

type Act = (typeof ACTS)[number];
type Entry = McpView["servers"][number];

export function mcpInstall(system: System, input: McpInput): McpView {
  const act = knownAct(input.act);
  assertFitting(act, input);
  const isBoth = act === "list" && !input.isForUser && !input.isForProject;
  const scopes = isBoth
    ? (["project", "user"] as const)
    : [input.isForUser ? ("user" as const) : ("project" as const)];
  const places = scopes.flatMap((scope) => settingsPlaces(scope, rootsOf(system), input.agents));
  const verb = act === "remove" ? "remove" : act === "list" ? "look at" : "write";
  const servers = places.map((place) =>
    orHardStop(verb, settingsFile(place), () => DO[act](system, place)),
  );
  return { act, servers, next: nextSteps(act, input, servers) };
}

const DO = { install, list, remove } as const satisfies Record<
  Act,
  (system: System, place: SettingsPlace) => Entry
>;

function list(_system: System, place: SettingsPlace): Entry {
  const found = lookAtEntry(place);
  return entry(place, found.state, "shown", whyLeft(found));
}

function install(system: System, place: SettingsPlace): Entry {
  const found = lookAtEntry(place);
  if (found.state === "current") return entry(place, "current", "unchanged", null);
  if (found.state !== "absent") return entry(place, found.state, "left", whyLeft(found));
  putEntry(place, (made) => rememberFolders(system, place, made));
  return entry(place, "current", "installed", null);
}

function remove(system: System, place: SettingsPlace): Entry {
  const found = lookAtEntry(place);
  if (found.state === "absent") return entry(place, "absent", "unchanged", null);
  if (found.state !== "current") return entry(place, found.state, "left", whyLeft(found));
  takeEntry(place, foldersMade(system, place));
  forgetFolders(system, place);
  return entry(place, "absent", "removed", null);
}

function entry(
  place: SettingsPlace,
  state: Entry["state"],
  outcome: Entry["outcome"],
  why: string | null,
): Entry {
  const { scope, agents } = place;
  return { scope, agents: [...agents], file: settingsFile(place), state, outcome, why };
}

function whyLeft(found: InstalledEntry): string | null {
  switch (found.state) {
    case "absent":
    case "current":
      return null;
    case "edited":
      return "its entry stint was not written by Stint, and was left as it is";
    case "unreadable":
      return `it is not a valid settings file, and was left as it is: ${found.why}`;
    case "link":
      return `${found.link} is a link to ${found.to}, and is not followed`;
    default:
      return found satisfies never;
  }
}

function nextSteps(act: Act, input: McpInput, servers: readonly Entry[]): string[] {
  if (act !== "list" || servers.some(({ state }) => state !== "absent")) return [];
  return [`stint mcp install --agent ${input.agents[0] ?? "claude"}`];
}

function knownAct(word: string): Act {
  return knownWord(
    word,
    ACTS,
    (near, isItMeant) =>
      new StintError(
        "bad-input",
        `"${word}" is not an action of stint mcp${isItMeant}`,
        `For example: stint mcp ${near ?? "install --agent claude"}; without an action it serves the agent that started it`,
      ),
  );
}

function assertFitting(act: Act, { agents, isForUser, isForProject }: McpInput): void {
  if (isForUser && isForProject) {
    throw new StintError(
      "bad-input",
      "--user and --project cannot be given together",
      `Give one of them, or run it twice: stint mcp ${act} --user`,
    );
  }
  if (act === "install" && agents.length === 0) {
    throw new StintError(
      "bad-input",
      "no agent is named, and each agent has its own settings file",
      `Name one or more of ${SETTINGS_AGENTS.join(", ")}: stint mcp install --agent claude`,
    );
  }
}

function rootsOf(system: System): SettingsRoots {
  const moved = (name: string): string | undefined => {
    const set = system.env[name] ?? "";
    return set === "" ? undefined : resolve(system.cwd, set);
  };
  return {
    project: findRepository(system.cwd).root,
    user: homeOf(system),
    claudeConfig: moved("CLAUDE_CONFIG_DIR"),
    codexHome: moved("CODEX_HOME"),
    xdgConfig: moved("XDG_CONFIG_HOME"),
  };
}

/** Which folders were made for a file, so that they go with it. They are kept with the state: the file has no room for it. */
function rememberFolders(system: System, place: SettingsPlace, made: readonly string[]): void {
  mkdirSync(foldersFolder(system), { recursive: true, mode: 0o700 });
  const all = [...new Set([...foldersMade(system, place), ...made])].toSorted();
  const text = JSON.stringify({ folders_made: all });
  writeWhole(recordFile(system, place), Buffer.from(`${text}\n`));
}

function foldersMade(system: System, place: SettingsPlace): readonly string[] {
  const file = recordFile(system, place);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const made = parseJsonLine(readFileSync(file, "utf8"))?.["folders_made"];
  return Array.isArray(made) ? made.filter((each) => typeof each === "string") : [];
}

function forgetFolders(system: System, place: SettingsPlace): void {
  const file = recordFile(system, place);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) unlinkSync(file);
  removeIfEmpty(foldersFolder(system));
}

function foldersFolder({ stateHome }: System): string {
  return join(stateHome, "agent-settings");
}

function recordFile(system: System, place: SettingsPlace): string {
  return join(foldersFolder(system), `${sha256Of(settingsFile(place))}.json`);
}
