// Keeps the programs that a session makes git start away from Stint's state: see git/guard.ts.
import { findGitFolder } from "../git/git-folder.ts";
import { guardGit, programsDigest } from "../git/guard.ts";
import { instantFromMs } from "../core/instant.ts";
import { type Isolation, viewWords } from "../process/isolation.ts";
import type { View } from "../process/view.ts";
import type { Host } from "../store/host.ts";
import { type Holder, keptPath, type Store } from "../store/store.ts";
import type { News } from "../core/news.ts";

/** What git started here before the first session: the person's own doing. */
const TRUSTED = keptPath("logs", "git-programs.sha256");

export interface GuardedRun {
  readonly holder: Holder;
  readonly store: Store;
  readonly host: Host;
  readonly isolation: Isolation;
  readonly view: View;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tell: (news: News) => void;
}

/** To be called at once, and again whenever a session or a check has run. */
export function programGuard(run: GuardedRun): () => void {
  const { holder, store, view, isolation } = run;
  const { root, project_id } = holder.entry;
  const words = viewWords(isolation, view);
  let trusted = store.kept(project_id, TRUSTED)?.toString("utf8").trim();
  let isTold = false;
  return () => {
    const folder = findGitFolder(root);
    if (folder === null) return;
    const now = programsDigest(folder, run.env);
    if (trusted === undefined) {
      holder.keep(TRUSTED, `${now}\n`);
      trusted = now;
    }
    const everything = trusted !== now;
    guardGit(root, { words, everything });
    if (!everything || isTold) return;
    isTold = true;
    const summary = `what git starts here (hooks, configuration) changed since the project began; ${
      words.length === 0
        ? "no isolation hides Stint's state from it"
        : "git runs where Stint's state is hidden"
    }`;
    const at = instantFromMs(run.host.nowMs());
    holder.note({ at, by: holder.state.owner_agent, kind: "git-programs-changed", summary });
    run.tell({ kind: "notice", text: summary });
  };
}
