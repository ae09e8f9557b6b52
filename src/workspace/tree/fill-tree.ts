// The files of a new workspace, of a lane of one, or of a fresh clone: those of a tree and what is brought along. They appear
// whole, by one rename, after what is known of them is durable.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { syncFolder } from "../base/durable-file.ts";
import { gitAt, runWriting } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import { toText } from "../base/raw-path.ts";
import { note } from "../base/record.ts";
import { sortBrought, writeInputs } from "./brought.ts";
import { keepBroughtPaths } from "./watch-brought.ts";

export async function fillTree(
  place: Place,
  tree: string,
  lane: number | "clone" | null,
): Promise<void> {
  const { options, folder } = place;
  const draft = `${folder}.tmp`;
  mkdirSync(draft, { mode: 0o755 });
  const index = place.git.index;
  rmSync(index, { force: true });
  const git = gitAt(place.git.gitDir, draft);
  await runWriting(git, index, ["read-tree", "--reset", "-u", tree], { isStrict: true });
  const brought = await options.bring(draft, lane);
  const { aside, inputs } = await sortBrought(git, draft, brought);
  writeInputs(options.home, inputs);
  keepBroughtPaths(options.home, brought);
  note(place, { aside: aside.map(toText) });
  renameSync(draft, folder);
  syncFolder(options.home);
  place.indexTree = tree;
}
