// What both kinds of workspace do alike: opening the repositories, everything that asks Stint's own, removal.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { parkRef } from "../git/refs.ts";
import { clearOwnLocks, writeOwnRepository } from "./base/own-repository.ts";
import { readSettings, treesOf } from "./base/person-repository.ts";
import { hasGit, type Place, viewOf, type WorkspaceOptions } from "./base/place.ts";
import { factsOf } from "./base/raw-path.ts";
import { NEW_RECORD, readRecord } from "./base/record.ts";
import { clearLeftLocks, clearRefLocks, dropRefs } from "./base/refs.ts";
import { writePlainly } from "./base/durable-file.ts";
import { discardFolder } from "./base/remove-tree.ts";
import { combineByContent, mix } from "./tree/combine.ts";
import { readNotes, writeNotes } from "./commit/evidence-notes.ts";
import { hasPushHook, runPushHook } from "./commit/push-hook.ts";
import { whyNoCommit } from "./commit/write-commit.ts";
import { writeObject } from "./tree/git-objects.ts";
import {
  findEntries,
  readChanges,
  readCommit,
  readDiff,
  readEntries,
  readTexts,
} from "./tree/read-trees.ts";
import { madeIgnored, putIgnoredBack, setIgnoredAside } from "./tree/watch-ignored.ts";
import { watchReads } from "./tree/watch-reads.ts";
import { assertInShape } from "./damaged-records.ts";
import { dropIfEmpty, keepOwner } from "./workspace-folders.ts";
import type { KeptName, KeptWork, Workspace } from "./workspace.ts";
import { lookThrough } from "../process/look-at.ts";

export function sharedActs(place: Place) {
  const { options, folder, at, person } = place;
  return {
    kind: options.kind,
    folder,
    at,
    view: viewOf(options, folder, person),
    whyNoCommit: () => whyNoCommit(place),
    hasPushHook: () => hasGit(place) && hasPushHook(place),
    beforePush: async (push) =>
      hasGit(place) ? await runPushHook(place, push) : { kind: "passed", sendsLargeFiles: false },
    keep: async (name, tree, base) => keepWork(place, name, tree, base),
    kept: (name) => readWork(place, name),
    changes: (before, after) => readChanges(place, before, after),
    changedBy: (commit) => readCommit(place, commit),
    entries: (tree, paths) => readEntries(place, tree, paths),
    find: (tree, isWanted) => findEntries(place, tree, isWanted),
    texts: (tree, paths) => readTexts(place, tree, paths),
    mix: (tree, other, paths, texts) => mix(place, { tree, other, paths, texts }),
    madeIgnored: (session, known) => madeIgnored(place, session, known),
    setIgnoredAside: (session, earlier) => setIgnoredAside(place, session, earlier),
    putIgnoredBack: () => putIgnoredBack(place),
    watchReads: (paths) => watchReads(folder, paths),
    combine: (base, ours, theirs) => combineByContent(place, { base, ours, theirs }),
    ignored: () => readIgnored(place),
    diff: (before, after, paths) => readDiff(place, before, after, paths),
    treesOf: async (commits) => (person === null ? new Map() : await treesOf(person, commits)),
    notes: async (commits) => (person === null ? new Map() : await readNotes(person, commits)),
    async note(lines) {
      if (hasGit(place)) await writeNotes(place, lines);
      return place.notes.splice(0);
    },
  } satisfies Partial<Workspace>;
}

/** The parts that both kinds need: folders, settings, Stint's own repository. */
export async function openRepositories(place: Place, probeIn: string | null): Promise<void> {
  const { options, person, git } = place;
  assertInShape(options.home);
  mkdirSync(options.home, { recursive: true, mode: 0o700 });
  if (options.owner !== undefined) keepOwner(options.home, options.owner);
  clearOwnLocks(git.gitDir);
  if (person !== null) await clearRefLocks(person, options);
  place.settings = person === null ? [] : await readSettings(person);
  writeOwnRepository({ gitDir: git.gitDir, probeIn, person, settings: place.settings });
  place.record = readRecord(options.home) ?? NEW_RECORD;
  place.isRecordAhead = false;
  place.indexTree = null;
}

async function readIgnored({ git }: Place): Promise<readonly string[]> {
  const words = ["ls-files", "-o", "-i", "--directory", "--exclude-standard", "-z"];
  const { stdout } = await git.run(words);
  return stdout.split("\0").filter((path) => path !== "");
}

/**
 * Unfinished work as a commit in Stint's own repository: nothing of it reaches the person's.
 * A name for work whose tree is durable and whose id the project's own records hold: so neither the commit nor
 * its ref is waited for. Nobody else writes there, so both are written as files.
 */
function keepWork(
  { git, options }: Place,
  { task, attempt }: KeptName,
  tree: string,
  base: string,
): KeptWork {
  const ref = parkRef(options.project, task, attempt);
  const who = `Stint <stint@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
  const title = `Unfinished work of ${task}, attempt ${attempt}`;
  const content = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${title}\n\nStint-Base: ${base}\n`;
  const object = { kind: "commit", content: Buffer.from(content) } as const;
  const commit = writeObject(git.gitDir, object, tree.length, "unflushed");
  const path = join(git.gitDir, ref);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePlainly(`${path}.tmp`, `${commit}\n`);
  renameSync(`${path}.tmp`, path);
  return { tree, base, ref };
}

async function readWork(place: Place, name: KeptName): Promise<KeptWork | null> {
  const ref = parkRef(place.options.project, name.task, name.attempt);
  const format = "%(tree)%00%(contents)";
  const { stdout } = await place.git.run(["for-each-ref", `--format=${format}`, ref], {
    isStrict: true,
  });
  const [tree = "", contents = ""] = stdout.split("\0");
  const base = /^Stint-Base: ([0-9a-f]+)$/m.exec(contents)?.[1];
  if (tree !== "" && base !== undefined) return { tree, base, ref };
  if (factsOf(join(place.git.gitDir, ref)) === null) return null;
  throw new StintError(
    "git-failed",
    `${ref} is in ${place.git.gitDir}, but git does not show it`,
    `Look at it: git --git-dir=${place.git.gitDir} fsck`,
  );
}

/**
 * Removes a workspace: the refs that held its start and its tip, then its folder, so that a kill in between leaves
 * a folder, which is found again, never refs that nobody finds. The branch of its work and what was there before
 * that branch stay: they may be the only copy.
 */
export async function removePlace({ options, person }: Place): Promise<void> {
  if (person !== null) {
    await clearRefLocks(person, options);
    await clearLeftLocks([join(person.folder.common, "packed-refs.lock")], begunAtMs(options));
    await dropRefs(person, options.project);
  }
  await discardFolder(options.home);
  dropIfEmpty(options.home);
}

/** When a removal was first begun: what a kill left since then is ours. */
function begunAtMs({ home }: WorkspaceOptions): number {
  const mark = join(home, "removing");
  if (existsSync(home) && !existsSync(mark)) writePlainly(mark, "");
  return lookThrough(mark)?.mtimeMs ?? Date.now();
}
