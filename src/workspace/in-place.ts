// The person's folder itself as a workspace, for folders without git and for those who ask for it. Sessions
// and the person share the files: what changed between two acts is taken for the person's, what changed
// during one for the session's.
import { currentBranch } from "./base/person-repository.ts";
import { hasGit, type Place } from "./base/place.ts";
import { isText, type RawPath, toRaw, toText } from "./base/raw-path.ts";
import { NEW_RECORD, note } from "./base/record.ts";
import { moveRefs, ownRefs } from "./base/refs.ts";
import { discardFolder } from "./base/remove-tree.ts";
import { commitInPlace, personHead, readTipInPlace } from "./commit/commit-in-place.ts";
import { cloneFolder, cloneOf } from "./lane.ts";
import { openRepositories, removePlace, sharedActs } from "./shared-acts.ts";
import { capture } from "./tree/capture.ts";
import { lay } from "./tree/lay.ts";
import { listTree, surveyFolders } from "./tree/list-tree.ts";
import { asidePaths, readTree } from "./tree/own-index.ts";
import { noteBeginning } from "./tree/watch-ignored.ts";
import type { Workspace } from "./workspace.ts";

export function inPlace(place: Place): Workspace {
  return {
    ...sharedActs(place),
    open: () => openInPlace(place),
    tip: () => readTipInPlace(place),
    deliversTo: () => null,
    include: () => Promise.resolve({ kind: "nothing", left: [] }),
    lay: (tree) => layInPlace(place, tree),
    async freshGit() {
      if (!place.record.isActing) note(place, { isActing: true });
    },
    async capture() {
      const captured = await capture(place);
      if (captured.kind === "captured") note(place, { laid: captured.tree, isActing: false });
      return captured;
    },
    // Nothing is brought: they are the person's own.
    noteBrought: async (session) => noteBeginning(place.options.home, session),
    changedBrought: () => Promise.resolve([]),
    // An act works with the person's own repository.
    takeTags: () => Promise.resolve({ taken: [], left: [] }),
    sessionMessages: () => Promise.resolve([]),
    async commit(request) {
      const made = await commitInPlace(place, request);
      // Verified earlier and committed now: a switch of branches may have taken its files away since then.
      if (made.kind === "committed" && place.tip !== null && !place.record.isActing) {
        await layInPlace(place, place.tip.tree);
      }
      return made;
    },
    follow: () => Promise.resolve({ kind: "nothing" }),
    deliver: () => Promise.resolve({ kind: "in-place" }),
    deliverInto: () => Promise.reject(new Error("work in place is delivered nowhere")),
    remove: () => removePlace(place),
    lane() {
      throw new Error("parallel sessions cannot work in the person's own folder");
    },
    clone(commit) {
      if (!hasGit(place)) throw new Error("without git there is no commit to clone");
      return cloneOf(place, commit);
    },
  };
}

async function layInPlace(place: Place, tree: string): Promise<readonly string[]> {
  // What Stint writes there itself no tree holds as it is now.
  const own = place.options.ownPaths.map(toRaw);
  const touched = await lay(place, tree, new Set([...(await editsOfPerson(place)), ...own]));
  note(place, { laid: tree, isActing: false });
  return touched;
}

/** What differs from the last look while nothing of ours ran: no laying takes it away. */
async function editsOfPerson(place: Place): Promise<Set<RawPath>> {
  const { isActing, laid } = place.record;
  if (isActing || laid === null) return new Set();
  await readTree(place, laid);
  const { changed, others } = await listTree(place.git, asidePaths(place), "with-changes");
  return new Set([...changed, ...others]);
}

/** Nothing in the folder is changed: what no tree can hold is named and left out from then on. */
async function openInPlace(place: Place): Promise<readonly string[]> {
  const { options, person } = place;
  await openRepositories(place, null);
  await discardFolder(cloneFolder(options.home));
  const isNew = place.record === NEW_RECORD;
  const head = await personHead(place);
  if (isNew && person !== null) {
    place.record = { ...place.record, branch: await currentBranch(person) };
    if (head !== null) {
      await readTree(place, head.tree);
      // Without it, an amended start could be collected while our trees still borrow from it.
      await moveRefs(person, [{ ref: ownRefs(options).base, to: head.commit }]);
    }
  }
  const notes = await leaveOut(place);
  if (isNew) await readTipInPlace(place);
  return notes;
}

async function leaveOut(place: Place): Promise<string[]> {
  if (place.record.isActing) return [];
  const aside = asidePaths(place);
  const listing = await listTree(place.git, aside, "plain");
  const survey = surveyFolders(place.folder, listing, aside);
  const unnamed = listing.others.filter((path) => !isText(path));
  const found = [
    ...leftOut(survey.nested, "it is a separate git repository"),
    ...leftOut(survey.unreadable, "it cannot be read"),
    ...leftOut(unnamed, "its name is not UTF-8"),
  ];
  if (found.length === 0) return [];
  note(place, { nested: [...place.record.nested, ...found.map(({ path }) => path)] });
  return found.map(({ path, why }) => `${path} is left out: ${why}`);
}

interface LeftOut {
  readonly path: string;
  readonly why: string;
}

function leftOut(paths: readonly RawPath[], why: string): readonly LeftOut[] {
  return paths.map((path) => ({ path: toText(path), why }));
}
