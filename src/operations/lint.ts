// `lint`: every problem of a manifest with its place, a right example and what was found; also what it asks of this
// machine and would not find in the workspace. A review log is explained instead: what its items are. Reads only.
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { DEFAULT_LIMITS, type Limits } from "../core/written/bounds.ts";
import type { LintView } from "../core/schema/views.ts";
import type { NormalisedManifest } from "../manifest/normalise-manifest.ts";
import { lintManifest } from "../manifest/lint/lint-manifest.ts";
import type { Config } from "../core/schema/config.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { byLine, errorAt, isError, type Problem, warningAt } from "../manifest/problem.ts";
import { logPaths } from "../iteration/settings.ts";
import { isReviewLog, readReviewLog } from "../iteration/review-log.ts";
import type { Entry } from "../iteration/review-sections.ts";
import { shellWord } from "../core/written/commands.ts";
import { StintError } from "../core/stint-error.ts";
import { ofFile } from "../core/words/system-error.ts";
import { findRepository } from "../store/repository.ts";
import type { RegistryEntry } from "../store/store.ts";
import { orFault } from "./faults.ts";
import { chosenFor, type Foretold, foretold, taskThatWaits } from "./foretold.ts";
import { lineOfKey } from "../manifest/key-lines.ts";
import { type ManifestFile, openManifest, scriptsBelow } from "./manifest-file.ts";
import { assertKnownAgents } from "./run/known-agents.ts";
import { readConfig } from "./run/read-config.ts";
import type { System } from "./system.ts";
import { resolveProject, usualManifest } from "./resolve-project.ts";
import { namesForManifest } from "../agents/agents.ts";
import { agentProblems } from "../engine/people/agent-problems.ts";
import { findBrowser } from "../checks/find-browser.ts";
import type { Plan } from "../manifest/plan.ts";
import { unseenFiles as unseenAmong } from "../engine/run/announce-work.ts";
import {
  loopbackWithoutServe,
  type MentionedPath,
  mentionedPaths,
  unseenFiles,
} from "../manifest/lint/workspace-lint.ts";
import type { ManifestDocument } from "../manifest/manifest-document.ts";
import { workspaceSettings, type WorkspaceSettings } from "../core/written/workspace-settings.ts";

export interface LintInput {
  readonly manifests: readonly string[];
  /** A folder of the work tree, where the manifests lie elsewhere. */
  readonly workTree?: string | undefined;
}

/** As for every verb: of the project of this work tree, or prompt.md. */
async function manifestMeant(system: System): Promise<string> {
  const usual = usualManifest(system);
  if (usual !== undefined) return usual;
  const here = findRepository(system.cwd).root;
  const entries = system.store.list().filter(({ root }) => root === here);
  if (entries.length > 1) throw severalManifests(system, here, entries);
  return fromHere(system, system.store.read(await resolveProject(system, undefined)).entry);
}

function fromHere({ cwd }: System, { root, manifest }: RegistryEntry): string {
  return relative(cwd, resolve(root, manifest)).split(sep).join("/");
}

function severalManifests(
  system: System,
  here: string,
  entries: readonly RegistryEntry[],
): StintError {
  const commands = entries.map((entry) => `stint lint ${shellWord(fromHere(system, entry))}`);
  return new StintError(
    "bad-input",
    `${here} has ${entries.length} projects, and no manifest was named`,
    `Name one of them: ${commands.join("\nor: ")}`,
  );
}

type LintedFile = LintView["files"][number];

export async function lint(system: System, input: LintInput): Promise<LintView> {
  const { manifests, workTree } = input;
  const names = manifests.length > 0 ? manifests : [await manifestMeant(system)];
  // By its real path, so that a file that is named twice is read once.
  const files = new Map<string, LintedFile>();
  for (const named of names) {
    // oxlint-disable-next-line no-await-in-loop
    const log = await emptyLog(system, named);
    if (log !== null) {
      files.set(resolve(system.cwd, named), log);
      continue;
    }
    const opened = orFault(() => openManifest(system.cwd, named, workTree));
    // The only one is refused with what to do; among others it does not keep them from being read.
    if (!opened.ok && names.length === 1) throw opened.fault;
    const path = opened.ok
      ? resolve(opened.value.repository.root, opened.value.path)
      : resolve(system.cwd, named);
    if (files.has(path)) continue;
    const linted = opened.ok
      ? // One after another: what they are about may be the same repository.
        // oxlint-disable-next-line no-await-in-loop
        await lintOne(system, named, opened.value, workTree)
      : unread(named, opened.fault);
    files.set(path, linted);
  }
  return { files: [...files.values()] };
}

/** A review log without a word is one, and no manifest without its sections. */
async function emptyLog(system: System, named: string): Promise<LintedFile | null> {
  const path = resolve(system.cwd, named);
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true || facts.size > MOST_BLANK) return null;
  const read = orFault(() => ofFile(path, () => readFileSync(path, "utf8")));
  if (!read.ok || read.value.replace("\uFEFF", "").trim() !== "") return null;
  const root = realpathSync(findRepository(dirname(path)).root);
  const { review } = logPaths(await readConfig(root));
  return relative(root, realpathSync(path)) === review ? explained(named, read.value) : null;
}

const MOST_BLANK = 1000;

function unread(file: string, { message }: StintError): LintedFile {
  const problem = errorAt(1, "not-read", { message, example: "", found: "" });
  return { file, tasks: 0, errors: 1, warnings: 0, problems: [problem] };
}

async function lintOne(
  system: System,
  named: string,
  opened: ManifestFile,
  workTree: string | undefined,
): Promise<LintedFile> {
  const { repository, path, text } = opened;
  const { root, gitFolder } = repository;
  const config = await readConfig(root);
  if (path === logPaths(config).review || isReviewLog(text)) return explained(named, text);
  const place = { root, hasGit: gitFolder !== null, manifest: path };
  const { plan, problems: found } = await problemsIn(system, { text, config, place });
  assertKnownAgents(system, {}, { plan, config, root });
  const isPlaced = gitFolder !== null || workTree !== undefined;
  const chosen = isPlaced ? orFault(() => chosenFor(system, plan, config, repository)) : null;
  const told =
    chosen?.ok === true
      ? await foretold(system, named, opened, { plan, chosen: chosen.value })
      : undefined;
  const problems = [
    ...(told === undefined ? [] : waitingTask(text, plan, told)),
    ...(isPlaced ? [] : [withoutRepository(root)]),
    ...(chosen?.ok === false ? [contradiction(text, chosen.fault)] : []),
    ...found,
  ].toSorted(byLine);
  const errors = problems.filter(isError).length;
  return {
    file: named,
    tasks: plan.tasks.length,
    errors,
    warnings: problems.length - errors,
    problems: [...problems],
    ...(errors > 0 || told === undefined ? {} : { foretold: told }),
  };
}

/** A run would end there, blocked; whoever knows can write it into its own manifest, or let work go to the branch. */
function waitingTask(text: string, plan: Plan, { delivery }: Foretold): Problem[] {
  const task = taskThatWaits(
    delivery.kind,
    plan.tasks.filter(({ box }) => !box.checked),
  );
  if (task === undefined) return [];
  const line = lineOfKey(parseManifest(text), plan.tasks.indexOf(task), "in");
  return [
    warningAt(line, "checkout-waits", {
      message:
        "this task runs in the checkout, and the work before it waits on its own branch: the run is blocked here until you bring that in with stint deliver; or let verified work go to the branch at once",
      example: "deliver: checkout",
      sample: true,
      found: "- in: checkout",
    }),
  ];
}

/** Settings that are right each, and that a run refuses together. */
function contradiction(text: string, { message, hint }: StintError): Problem {
  const lines = text.split(/\r\n|\n|\r/);
  const end = lines.indexOf("---", 1);
  const isNamed = (line: string): boolean => {
    const key = /^(\w+):/.exec(line)?.[1];
    return key !== undefined && message.includes(key);
  };
  const at = end === -1 ? -1 : lines.slice(0, end).findIndex(isNamed);
  return errorAt(at + 1 || 1, "contradicting-settings", {
    message: `${message}. ${hint}`,
    example: "",
    found: at === -1 ? "" : (lines[at] ?? ""),
  });
}

/** `run` refuses it; what is written in it can be judged all the same. */
function withoutRepository(folder: string): Problem {
  return warningAt(1, "no-repository", {
    message:
      "this manifest is in no git repository; to run it, name the work tree with --dir or in the front matter",
    example: "---\nrepository: /home/ada/shop\n---",
    sample: true,
    found: folder,
  });
}

/** All that there is to say about the text of a manifest, and about what it would miss here. */
export async function problemsIn(
  system: System,
  { text, config, place }: { text: string; config: Config; place: LookedAt },
): Promise<NormalisedManifest> {
  const linted = lintManifest(text, limitsOf(config), scriptsBelow(place.root));
  const { plan } = linted;
  const document = parseManifest(text);
  const here = [
    ...browserProblems(system, plan, place.root, config),
    ...agentProblems(document, plan, namesForManifest(system.agents)),
  ];
  const missed = await workspaceProblems(document, plan, config, place);
  return { plan, problems: [...linted.problems, ...here, ...missed].toSorted(byLine) };
}

const EXAMPLE = `## DOC-001 — Say how it is installed

done: false

- [ ] DOC-002: Correct the example in README.md

## Resolution Log

- DOC-001: wrote docs/install.md`;

/** A review log, as it is understood; what is no item in it is nobody's business. */
function explained(file: string, text: string): LintedFile {
  const log = readReviewLog(text);
  const none = warningAt(1, "no-review-items", {
    message:
      "no review item was found: an item is a heading or a list item that begins with an id such as DOC-001, one with a box, or a heading with a done: line below it",
    example: EXAMPLE,
    found: text.split(/\r\n|\r|\n/u)[0] ?? "",
  });
  const problems = [...(log.items.length > 0 ? [] : [none]), ...log.problems].toSorted(byLine);
  return {
    file,
    tasks: 0,
    errors: 0,
    warnings: problems.length,
    problems: [...problems],
    review: log.items.map(({ line, id, title, isResolved }) => ({
      line,
      id,
      title,
      resolved_by: isResolved ? resolvedBy(log.resolutions.get(id)) : null,
    })),
  };
}

function resolvedBy(entry: Entry | undefined): string {
  if (entry === undefined) return "its own box or done: line";
  return entry.words === "" ? `line ${entry.line}` : `line ${entry.line}: ${entry.words}`;
}

export function limitsOf(config: Config): Limits {
  const { extract: _, ...limits } = config.limits ?? {};
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(set) as Partial<Limits>) };
}

/** Where a check shows a page. */
function browserProblems(
  system: System,
  plan: Plan,
  root: string,
  config: Config,
): readonly Problem[] {
  const task = plan.tasks.find(({ box, checks }) => !box.checked && checks.some(isPage));
  if (task === undefined) return [];
  const { browser: configured } = config;
  const found = findBrowser({ configured, env: system.env, root, own: system.browserProgram });
  if (found.found) return [];
  return [
    warningAt(task.box.line, "no-browser", {
      message: `a check of this task needs a browser, and ${found.why}`,
      example: found.hint,
      found: `- [${task.box.mark}] ${task.text}`,
    }),
  ];
}

function isPage({ kind }: { readonly kind: string }): boolean {
  return kind === "browser" || kind === "render";
}

interface LookedAt {
  readonly root: string;
  readonly hasGit: boolean;
  /** Whatever the settings say. */
  readonly isInPlace?: boolean;
  /** The manifest itself: every workspace has it, committed or not. */
  readonly manifest: string;
  /** What the person has not committed, and git does not ignore, is there too. */
  readonly includesChanges?: boolean;
}

/** What the manifest expects of the workspace and would not find there. */
async function workspaceProblems(
  document: ManifestDocument,
  plan: Plan,
  config: Config,
  at: LookedAt,
): Promise<readonly Problem[]> {
  const settings = { ...workspaceSettings(config), ...workspaceSettings(plan.settings) };
  if (isInPlace(settings, at)) return [];
  const unseen = await unseenMentions(plan, settings, at);
  return [
    ...unseenFiles(document, unseen, settings.bring ?? "default"),
    ...(settings.serve === undefined ? loopbackWithoutServe(plan, document) : []),
  ];
}

/** Files that the manifest mentions, that lie in the checkout, and that no session would see. */
export async function unseenMentions(
  plan: Plan,
  settings: WorkspaceSettings,
  { root, manifest, includesChanges = false }: LookedAt,
): Promise<readonly MentionedPath[]> {
  const mentions = mentionedPaths(plan, settings).filter(({ path }) => path !== manifest);
  const paths = mentions.map(({ path }) => path);
  const unseen = await unseenAmong(root, paths, {
    bring: settings.bring ?? "default",
    includesChanges,
  });
  return mentions.filter(({ path }) => unseen.has(path));
}

function isInPlace({ workspace }: WorkspaceSettings, at: LookedAt): boolean {
  return !at.hasGit || (at.isInPlace ?? workspace?.kind === "in-place");
}
