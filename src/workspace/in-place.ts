// The person's folder itself as a workspace, for folders without git and for those who ask for it. Sessions
// and the person share the files: what changed between two acts is taken for the person's, what changed
// during one for the session's.
import { capture } from "./tree/capture.ts";
import { commitInPlace } from "./commit/commit-in-place.ts";
import { lay } from "./tree/lay.ts";
import { listTree } from "./tree/list-tree.ts";
import { openInPlace } from "./open-in-place.ts";
import { asidePaths, readTree } from "./tree/own-index.ts";
import type { Place } from "./repository/place.ts";
import type { RawPath } from "./disk/raw-path.ts";
import { type WorkspaceRecord, writeRecord } from "./repository/record.ts";
import { removePlace } from "./remove-place.ts";
import { sharedActs } from "./shared-acts.ts";
import { readTipInPlace } from "./commit/tip-in-place.ts";
import type { Workspace } from "./workspace.ts";

export function inPlace(place: Place): Workspace {
  const note = (change: Partial<WorkspaceRecord>): void => {
    place.record = { ...place.record, ...change };
    writeRecord(place.options.home, place.record);
  };
  return {
    ...sharedActs(place),
    open: () => openInPlace(place),
    tip: () => readTipInPlace(place),
    deliversTo: () => null,
    include: () => Promise.resolve({ kind: "nothing", left: [] }),
    async lay(tree) {
      const touched = await lay(place, tree, await editsOfPerson(place));
      note({ laid: tree, isActing: false });
      return touched;
    },
    async freshGit() {
      if (!place.record.isActing) note({ isActing: true });
    },
    async capture() {
      const captured = await capture(place);
      if (captured.kind === "captured") note({ laid: captured.tree, isActing: false });
      return captured;
    },
    // Nothing is brought: they are the person's own.
    noteBrought: () => Promise.resolve(),
    changedBrought: () => Promise.resolve([]),
    // An act works with the person's own repository.
    takeTags: () => Promise.resolve({ taken: [], left: [] }),
    sessionMessages: () => Promise.resolve([]),
    commit: (request) => commitInPlace(place, request),
    follow: () => Promise.resolve({ kind: "nothing" }),
    deliver: () => Promise.resolve({ kind: "in-place" }),
    deliverInto: () => Promise.reject(new Error("work in place is delivered nowhere")),
    remove: () => removePlace(place),
  };
}

/** What differs from the last look while nothing of ours ran: no laying takes it away. */
async function editsOfPerson(place: Place): Promise<Set<RawPath>> {
  const { isActing, laid } = place.record;
  if (isActing || laid === null) return new Set();
  await readTree(place, laid);
  const { changed, others } = await listTree(place.git, asidePaths(place), "with-changes");
  return new Set([...changed, ...others]);
}
