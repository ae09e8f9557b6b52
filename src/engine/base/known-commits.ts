// The commits that Stint and its sessions made. Only these are pushed without asking.
import type { ProjectState } from "../../core/schema/project.ts";
import { knownCommits } from "../../core/schema/run-records.ts";
import { type Holder, keptPath, type Store } from "../../store/store.ts";
import { keepRecord, keepRecordWithNext, readKept } from "./kept-record.ts";

const PATH = keptPath("artifacts", "commits.json");
/** Older ones have been pushed or asked about long ago. */
const MOST = 2000;

/** Some of them were made anew, or are no longer verified. */
export function replaceKnownCommits(
  holder: Holder,
  store: Store,
  gone: readonly string[],
  made: readonly string[],
): void {
  const before = keepKnownCommits(holder, store, []);
  const all = [...new Set([...before.filter((commit) => !gone.includes(commit)), ...made])];
  if (all.join() !== before.join()) keepRecord(holder, store, PATH, all);
}

/** Whatever holds verified work: these, and the person's own commits that it was found in. */
export function verifiedCommits(
  { tasks }: ProjectState,
  known: readonly string[],
): ReadonlySet<string> {
  const recorded = tasks.flatMap((task) =>
    task.status === "done" && task.commit !== undefined ? [task.commit] : [],
  );
  return new Set([...known, ...recorded]);
}

/** Adds commits to the known ones. @returns all of them */
export function keepKnownCommits(
  holder: Holder,
  store: Store,
  commits: readonly string[],
): readonly string[] {
  const before = readKept(store, holder.state.project_id, PATH, knownCommits) ?? [];
  const all = [...new Set([...before, ...commits])].slice(-MOST);
  // Lost with the power before the revision that names the commit: it is found and added again.
  if (all.length !== before.length) keepRecordWithNext(holder, store, PATH, all);
  return all;
}
