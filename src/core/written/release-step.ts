// A release step puts something in front of others, and no retry takes that back: it publishes, deploys or pushes. Told
// from what the manifest says, the title and every command of the task, and from what the commands start in turn.
import type { TaskIntent } from "../schema/task.ts";
import { delegatedCommands } from "../delegation.ts";
import { programsStarted } from "./programs-started.ts";
import { judgeProgram, type Judged } from "./release-commands.ts";
import type { ReadText } from "./scripts-called.ts";

type Step = Pick<
  TaskIntent,
  "title" | "run" | "docs_only" | "checks" | "delegate" | "returns" | "dir"
>;

/** `read`: where there are files, what the scripts among them do counts as well. */
export function isReleaseStep(step: Step, read?: ReadText): boolean {
  const { title, run, docs_only, checks = [] } = step;
  const judged = run === undefined ? "unknown" : judgeCommand(run, step.dir, read);
  if (judged === "releases") return true;
  // What is known to stay on this machine is no release, whatever it is called.
  if (judged === "unknown" && docs_only !== true && isReleaseTitle(title)) return true;
  const others = [
    ...delegatedCommands(step),
    ...checks.flatMap((check) => (check.kind === "command" ? [check.command] : [])),
  ];
  return others.some((command) => judgeCommand(command, step.dir, read) === "releases");
}

/** What a command comes to: it releases when one of its programs does, and stays when all of them do. */
function judgeCommand(command: string, dir: string | undefined, read?: ReadText): Judged {
  const judged = new Set(programsStarted(command, dir, read).map(judgeProgram));
  if (judged.has("releases")) return "releases";
  return judged.has("unknown") || judged.size === 0 ? "unknown" : "stays";
}

const VERBS = "release|publish|deploy|ship|launch|announce|roll[ -]?out|go live";
/** "Release notes", "deploy script": things that are written, not released. */
const THINGS =
  "notes?|scripts?|workflows?|pipelines?|process|checklists?|plans?|docs|guides?|jobs?|branch|config(?:uration)?|keys?|tests?|page|tooling|automation|buttons?|screen|date|dates|candidates?|hooks?|builds?";
/** What programs release, publish and launch inside: "Release the lock", "Publish an event". */
const INSIDE =
  "locks?|mutex|semaphores?|leases?|memory|resources?|handles?|buffers?|connections?|sockets?|cursors?|threads?|events?|messages?|browsers?|process(?:es)?|workers?|subprocess(?:es)?|types?|exports?|interfaces?";
const BEGINS = new RegExp(
  `^(?:${VERBS})\\b(?![ -](?:${THINGS})\\b)(?! (?:(?:the|a|an|all|any|every|each|its|unused|held) )*(?:[\\w-]+ )?(?:${INSIDE})\\b)`,
  "i",
);
/** "Bump the version and publish it"; not "a script to build and deploy". */
const AND_THEN = new RegExp(
  `^(?!(?:write|document|describe|explain|draft|mention|show|say|plan|clarify|review)\\b)(?:(?!\\b(?:how|to|for|that|which|when|where|who|can|lets?|scripts?|workflows?|jobs?|commands?|tests?)\\b)[^.:;])*?(?:\\band\\b|\\bthen\\b|,)\\s+(?:${VERBS})\\b(?![ -](?:${THINGS})\\b)(?! (?:(?:the|a|an|all|its) )*(?:[\\w-]+ )?(?:${INSIDE})\\b)`,
  "i",
);
const ELSEWHERE =
  "origin|upstream|main|master|prod(?:uction)?|staging|remote|registry|store|app store|play store|marketplace|github|gitlab|npm|pypi|crates\\.io|rubygems|maven central|nuget|docker ?hub|ghcr|ecr|gcr|heroku|s3|cdn";
const SENT = new RegExp(
  `^(?:push|upload|submit|promote|sync)\\b.*\\bto (?:the |our |a )?(?:[\\w-]+ )?(?:${ELSEWHERE})\\b`,
  "i",
);
const MAKES = new RegExp(
  `^(?:cut|make|create) (?:a |the |our )?(?:[\\w.]+ )?release\\b(?![ -](?:${THINGS})\\b)`,
  "i",
);
const MERGES = /^merge (?:the |our )?(?:pull request|pr|merge request)s?\b(?! templates?)/i;

function isReleaseTitle(title: string): boolean {
  return [BEGINS, AND_THEN, SENT, MAKES, MERGES].some((pattern) => pattern.test(title));
}
