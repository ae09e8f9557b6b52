// The work tree without git: the files alone. That something changed is seen, nothing is committed.
import { hashFolder, UNNAMED_FILES } from "./hash-folder.ts";
import { excludedPaths, treeFiles, type TreePlace } from "./tree-files.ts";
import type { WorkDone, WorkTree } from "./work-tree.ts";

export function plainWorkTree(place: TreePlace): WorkTree {
  const treeHash = async (): Promise<string> => hashFolder(place.root, excludedPaths(place));

  return {
    hasGit: false,
    touched: () => {},
    ...treeFiles(place),
    clearTheWay: async () => ({ kind: "clear" }),
    uncommitted: async () => [],
    begin: async () => ({ tree: await treeHash(), head: null, branch: null, ref: null }),
    restore: async () => [],

    async workSince(start, only): Promise<WorkDone> {
      const tree = await treeHash();
      const isOther = only !== undefined && !only.includes(UNNAMED_FILES);
      const paths = tree === start.tree || isOther ? [] : [UNNAMED_FILES];
      const counts = { files: 0, newFiles: 0, moves: 0 };
      return { tree, paths, substantial: paths, docs: [], counts };
    },

    shifts: async () => ({ appeared: [], vanished: [] }),
    changedBetween: async () => [],
    unchanged: async () => [],
    treeHash,
    textsAtStart: async () => new Map(),
    commit: async () => ({ kind: "nothing", commit: null }),
    isJust: async () => true,
    unwelcome: async () => [],
    commitManifest: async () => null,
    park: async () => null,
    putBack: async () => null,
    startNames: async () => [],
    dropStart: async () => {},
    commitsSince: async () => [],
    announcePush: async () => null,
    push: async () => ({ kind: "not-needed" }),
  };
}
