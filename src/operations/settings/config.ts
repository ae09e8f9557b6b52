// `config`: every setting with its value and where that came from; and what an iteration works by. Reads only.
import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Config } from "../../core/schema/config.ts";
import type { ConfigView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import type { Limits } from "../../core/written/bounds.ts";
import { durationText } from "../../core/written/times.ts";
import { ITERATION_WORDS } from "../../core/written/iteration-words.ts";
import { readSetup } from "../../core/written/workspace-settings.ts";
import { treeFiles } from "../../engine/base/tree-files.ts";
import {
  type IterationSettings,
  iterationSettings,
  type Sourced,
  type WrittenSettings,
} from "../../iteration/settings.ts";
import { findFrontMatter } from "../../manifest/front-matter.ts";
import { lineTable } from "../../manifest/line-table.ts";
import { isError, type Problem } from "../../manifest/problem.ts";
import { readSettings } from "../../manifest/settings.ts";
import { findRepository, type Repository } from "../../store/repository.ts";
import type { KnownSetting } from "./known-settings.ts";
import { limitsOf } from "../lint.ts";
import { type ManifestFile, openManifest } from "../manifest-file.ts";
import { settingsName } from "../run/known-agents.ts";
import { readConfig } from "../run/read-config.ts";
import { agentsIn } from "../run/run-settings.ts";
import { homeOf, type System } from "../system.ts";

/** As they were typed. */
export interface IterationOptions {
  readonly repo_id?: string | undefined;
  readonly workflow_dir?: string | undefined;
  readonly task_id?: string | undefined;
  readonly review_log?: string | undefined;
  readonly checks?: readonly string[] | undefined;
}

export interface WorksBy {
  readonly repository: Repository;
  readonly settings: IterationSettings;
  readonly limits: Limits;
  /** Commands that judge each step of what is generated. */
  readonly checks: Sourced<readonly string[]>;
  /** stint.config.yaml as it is. */
  readonly written: Config;
}

export interface ConfigInput {
  readonly options: IterationOptions;
  /** Its front matter wins over the settings of the repository. */
  readonly manifest?: string | undefined;
}

type Value = ConfigView["values"][number];
type Raw = Readonly<Record<string, unknown>>;

export async function config(system: System, input: ConfigInput): Promise<ConfigView> {
  const opened = input.manifest === undefined ? null : openManifest(system.cwd, input.manifest);
  const root = opened?.repository.root ?? system.cwd;
  const by = await worksBy(system, input.options, root);
  const { KNOWN_SETTINGS, MANIFEST_SETTINGS } = await import("./known-settings.ts");
  const front = opened === null ? {} : frontMatterIn(opened);
  const file = settingsName(by.repository.root);
  const own = ofIteration(by, file);
  const ofProject = opened === null ? new Map<string, Value>() : keptByProject(system, opened);
  const known = opened === null ? KNOWN_SETTINGS : [...KNOWN_SETTINGS, ...MANIFEST_SETTINGS];
  return {
    repository: by.repository.root,
    manifest: opened?.path ?? null,
    values: [
      ...known.map(
        (setting): Value =>
          own.get(setting.key) ??
          ofProject.get(setting.key) ??
          valueOf(setting, { front, written: by.written, file, system }),
      ),
      ...ofEnvironment(system),
    ],
  };
}

/** A run of this manifest is refused: no value can be said to hold for it. */
function frontMatterIn({ path, text }: ManifestFile): Raw {
  const problems: Problem[] = [];
  const settings = readSettings(findFrontMatter(text, lineTable(text)), problems);
  const wrong = problems.find(isError);
  if (wrong === undefined) return settings;
  throw new StintError(
    "bad-input",
    `${path}:${wrong.line}: ${wrong.message}`,
    `See how to write it right: stint lint ${shellWord(path)}`,
  );
}

/** What options may say as well, and the agents, of which two keys speak. */
function ofIteration({ settings, checks }: WorksBy, file: Value["from"]): Map<string, Value> {
  const entries = Object.entries({ ...settings, check: checks }).map(
    ([name, { value, from }]): [string, Value] => [
      `iteration.${name}`,
      {
        key: `iteration.${name}`,
        value: Array.isArray(value) ? [...(value as string[])] : (value as string | null),
        from: from === "stint.config.yaml" ? file : from,
        unset: value === null ? "a workflow is refused" : null,
      },
    ],
  );
  return new Map(entries);
}

/** Written when a project is made, and changed only by options of a run: what a file says later is for new projects. */
function keptByProject({ store }: System, { repository, path }: ManifestFile): Map<string, Value> {
  const entry = store
    .list()
    .find(({ root, manifest }) => root === repository.root && manifest === path);
  if (entry === undefined) return new Map();
  const { budgets, scope_guardrails } = store.read(entry.project_id).state;
  const kept: readonly (readonly [key: string, value: Value["value"]])[] = [
    ...Object.entries(scope_guardrails.limits).map(
      ([name, value]) => [`limits.${name}`, value] as const,
    ),
    ["budgets.sessions", budgets.sessions],
    ["budgets.wall", durationText(budgets.wall_ms)],
    ["budgets.tokens", budgets.tokens],
    ["budgets.cost", budgets.cost_usd],
  ];
  return new Map(
    kept.map(([key, value]) => [
      key,
      { key, value, from: "project", unset: value === null ? "no limit" : null },
    ]),
  );
}

interface Places {
  readonly front: Raw;
  readonly written: Config;
  /** The name of the file of settings. */
  readonly file: Value["from"];
  readonly system: System;
}

function valueOf(setting: Omit<KnownSetting, "means">, places: Places): Value {
  const { key, fallback, unset = null } = setting;
  const { front, file, system } = places;
  // A list of agents says the same as one agent; whichever file names any is the one that counts.
  const written: Raw = agentsIn(front) === undefined ? places.written : withoutAgents(places);
  const inFront = setting.front === undefined ? undefined : valueAt(front, setting.front);
  if (inFront !== undefined) return { key, value: shown(inFront), from: "manifest", unset: null };
  const inFile = MANIFEST_ONLY.has(key) ? undefined : valueAt(written, key);
  if (inFile !== undefined) return { key, value: shown(inFile), from: file, unset: null };
  const chrome = key === "browser" ? system.env["CHROME_PATH"] : undefined;
  if (chrome !== undefined && chrome !== "") {
    return { key, value: chrome, from: "environment", unset: null };
  }
  const isChained =
    key === "agent" && (valueAt(front, "agents") ?? valueAt(written, "agents")) !== undefined;
  if (isChained) return { key, value: null, from: "default", unset: "agents says it" };
  return {
    key,
    value: shown(fallback),
    from: "default",
    unset: fallback === null ? (unset?.replaceAll("`", "") ?? null) : null,
  };
}

/** Their key is another one in the file of settings. */
const MANIFEST_ONLY = new Set(["limits"]);

function withoutAgents({ written }: Places): Raw {
  const { agent: _agent, agents: _agents, ...rest } = written;
  return rest;
}

/** By the parts of its key; `workspace` and `proof` may be one word or keys of their own. */
function valueAt(from: Raw, key: string): unknown {
  const [first = "", ...rest] = key.split(".");
  const value = from[first];
  if (rest.length > 0) {
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? valueAt(value as Raw, rest.join("."))
      : undefined;
  }
  if (typeof value !== "object" || value === null) return value;
  if (first === "workspace") return (value as { readonly kind?: string }).kind;
  if (first === "proof") return (value as { readonly when?: string }).when;
  return value;
}

/** Keys with values become one line, as YAML would have them. */
function shown(value: unknown): Value["value"] {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
    return value as Value["value"];
  }
  if (Array.isArray(value)) return value.map(String);
  return Object.entries(value as Raw)
    .map(([key, each]) => `${key}: ${String(each)}`)
    .join(", ");
}

/** What no file says. */
function ofEnvironment({ env, stateHome }: System): Value[] {
  const isSet = isAbsolute(env["XDG_STATE_HOME"] ?? "");
  const editor = [env["VISUAL"], env["EDITOR"]].find((each) => (each ?? "").trim() !== "");
  return [
    {
      key: "XDG_STATE_HOME",
      value: dirname(stateHome),
      from: isSet ? "environment" : "default",
      unset: null,
    },
    {
      key: "EDITOR",
      value: editor ?? null,
      from: editor === undefined ? "default" : "environment",
      unset: editor === undefined ? "stint edit needs --file" : null,
    },
  ];
}

/** @param folder whose repository is meant */
export async function worksBy(
  system: System,
  input: IterationOptions,
  folder = system.cwd,
): Promise<WorksBy> {
  const repository = findRepository(folder);
  const { root } = repository;
  const written = await readConfig(root);
  const { checks: typed, ...options } = input;
  for (const [key, value] of Object.entries(options)) judgeOption(key, value);
  const fromFile: WrittenSettings = written.iteration ?? {};
  return {
    repository,
    settings: iterationSettings(root, homeOf(system), { options, config: fromFile }),
    limits: limitsOf(written),
    checks: checksFor(root, typed, written.iteration?.check),
    written,
  };
}

/** An option is held to the same words as the setting of its name. */
function judgeOption(key: string, value: string | undefined): void {
  const { pattern, expected } = ITERATION_WORDS[key as keyof typeof ITERATION_WORDS];
  if (value === undefined || pattern.test(value)) return;
  throw new StintError(
    "bad-input",
    `--${key.replaceAll("_", "-")} ${JSON.stringify(value)}: expected ${expected}`,
    "See the current values and their origin: stint config",
  );
}

function checksFor(
  root: string,
  typed: readonly string[] | undefined,
  written: string | string[] | undefined,
): Sourced<readonly string[]> {
  if (typed !== undefined) return { value: commandsIn(typed), from: "option" };
  if (written !== undefined) return { value: commandsIn(written), from: "stint.config.yaml" };
  return hasTests(root)
    ? { value: ["npm test"], from: "repository" }
    : { value: [], from: "default" };
}

function commandsIn(written: unknown): readonly string[] {
  const commands = readSetup(written);
  if (commands.ok) return commands.value;
  throw new StintError(
    "bad-input",
    `--check: ${commands.reason}`,
    "For example: --check 'npm test'",
  );
}

/** What npm writes into a new package is no test. */
const NO_TEST = /no test specified/u;
const LARGEST_PACKAGE_BYTES = 1024 * 1024;

function hasTests(root: string): boolean {
  const facts = lstatSync(join(root, "package.json"), { throwIfNoEntry: false });
  if (facts?.isFile() !== true || facts.size > LARGEST_PACKAGE_BYTES) return false;
  const text = treeFiles({ root, manifest: null, projectFolder: "" }).textNow("package.json");
  try {
    const { scripts } = JSON.parse(text ?? "") as { scripts?: { test?: unknown } };
    const test = scripts?.test;
    return typeof test === "string" && test.trim() !== "" && !NO_TEST.test(test);
  } catch {
    // A package.json that cannot be read promises no tests.
    return false;
  }
}
