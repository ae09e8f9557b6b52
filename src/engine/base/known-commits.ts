// The commits that Stint and its sessions made. Only these are pushed without asking.
import { knownCommits } from "../../core/schema/run-record.ts";
import { type Holder, keptPath, type Store } from "../../store/store.ts";
import { keepRecord, readKept } from "./kept-record.ts";

const PATH = keptPath("artifacts", "commits.json");
/** Older ones have been pushed or asked about long ago. */
const MOST = 2000;

/** Some of them were made anew, or are the person's by now. */
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

/** Adds commits to the known ones. @returns all of them */
export function keepKnownCommits(
  holder: Holder,
  store: Store,
  commits: readonly string[],
): readonly string[] {
  const before = readKept(store, holder.state.project_id, PATH, knownCommits) ?? [];
  const all = [...new Set([...before, ...commits])].slice(-MOST);
  if (all.length !== before.length) keepRecord(holder, store, PATH, all);
  return all;
}
