// Projects to measure on: any number of tasks, done or not, with any length of history.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import {
  FileStore,
  createProject,
  projectPages,
  realFiles,
  sha256Of,
  thisHost,
} from "./internals.mjs";

/** With sessions in its history, which are written before the tasks are: each of them writes the whole state. */
export async function openBenchProject(
  base,
  tasks,
  { done = false, sessions = 0, stateHome: home = join(base, "state") } = {},
) {
  const root = join(base, "repository");
  const stateHome = join(home, "stint");
  fs.mkdirSync(root, { recursive: true });
  const host = thisHost();
  const store = new FileStore({ files: realFiles, host, stateHome, pages: projectPages });
  const at = new Date().toISOString();
  const manifestText = "# Goal\n\nMeasure.\n";
  const firstState = (slug, count) =>
    createProject({
      project_id: "p-0000000000",
      slug,
      repo_id: "bench",
      owner_agent: "stint",
      goal: "Measure.",
      success_criteria: [],
      tasks: Array.from({ length: count }, (_, index) => ({
        intent: {
          id: `t${index + 1}`,
          name: `task-${index + 1}`,
          title: `Do the thing with the number ${index + 1} and see that it holds`,
          checks: [{ kind: "command", command: `npm test -- --grep thing-${index + 1}` }],
        },
        checked: done,
      })),
      manifest: { path: "bench.md", digest: sha256Of(manifestText) },
      at,
    });
  const { entry } = store.create({
    entry: {
      project_id: `p-${[...randomBytes(10)].map((byte) => (byte % 36).toString(36)).join("")}`,
      owner_agent: "stint",
      root,
      manifest: "bench.md",
      created_at: at,
    },
    slug: "bench",
    projectsFolder: "agents/stint/projects",
    manifestText,
    firstState: (slug) => firstState(slug, sessions > 0 ? 1 : tasks),
    happening: { at, kind: "project-created", by: "bench", summary: "created to be measured" },
  });
  const holder = store.acquire(entry.project_id, {
    owner: "bench",
    run_id: `r-${[...randomBytes(10)].map((byte) => (byte % 36).toString(36)).join("")}`,
  });
  if (sessions > 0) {
    addHistory(holder, sessions);
    const all = firstState(holder.state.slug, tasks).tasks;
    const happening = { at, kind: "bench", by: "bench", summary: "the tasks came" };
    holder.commit({ ...holder.state, tasks: all }, happening);
  }
  return {
    holder,
    root,
    id: entry.project_id,
    stateHome: home,
    shadow: join(stateHome, "shadows", entry.project_id),
    folder: join(root, entry.folder),
  };
}

/** Adds sessions to the history: several journal lines each, as a run would have written. */
function addHistory(holder, sessions) {
  const at = new Date().toISOString();
  for (let session = 1; session <= sessions; session += 1) {
    holder.commit(
      { ...holder.state, counters: { ...holder.state.counters, sessions: session } },
      { at, kind: "session-ended", by: "bench", summary: `session ${session} finished its task` },
    );
  }
}
