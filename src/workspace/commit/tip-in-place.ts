// What new work starts from where the person's folder is the workspace: what is there, with what the last
// verified work holds beyond it.
import { StintError } from "../../core/stint-error.ts";
import { capture } from "../tree/capture.ts";
import { combine } from "../tree/combine.ts";
import {
  currentBranch,
  detachedCommit,
  readRefs,
  type RefValue,
} from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import { writeRecord } from "../repository/record.ts";
import type { Tip } from "../workspace.ts";

/** The commit that is checked out; null without git and before the first one. */
export async function personHead({ person, record }: Place): Promise<RefValue | null> {
  if (person === null) return null;
  const branch = await currentBranch(person);
  if (branch !== null) {
    const found = (await readRefs(person, [branch])).get(branch);
    if (found === undefined && record.tip !== null && branch === record.branch) throw gone(branch);
    return found ?? null;
  }
  const commit = await detachedCommit(person);
  const tree = await person.git.id(["rev-parse", "--verify", `${commit}^{tree}`]);
  return {
    commit,
    tree,
    message: (await person.git.run(["log", "-1", "--format=%B", commit])).stdout,
  };
}

export async function readTipInPlace(place: Place): Promise<Tip> {
  const head = await personHead(place);
  const { isActing, tipTree } = place.record;
  const tree = isActing && tipTree !== null ? tipTree : await absorb(place);
  place.tip = { commit: head?.commit ?? null, tree };
  if (place.tip.commit !== place.record.tip) {
    place.record = { ...place.record, tip: place.tip.commit };
    writeRecord(place.options.home, place.record);
  }
  return place.tip;
}

/** What changed since the last look while nothing of ours ran is the person's, and part of every start. */
async function absorb(place: Place): Promise<string> {
  const captured = await capture(place);
  if (captured.kind === "uncommittable") {
    const [problem] = captured.problems;
    throw new StintError(
      "bad-input",
      `${problem?.path} ${problem?.why}`,
      `To go on, ${problem?.hint ?? "move it away"}`,
    );
  }
  const there = captured.tree;
  const { laid, tipTree } = place.record;
  if (tipTree !== null && there === laid) return tipTree;
  const tree =
    laid === null || tipTree === null ? there : (await combine(place, laid, there, tipTree)).tree;
  place.record = { ...place.record, tipTree: tree, laid: there };
  writeRecord(place.options.home, place.record);
  return tree;
}

function gone(branch: string): StintError {
  return new StintError(
    "git-failed",
    `${branch} had a commit and now has none`,
    "Look at the repository: git fsck && git reflog",
  );
}
