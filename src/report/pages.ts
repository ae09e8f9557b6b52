// The generated pages of a project folder: for people who find it, and for the next session.
import type { ProjectState } from "../core/schema/project.ts";

export function projectPages(state: ProjectState): Record<string, string> {
  const progress = `${doneCount(state)} of ${state.tasks.length}`;
  return {
    "README.md": readme(state, progress),
    "handoff.md": handoff(state, progress),
  };
}

function readme(state: ProjectState, progress: string): string {
  return `# ${state.slug}

This folder belongs to a Stint project. \`state.json\` says how far it is; everything else here is made from it.

| | |
|---|---|
| Project | ${state.project_id} |
| Manifest | ${state.manifest.path} |
| Status | ${state.status} |
| Tasks | ${progress} done |
| Next action | ${oneLine(state.next_action)} |

Look at it from anywhere: \`stint status ${state.project_id}\`

${state.resume_instructions}
`;
}

function handoff(state: ProjectState, progress: string): string {
  const note = state.last_session_note ?? "No session has ended yet.";
  return `# Handoff

- Status: ${state.status}
- Done: ${progress} tasks
- Next action: ${oneLine(state.next_action)}
- Next checkpoint: ${oneLine(state.next_checkpoint ?? "none")}
- Blockers: ${state.blockers.map((blocker) => oneLine(blocker.reason)).join("; ") || "none"}

## Last session

${note}
`;
}

function doneCount(state: ProjectState): number {
  return state.tasks.filter((task) => task.status === "done").length;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}
