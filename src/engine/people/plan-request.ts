// The question whether a plan may be carried out, bound to the digest of the whole manifest.
import { commandsOfTask, commandsOfWorkspace } from "./consent.ts";
import type { ProjectEvent } from "../../core/events.ts";
import type { Instant } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Store } from "../../store/store.ts";

/** The events that leave exactly one open question, about the plan as it is; none where it is open. */
export function planRequests(store: Store, state: ProjectState, at: Instant): ProjectEvent[] {
  const fact = { at, by: state.owner_agent };
  const subject = planSubject(store, state);
  const subject_sha256 = sha256Of(subject);
  const open = state.approval_items.filter(
    ({ kind, status }) => kind === "plan" && status === "open",
  );
  const outdated = open
    .filter((item) => item.subject_sha256 !== subject_sha256)
    .map(({ id }): ProjectEvent => ({
      kind: "approval-outdated",
      ...fact,
      approval_id: id,
      reason: "the manifest changed since it was asked",
    }));
  if (open.length > outdated.length) return outdated;
  return [
    ...outdated,
    {
      kind: "approval-requested",
      ...fact,
      approval: {
        kind: "plan",
        subject,
        subject_sha256,
        reason: `the plan of ${state.manifest.path} needs your yes before anything is started`,
        on_yes: "the work may be started",
        on_no: "nothing is started; change the manifest, and you are asked again",
      },
    },
  ];
}

export function planSubject(store: Store, state: ProjectState): string {
  const { manifest, tasks } = state;
  const before = commandsOfWorkspace(store, state).map((command) => `may run: ${command}`);
  const lines = tasks
    .filter(({ status }) => status !== "superseded")
    .flatMap((task) => [
      `${task.id} ${task.title}`,
      ...commandsOfTask(task).map((command) => `  may run: ${command}`),
    ]);
  return [`${manifest.path} sha256 ${manifest.digest}`, ...before, ...lines].join("\n");
}
