// `lint`: every problem of a manifest with its place, a right example and what was found. Reads only.
import { DEFAULT_LIMITS, type Limits } from "../core/written/bounds.ts";
import type { LintView } from "../core/schema/views.ts";
import { lintManifest } from "../manifest/lint/lint-manifest.ts";
import type { Config } from "../core/schema/config.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { byLine } from "../manifest/problem.ts";
import { machineProblems } from "./health/machine-problems.ts";
import { openManifest } from "./manifest-file.ts";
import { readConfig } from "./run/read-config.ts";
import type { System } from "./system.ts";
import { workspaceProblems } from "./health/workspace-problems.ts";

export interface LintInput {
  readonly manifests: readonly string[];
}

export async function lint(system: System, input: LintInput): Promise<LintView> {
  const files = [];
  for (const named of input.manifests) {
    const { repository, path, text } = openManifest(system.cwd, named);
    const config = await readConfig(repository.root);
    const linted = lintManifest(text, limitsOf(config));
    const { plan } = linted;
    const here = machineProblems(system, plan, repository.root, config);
    const { root, gitFolder } = repository;
    const missed = await workspaceProblems(parseManifest(text), plan, config, {
      root,
      hasGit: gitFolder !== null,
      manifest: path,
    });
    const problems = [...linted.problems, ...here, ...missed].toSorted(byLine);
    const errors = problems.filter((problem) => problem.severity === "error").length;
    files.push({
      file: named,
      tasks: plan.tasks.length,
      errors,
      warnings: problems.length - errors,
      problems: [...problems],
    });
  }
  return { files };
}

export function limitsOf(config: Config): Limits {
  const set = Object.entries(config.limits ?? {}).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(set) as Partial<Limits>) };
}
