// What an answer about the manifest does to the file. It is done before the answer is recorded: a kill
// in between leaves the request open, and answering again finds the file as it should be.
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import type { Holder, KeptPath, Store } from "../../store/store.ts";
import { keptPath } from "../../store/store.ts";
import { withBoxes } from "./task-boxes.ts";
import type { ManifestFile } from "../base/tree-files.ts";

export interface ManifestPorts {
  readonly holder: Holder;
  readonly store: Store;
  /** The person's file. */
  readonly checkout: ManifestFile;
}

/** Why the file was left alone; null where it is as the answer wants it. */
export interface LeftAlone {
  readonly reason: string;
  readonly hint: string;
}

export function proposalPath(name: string, part: "wanted" | "base" | "text" | "diff"): KeptPath {
  const ends = { wanted: "wanted.md", base: "base.md", text: "md", diff: "diff" } as const;
  return keptPath("artifacts", "proposals", `${name}.${ends[part]}`);
}

/** Takes a proposal over into the file, beside whatever was changed there since. */
export function takeProposal(ports: ManifestPorts, item: Approval): LeftAlone | null {
  const { holder, store, checkout } = ports;
  const { state } = holder;
  const id = state.project_id;
  const read = (part: "wanted" | "base"): string | undefined =>
    item.about === undefined
      ? undefined
      : store.kept(id, proposalPath(item.about, part))?.toString("utf8");
  const [base, wanted] = [read("base"), read("wanted")];
  if (base === undefined || wanted === undefined) {
    return {
      reason: `the text of ${item.id} is not kept`,
      hint: `Make the change yourself in ${state.manifest.path}, then: stint deny ${item.id} ${id} --reason "made by hand"`,
    };
  }
  if (wanted.trim() === "") {
    return {
      reason: `${item.id} would delete the manifest`,
      hint: `Keep the manifest: stint deny ${item.id} ${id} --reason "kept"; if no work is wanted any more: stint abandon ${id} --reason "why"`,
    };
  }
  const disk = checkout.readManifest() ?? "";
  const boxed = (text: string): string => withStateBoxes(text, state);
  const merged = mergeLines(boxed(base), disk, boxed(wanted));
  if (merged === undefined) {
    return {
      reason: `${item.id} changes lines of ${state.manifest.path} that were changed since`,
      hint: `See both (stint diff ${item.id} ${id}), make the change yourself, then: stint deny ${item.id} ${id} --reason "made by hand"`,
    };
  }
  return merged === disk || checkout.writeManifest(disk, merged) ? null : changedMeanwhile(state);
}

/** Boxes that Stint set since then are nobody's change. */
function withStateBoxes(text: string, { tasks }: ProjectState): string {
  const done = tasks.filter(({ status }) => status === "done").map(({ id }) => id);
  const open = tasks.filter(({ status }) => status !== "done").map(({ id }) => id);
  return withBoxes(withBoxes(text, tasks, done, true), tasks, open, false);
}

function changedMeanwhile({ manifest }: ProjectState): LeftAlone {
  return { reason: `${manifest.path} was saved at this very moment`, hint: "Answer once more." };
}
