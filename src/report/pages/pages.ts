// The generated pages of a project folder: for people who find it, and for the next session.
import { derivedFields } from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { oneLine } from "../../core/words/plain-line.ts";
import { backWhen } from "../../core/words/return-condition.ts";
import { rolesOf } from "../../core/words/state-words.ts";
import { tasksSection } from "./validation-tasks.ts";

export function projectPages(state: ProjectState): Record<string, string> {
  const progress = `${doneCount(state)} of ${state.tasks.length}`;
  return {
    "README.md": readme(state, progress),
    "handoff.md": handoff(state, progress),
    "state.md": statePage(state, progress),
    "validation.md": tasksSection(state.tasks),
  };
}

/** The nine things that whoever takes the work over asks, in the words that are persisted. */
function statePage(state: ProjectState, progress: string): string {
  const { round_status, current_step, completed_work } = derivedFields(state);
  const last = completed_work.last.map(({ id, title, done_at }) => `${id} ${title} (${done_at})`);
  const sections: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    ["Goal", [oneLine(state.goal)]],
    ["Success criteria", listed(state.success_criteria, "Every task is done, with evidence.")],
    ["Current status", [round_status, "", `In Stint's words: ${state.status}.`]],
    ["Current step", [oneLine(current_step ?? "None.")]],
    ["Completed work", [`${progress} tasks.`, "", ...listed(last, "Nothing yet.")]],
    ["Next action", [oneLine(state.next_action)]],
    ["Next checkpoint", [state.next_checkpoint ?? "None."]],
    [
      "Blockers",
      listed(
        state.blockers.map(({ reason, unblock }) => `${reason} (${unblock})`),
        "None.",
      ),
    ],
    ["Active owners or workers", listed(owners(state), "None.")],
  ];
  const body = sections.map(([heading, lines]) => `## ${heading}\n\n${lines.join("\n")}\n`);
  return `# ${state.slug}: state\n\nProject ${state.project_id}, manifest ${state.manifest.path}.\n\n${body.join("\n")}`;
}

function listed(items: readonly string[], none: string): readonly string[] {
  return items.length === 0 ? [none] : items.map((item) => `- ${oneLine(item)}`);
}

function owners(state: ProjectState): readonly string[] {
  const { origin, workers, watchdog } = rolesOf(state, null);
  const awaited = state.dispatches.flatMap((item) =>
    item.status === "sent"
      ? `${item.id} is back when ${backWhen(item.returns)}; next look ${item.checkpoint_at}, given up ${item.deadline_at}`
      : [],
  );
  return [
    `Origin: ${origin}`,
    `Coordinator: ${state.owner_agent}`,
    `Workers: ${workers.join(", ") || "none"}`,
    ...awaited,
    `Watchdog: ${watchdog ?? "none"}`,
  ];
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
| Next action | ${cell(state.next_action)} |

Look at it from anywhere: \`stint status ${state.project_id}\`

${state.resume_instructions}
`;
}

function handoff(state: ProjectState, progress: string): string {
  const note = state.last_session_note ?? "No session has ended yet.";
  return `# Handoff

- Status: ${state.status}
- Done: ${progress} tasks
- Next action: ${cell(state.next_action)}
- Next checkpoint: ${cell(state.next_checkpoint ?? "none")}
- Blockers: ${state.blockers.map((blocker) => cell(blocker.reason)).join("; ") || "none"}

## Last session

${note}
`;
}

function doneCount(state: ProjectState): number {
  return state.tasks.filter((task) => task.status === "done").length;
}

/** In a table. */
function cell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}
