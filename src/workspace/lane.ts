// Workspaces beside another one, in that one's home, so that they are measured and removed with it: a lane, for a
// session beside others, and a fresh clone, in which what is committed is proven. The git folder of each has an index
// of its own and links to the objects and refs of the other one's: a tree that was made here is known there at once.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { clearOwnLocks, settingsOfFreshClone, writeOwnRepository } from "./base/own-repository.ts";
import { newPlace, type WithGit, type WorkspaceOptions } from "./base/place.ts";
import { factsOf } from "./base/raw-path.ts";
import { NEW_RECORD, readRecord } from "./base/record.ts";
import { discardFolder, removeTree } from "./base/remove-tree.ts";
import { sessionMessages } from "./commit/commit-hooks.ts";
import { readTip } from "./commit/tip.ts";
import { sharedActs } from "./shared-acts.ts";
import { capture } from "./tree/capture.ts";
import { fillTree } from "./tree/fill-tree.ts";
import { lay } from "./tree/lay.ts";
import { listTree } from "./tree/list-tree.ts";
import { writeSessionGit } from "./tree/session-git.ts";
import { fillSubmodules, writeModuleGits } from "./tree/submodules.ts";
import { changedBrought, noteBrought } from "./tree/watch-brought.ts";
import { noteBeginning, putIgnoredBack } from "./tree/watch-ignored.ts";
import type { Tip, Workspace } from "./workspace.ts";
import { isThere } from "../process/look-at.ts";

export function laneOf(main: WithGit, number: number): Workspace {
  const options = { ...main.options, home: join(main.options.home, "lanes", String(number)) };
  return besideOf(main, options, {
    tip: () => readTip(main),
    open: (place, tip) => openLane(main, place, { number, tip }),
  });
}

/**
 * The files of one commit, and of what git does not hold the person's local settings alone. Whatever an earlier one
 * left is removed first, and nothing in it is mended: it is made, asked and removed.
 */
export function cloneOf(main: WithGit, commit: string): Workspace {
  const { options, git } = main;
  const home = cloneFolder(options.home);
  return besideOf(
    main,
    { ...options, home, kind: "own-copy" },
    {
      async tip() {
        const id = await git.id(["rev-parse", "--verify", `${commit}^{commit}`]);
        return { commit: id, tree: await git.id(["rev-parse", `${id}^{tree}`]) };
      },
      async open(place, tip) {
        const { tree } = await tip();
        await discardFolder(home);
        prepareGit(main, place, true);
        place.record = NEW_RECORD;
        await fillTree(place, tree, "clone");
        return await withSubmodules(place);
      },
    },
  );
}

/** Where a fresh clone lies; what a kill left there is removed when the workspace is opened. */
export function cloneFolder(home: string): string {
  return join(home, "clone");
}

interface Beside {
  readonly tip: () => Promise<Tip>;
  readonly open: (place: WithGit, tip: () => Promise<Tip>) => Promise<readonly string[]>;
}

function besideOf(main: WithGit, own: WorkspaceOptions, beside: Beside): Workspace {
  const options = { ...own, objects: join(main.git.gitDir, "objects") };
  const { home } = options;
  const folder = join(home, "tree");
  const place: WithGit = newPlace(options, folder, main.person);
  const tip = async (): Promise<Tip> => (place.tip = await beside.tip());
  return {
    ...sharedActs(place),
    open: () => beside.open(place, tip),
    tip,
    deliversTo: () => null,
    include: notHere,
    lay: (tree) => lay(place, tree),
    async freshGit(git) {
      if (place.tip === null) await tip();
      await writeSessionGit(place, git);
      writeModuleGits(place);
    },
    async capture() {
      if (place.tip === null) await tip();
      return await capture(place);
    },
    async noteBrought(session) {
      await noteBrought(home, folder, session);
      noteBeginning(home, session);
    },
    changedBrought: (session) => changedBrought(home, folder, session),
    sessionMessages: () => sessionMessages(place),
    takeTags: notHere,
    commit: notHere,
    note: notHere,
    follow: notHere,
    deliver: notHere,
    deliverInto: notHere,
    remove: () => discardFolder(home),
    lane: (other) => laneOf(main, other),
    clone: (commit) => cloneOf(main, commit),
  };
}

/** What is verified leaves by the workspace itself. */
function notHere(): Promise<never> {
  return Promise.reject(new Error("nothing leaves it but as a tree"));
}

/** Made where it is missing, mended where a kill cut an act short. */
async function openLane(
  main: WithGit,
  place: WithGit,
  { number, tip }: { readonly number: number; readonly tip: () => Promise<Tip> },
): Promise<readonly string[]> {
  const { home } = place.options;
  prepareGit(main, place);
  const { aside = [] } = readRecord(home) ?? {};
  place.record = { ...main.record, aside };
  removeTree(join(home, "tree.tmp"));
  removeTree(join(home, "side"));
  const { tree } = main.tip ?? (await tip());
  if (isThere(place.folder)) putIgnoredBack(place);
  else {
    removeTree(join(home, "aside"));
    await fillTree(place, tree, number);
  }
  return await withSubmodules(place);
}

async function withSubmodules(place: WithGit): Promise<readonly string[]> {
  if (!isThere(join(place.folder, ".gitmodules"))) return [];
  return await fillSubmodules(place, await listTree(place.git, [], "plain"));
}

/** Its git folder: an index of its own, and the objects and refs of the workspace that it lies beside. */
function prepareGit(main: WithGit, place: WithGit, isFresh = false): void {
  const { options, git, person } = place;
  mkdirSync(git.gitDir, { recursive: true, mode: 0o700 });
  for (const name of ["objects", "refs"]) {
    const link = join(git.gitDir, name);
    if (factsOf(link) === null) symlinkSync(join(main.git.gitDir, name), link);
  }
  clearOwnLocks(git.gitDir);
  const settings = isFresh ? settingsOfFreshClone(main.settings) : main.settings;
  place.settings = settings;
  place.indexTree = null;
  writeOwnRepository({ gitDir: git.gitDir, probeIn: options.home, person, settings, isFresh });
}
