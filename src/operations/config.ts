// `config`: what an iteration works by and its bounds, each value with where it came from. Reads only.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../core/schema/config.ts";
import type { ConfigView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { DEFAULT_EXTRACT, type Limits } from "../core/written/bounds.ts";
import { ITERATION_WORDS } from "../core/written/iteration-words.ts";
import { readSetup } from "../core/written/workspace-settings.ts";
import { treeFiles } from "../engine/base/tree-files.ts";
import {
  type IterationSettings,
  iterationSettings,
  type Sourced,
  type WrittenSettings,
} from "../iteration/settings.ts";
import { findRepository, type Repository } from "../store/repository.ts";
import { limitsOf } from "./lint.ts";
import { readConfig } from "./run/read-config.ts";
import { homeOf, type System } from "./system.ts";

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

export async function config(system: System, input: IterationOptions): Promise<ConfigView> {
  const { repository, settings, limits, checks, written } = await worksBy(system, input);
  const ofIteration = Object.entries(settings).map(([key, { value, from }]) => ({
    key: `iteration.${key}`,
    value,
    from,
  }));
  const bounds = { ...limits, extract: written.limits?.extract ?? DEFAULT_EXTRACT };
  const ofLimits = Object.entries(bounds).map(([key, value]) => ({
    key: `limits.${key}`,
    value,
    from:
      written.limits?.[key as keyof typeof bounds] === undefined
        ? ("default" as const)
        : ("stint.config.yaml" as const),
  }));
  const check = { key: "iteration.check", value: [...checks.value], from: checks.from };
  return { repository: repository.root, values: [...ofIteration, check, ...ofLimits] };
}

export async function worksBy(system: System, input: IterationOptions): Promise<WorksBy> {
  const repository = findRepository(system.cwd);
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
    "See what holds now, and where it came from: stint config",
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
  throw new StintError("bad-input", `--check: ${commands.reason}`, "As in: --check 'npm test'");
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
