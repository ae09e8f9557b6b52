// A run that is to start from the person's uncommitted changes: they become its first commit, which the
// workspace starts from and which is delivered with the first verified work.
import { fewOf } from "../../core/words/amounts.ts";
import { keepKnownCommits } from "../base/known-commits.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";

export async function includeChanges(context: RunContext): Promise<void> {
  const { space, holder, store, tell } = context;
  const included = await space.include();
  if (included.kind === "ahead") {
    const text =
      "goes on from the work that there is; changes of yours since then are not included (--include-changes is for new work)";
    tell({ kind: "notice", text });
    return;
  }
  for (const { path, why } of included.left) {
    tell({ kind: "notice", text: `${path} is not included: ${why}` });
  }
  if (included.kind === "nothing") {
    tell({ kind: "notice", text: "there are no uncommitted changes to include" });
    return;
  }
  const { commit, paths } = included;
  keepKnownCommits(holder, store, [commit]);
  const summary = `starts from your uncommitted changes (${fewOf(paths)}), as ${commit.slice(0, 10)}`;
  holder.note({ ...fact(context), kind: "changes-included", summary });
  tell({ kind: "notice", text: summary });
}
