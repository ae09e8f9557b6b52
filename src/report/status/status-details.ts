// What `status --verbose` adds: the goal, who has which role, the last revision, the workspace and what it does not
// promise.
import { dataSize } from "../../core/words/amounts.ts";
import type { StatusView } from "../../core/schema/views.ts";
import { type Fact, ifAny } from "./fact-rows.ts";

export function detailFacts(view: StatusView): Fact[] {
  const { last_event: event } = view;
  const last = event === null ? "no event" : `${event.at}: ${event.summary}`;
  return [
    ["Goal", view.project.goal],
    ...ifAny("Done when", view.done_when),
    ...ifAny("Checkpoint", view.next_checkpoint),
    ["Round", `${view.round_status}, phase ${view.phase}`],
    ...roleFacts(view),
    ["Revision", `${view.revision}, ${last}`],
    ...workspaceFacts(view),
  ];
}

/** Where nothing is delegated the roles collapse into the run: it works, and recovers first. */
function roleFacts({ roles }: StatusView): Fact[] {
  const noWorker = roles.collapsed && roles.coordinator !== null ? "the coordinator" : "none";
  return [
    ["Origin", roles.origin],
    ["Coordinator", roles.coordinator ?? "nobody: no run is active"],
    ["Worker", roles.workers.join(", ") || noWorker],
    ["Watchdog", roles.watchdog ?? "none: every run recovers first"],
  ];
}

function workspaceFacts({ workspace }: StatusView): Fact[] {
  if (workspace === null) return [];
  const { name, isolation, path, missing, bytes, measured_at } = workspace;
  const size =
    bytes === null || measured_at === null
      ? ""
      : ` (${dataSize(bytes)}, measured ${measured_at.slice(0, 16).replace("T", " ")} UTC)`;
  const kept = isolation === "group" ? "no namespace" : `isolation by ${isolation}`;
  return [
    ["Workspace", `${name}, ${kept}`],
    ["Folder", `${path}${size}`],
    ...missing.map((text): Fact => ["Not promised", text]),
  ];
}
