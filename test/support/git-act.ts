// A program that performs one act of src/git and ends; the crash tests kill it between two commands.
//   git-act <act> <root> <argument as JSON>
import { commitWork, type WorkToCommit } from "../../src/git/commit-work.ts";
import { keepSnapshot } from "../../src/git/keep-snapshot.ts";
import { parkLeftovers, type ParkOptions } from "../../src/git/park.ts";
import { putBack } from "../../src/git/put-back.ts";
import { recoverBranch } from "../../src/git/recover.ts";

export const ACTS = {
  commit: (root: string, work: WorkToCommit) => commitWork(root, work),
  park: (root: string, options: ParkOptions) => parkLeftovers(root, options),
  putBack: (root: string, options: ParkOptions) => putBack(root, options),
  recover: (root: string, options: ParkOptions) => recoverBranch(root, options),
  keep: (root: string, { ref, from }: ParkOptions) => keepSnapshot(root, ref, from, "Start"),
} satisfies Record<string, (root: string, argument: never) => Promise<unknown>>;

const [, , act, root, argument] = process.argv;
if (act !== undefined && act in ACTS && root !== undefined && argument !== undefined) {
  const perform = ACTS[act as keyof typeof ACTS] as (
    root: string,
    argument: unknown,
  ) => Promise<unknown>;
  await perform(root, JSON.parse(argument));
}
