// Agents that a manifest names and that nobody has: in the front matter, of a task, of a review, of delegated work.
// Which there are depends on the program that runs, so the manifest alone cannot tell.
import { delegatedTo } from "../../core/delegation.ts";
import { nearMiss } from "../../core/words/edit-distance.ts";
import type { KeyLine, ManifestDocument, ManifestTask } from "../../manifest/manifest-document.ts";
import type { FrontMatter } from "../../manifest/front-matter.ts";
import { parseCheck } from "../../manifest/parse-check.ts";
import { blockOf, lineOfSetting, writtenAt } from "../../manifest/settings/front-matter-source.ts";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import type { Plan, PlannedTask } from "../../manifest/plan.ts";
import {
  errorAt,
  isError,
  type Problem,
  type ProblemText,
  warningAt,
} from "../../manifest/problem.ts";

/** @param names all that may be named */
export function agentProblems(
  document: ManifestDocument,
  plan: Plan,
  names: readonly string[],
): readonly Problem[] {
  return [
    ...settingProblems(document, plan, names),
    ...document.tasks.flatMap((written, index) => {
      const task = plan.tasks[index];
      return task === undefined ? [] : taskProblems(written, task, names);
    }),
  ];
}

/** The errors that a change brought: an earlier text may name an agent that only another program knows. */
export function newAgentErrors(
  { before, after }: { readonly before: string; readonly after: string },
  names: readonly string[],
): readonly Problem[] {
  const errors = agentErrors(after, names);
  if (errors.length === 0) return [];
  const known = new Set(agentErrors(before, names).map(({ message }) => message));
  return errors.filter(({ message }) => !known.has(message));
}

function agentErrors(text: string, names: readonly string[]): readonly Problem[] {
  const document = parseManifest(text);
  return agentProblems(document, normaliseManifest(document).plan, names).filter(isError);
}

function settingProblems(
  { frontMatter }: ManifestDocument,
  { settings }: Plan,
  names: readonly string[],
): Problem[] {
  if (frontMatter === undefined) return [];
  const { agent, agents } = settings;
  const one = typeof agent === "string" ? [agent] : [];
  const several = Array.isArray(agents) ? agents.map(String) : [];
  return [
    ...(agent !== undefined && agents !== undefined ? [bothKeys(frontMatter)] : []),
    ...unknownUnder(frontMatter, "agent", one, names),
    ...unknownUnder(frontMatter, "agents", several, names),
  ];
}

function bothKeys(frontMatter: FrontMatter): Problem {
  const line = lineOfSetting(frontMatter, "agent");
  return warningAt(line, "agent-and-agents", {
    message: "agents: counts, and agent: is ignored; remove one of the two lines",
    example: "",
    found: writtenAt(frontMatter, line),
  });
}

function unknownUnder(
  frontMatter: FrontMatter,
  key: "agent" | "agents",
  named: readonly string[],
  names: readonly string[],
): Problem[] {
  const unknown = [...new Set(named)].filter((name) => !isKnown(name, names));
  const start = lineOfSetting(frontMatter, key);
  const block = blockOf(frontMatter, key).split("\n");
  return unknown.map((name) => {
    const at = block.findIndex((text) => namesIn(text.trim()).includes(name));
    const line = start + Math.max(at, 0);
    const text = writtenAt(frontMatter, line);
    return errorAt(line, "unknown-agent", {
      message: `there is no agent "${name}" (${meantBy(name, names)})`,
      ...corrected(text, unknown, names),
      found: text,
    });
  });
}

const FORM = "agents: [claude, codex]";

/** The line with every misspelt name put right; only the form, if one of them is like no name that is known. */
function corrected(
  text: string,
  unknown: readonly string[],
  names: readonly string[],
): Pick<ProblemText, "example" | "sample"> {
  const here = unknown.filter((name) => namesIn(text).includes(name));
  const isClear = here.length > 0 && here.every((name) => nearestOf(name, names) !== undefined);
  if (!isClear) {
    return { example: /^["']?agent\b/u.test(text) ? "agent: codex" : FORM, sample: true };
  }
  const key = KEY.exec(text)?.[0] ?? "";
  const value = text
    .slice(key.length)
    .replace(NAME, (word) => (here.includes(word) ? (nearestOf(word, names) ?? word) : word));
  return { example: key + value };
}

const KEY = /^["']?agents?["']?\s*:/u;
const NAME = /[\w-]+/gu;

function namesIn(text: string): readonly string[] {
  return text.replace(KEY, "").match(NAME) ?? [];
}

function taskProblems(
  { keys }: ManifestTask,
  task: PlannedTask,
  names: readonly string[],
): readonly Problem[] {
  return [
    ...keys.flatMap((line) => reviewerProblems(line, names)),
    // Who did what is done is nobody's question any more.
    ...(task.box.checked
      ? []
      : [...workerProblems(keys, task, names), ...delegateProblems(keys, task, names)]),
  ];
}

function workerProblems(
  keys: readonly KeyLine[],
  { agent }: PlannedTask,
  names: readonly string[],
): readonly Problem[] {
  const line = keys.find(({ key }) => key === "agent");
  if (line === undefined || agent === undefined || isKnown(agent, names)) return [];
  const near = nearestOf(agent, names);
  return [
    errorAt(line.line, "unknown-agent", {
      message: `there is no agent "${agent}" (${meantBy(agent, names)})`,
      ...(near === undefined
        ? { example: "- agent: codex", sample: true }
        : { example: `- agent: ${near}` }),
      found: `- agent: ${agent}`,
    }),
  ];
}

function reviewerProblems(line: KeyLine, names: readonly string[]): readonly Problem[] {
  if (line.key !== "check") return [];
  const read = parseCheck(line.value);
  if (read === "prose" || !read.ok || read.check.kind !== "agent-review") return [];
  const { agent, question } = read.check;
  if (isKnown(agent, names)) return [];
  const near = nearestOf(agent, names);
  return [
    errorAt(line.line, "unknown-reviewer", {
      message: `there is no agent "${agent}" to review it (${meantBy(agent, names)})`,
      example: `- check: agent ${near ?? "codex"} "${question}"`,
      ...(near === undefined && { sample: true }),
      found: `- check: agent ${agent} "${question}"`,
    }),
  ];
}

/** A name that could be an agent's and is none may be meant for somebody outside. */
function delegateProblems(
  keys: readonly KeyLine[],
  task: PlannedTask,
  names: readonly string[],
): readonly Problem[] {
  const line = keys.find(({ key }) => key === "delegate");
  const delegated = delegatedTo(task);
  if (line === undefined || delegated?.by !== "agent") return [];
  const { agent } = delegated;
  if (isKnown(agent, names)) return [];
  const near = nearestOf(agent, names);
  return [
    errorAt(line.line, "unknown-delegate", {
      message: `there is no agent "${agent}" (${meantBy(agent, names)}); somebody outside needs a returns:`,
      example:
        near === undefined ? `- delegate: ${agent}\n- returns: message` : `- delegate: ${near}`,
      found: `- delegate: ${agent}`,
    }),
  ];
}

/** What follows the colon is a program or a file, and is looked for when the run starts. */
const WITH_PROGRAM = /^(?:acp|command|scripted):/u;

function isKnown(name: string, names: readonly string[]): boolean {
  return names.includes(name) || WITH_PROGRAM.test(name);
}

function nearestOf(name: string, names: readonly string[]): string | undefined {
  return nearMiss(name.toLowerCase(), names);
}

function meantBy(name: string, names: readonly string[]): string {
  if (name === "acp" || name === "command") {
    return `${name} needs a program, as in: stint run --agent '${name}:./agent.sh'`;
  }
  const near = nearestOf(name, names);
  return near === undefined ? `known are ${names.join(", ")}` : `did you mean ${near}?`;
}
