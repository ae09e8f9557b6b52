// What lint would warn of in a manifest that it did not warn of before: told once, by whatever brings the change, a run or
// an edit.
import { relative, resolve } from "node:path";
import { shellWord } from "../../core/written/commands.ts";
import { isError, type Problem } from "../../manifest/problem.ts";
import type { RegistryEntry } from "../../store/store.ts";
import { problemsIn } from "../lint.ts";
import { readConfig } from "./read-config.ts";
import type { System } from "../system.ts";

/** More are told by `stint lint`. */
const MOST_ADVICE = 10;

export interface Changed {
  /** Null: nobody was told anything yet. */
  readonly before: string | null;
  readonly after: string;
  readonly isInPlace: boolean;
  readonly includesChanges: boolean;
}

export async function newAdvice(
  system: System,
  { root, manifest }: Pick<RegistryEntry, "root" | "manifest">,
  { before, after, isInPlace, includesChanges }: Changed,
): Promise<readonly string[]> {
  const config = await readConfig(root);
  const place = { root, hasGit: true, manifest, isInPlace, includesChanges };
  const warningsIn = async (text: string): Promise<readonly Problem[]> => {
    const { problems } = await problemsIn(system, { text, config, place });
    return problems.filter((problem) => !isError(problem));
  };
  const known = before === null ? [] : (await warningsIn(before)).map(gistOf);
  const fresh = (await warningsIn(after)).filter((problem) => !known.includes(gistOf(problem)));
  if (fresh.length === 0) return [];
  const more = fresh.length - MOST_ADVICE;
  const how = `stint lint ${shellWord(relative(system.cwd, resolve(root, manifest)))}`;
  return [
    ...fresh
      .slice(0, MOST_ADVICE)
      .map(({ line, message, rule }) => `${manifest}:${line}: ${message} [${rule}]`),
    `${more > 0 ? `${more} more warnings, and how` : "how"} to write it right: ${how}`,
  ];
}

/** Wherever it stands by now. */
function gistOf({ rule, message, found }: Problem): string {
  return [rule, message, found].join("\n");
}
