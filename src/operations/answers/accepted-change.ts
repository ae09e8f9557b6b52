// The change to the manifest that a person takes over: one that was set aside after a session, or that
// nobody explained. One that nobody is asked about is made as the person's edit that it is.
import type { Answer } from "../../core/answers.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { proposalPath } from "../../engine/people/proposals.ts";
import { decodeManifest } from "../../manifest/read-manifest.ts";
import { namedApproval } from "./named-item.ts";
import type { System } from "../system.ts";

/** `named`: an approval, or the name under which a change was set aside. */
export function acceptedChange(system: System, state: ProjectState, named: string): Answer {
  const item = state.approval_items.find(({ id, about }) => id === named || about === named);
  const name = item?.about ?? (/^session-\d+$/.test(named) ? named : undefined);
  const kept = name === undefined ? undefined : setAside(system, state, name);
  if (item === undefined && kept !== undefined) return { verb: "edit", ...kept };
  const { id, kind, subject_sha256 } = item ?? namedApproval(state, named);
  if (kind === "proposal") {
    return { verb: "approve", item: id, subject_sha256 };
  }
  throw new StintError(
    "bad-input",
    `${id} is no change to the manifest`,
    `Look at it (stint diff ${id} ${state.project_id}), then: stint approve ${id} ${state.project_id}`,
  );
}

/** The change of that name, where it is kept. @throws where it is no text: it would come back as something else */
function setAside({ store }: System, { project_id }: ProjectState, name: string) {
  const whole = store.kept(project_id, proposalPath(name, "text"));
  if (whole !== undefined && whole.length > 0) decodeManifest(proposalPath(name, "text"), whole);
  const read = (part: "base" | "wanted"): string | undefined =>
    store.kept(project_id, proposalPath(name, part))?.toString("utf8");
  const [base, text] = [read("base"), read("wanted")];
  return base === undefined || text === undefined ? undefined : { base, text };
}
