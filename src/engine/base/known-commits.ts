// The commits that Stint and its sessions made. Only these are pushed without asking.
import { type Holder, keptPath, type Store } from "../../store/store.ts";

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
  if (all.join() !== before.join()) holder.keep(PATH, `${JSON.stringify(all)}\n`);
}

/** Adds commits to the known ones. @returns all of them */
export function keepKnownCommits(
  holder: Holder,
  store: Store,
  commits: readonly string[],
): readonly string[] {
  const bytes = store.kept(holder.state.project_id, PATH);
  const before = bytes === undefined ? [] : (JSON.parse(bytes.toString("utf8")) as string[]);
  const all = [...new Set([...before, ...commits])].slice(-MOST);
  // Lost with the power before the revision that names the commit: it is found and added again.
  if (all.length !== before.length) holder.keepWithNext(PATH, `${JSON.stringify(all)}\n`);
  return all;
}
