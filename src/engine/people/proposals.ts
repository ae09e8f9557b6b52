// What a session did to its copy of the manifest: its notes are taken over, all else is a proposal, which a
// person's answer takes over into their file. The file is changed before the answer is recorded, so that
// after a kill answering again finds it as it should be.
import type { ProjectEvent } from "../../core/events.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import {
  type GivenManifest,
  type Proposal,
  proposalNotice,
} from "../../manifest/edit/reconciliation.ts";
import { settleSession } from "../../manifest/edit/settle-session.ts";
import { type KeptPath, keptPath } from "../../store/store.ts";
import { approvalRequested, fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { knownText, type ManifestPorts, withBoxes } from "./manifest-texts.ts";

export interface SettledCopy {
  /** The text that is known from now on. */
  readonly digest: Sha256;
  /** To be persisted first. */
  readonly proposal: ProjectEvent | null;
  readonly notices: readonly string[];
}

/** `endBytes` is what the session left; undefined where it left none. */
export function settleCopy(
  context: RunContext,
  copy: GivenManifest,
  endBytes: Uint8Array | undefined,
): SettledCopy {
  const { holder } = context;
  const { tasks, manifest } = holder.state;
  const { session, startText } = copy;
  const text = endBytes === undefined ? undefined : Buffer.from(endBytes).toString("utf8");
  if (endBytes !== undefined && !isText(endBytes, text)) {
    // What is no text is no plan, and no note either: kept as it is.
    const path = setAside(context, session, endBytes);
    const notice = `what session ${session} left in ${manifest.path} is not UTF-8 text; it was set aside in ${path}`;
    return { digest: manifest.digest, proposal: null, notices: [notice] };
  }
  if (text === startText) return { digest: manifest.digest, proposal: null, notices: [] };
  if (text === undefined || text.trim() === "") {
    // No plan: nobody could accept it, so nobody is asked.
    const notice = `session ${session} ${text === undefined ? "deleted" : "emptied"} its copy of ${manifest.path}; the manifest stays as it was`;
    return { digest: manifest.digest, proposal: null, notices: [notice] };
  }
  const result = settleSession(copy, tasks, text);
  const proposal =
    result.proposal === undefined ? undefined : keepProposal(context, result.proposal);
  // Boxes are set by Stint, when the checks have passed.
  const settled = withBoxes(result.text, tasks, result.ownBoxes, false);
  const merged = mergeLines(startText, knownText(context), settled);
  const notices = [
    ...(proposal === undefined ? [] : [proposal.notice]),
    ...result.restoredBoxes.map(
      ({ title }) => `the box of "${title}" belongs to another task; it stays as it was`,
    ),
  ];
  if (merged === undefined) {
    // The person changed the same lines meanwhile: theirs stay, and nothing is lost.
    const path = setAside(context, session, settled);
    notices.push(
      `what session ${session} wrote into its manifest conflicts with lines that you changed meanwhile; yours stay, its text is in ${path}`,
    );
  }
  const digest = merged === undefined ? manifest.digest : holder.keepManifest(merged);
  return { digest, proposal: proposal?.event ?? null, notices };
}

function isText(bytes: Uint8Array, text = ""): boolean {
  return !bytes.includes(0) && Buffer.from(text, "utf8").equals(bytes);
}

function setAside({ holder }: RunContext, session: number, text: string | Uint8Array): KeptPath {
  const path = proposalPath(`session-${session}`, "text");
  holder.keep(path, text);
  return path;
}

function keepProposal(context: RunContext, proposal: Proposal) {
  const { holder } = context;
  const { session, text, diff, base, wanted, blocksDone } = proposal;
  const name = `session-${session}`;
  const path = setAside(context, session, text);
  holder.keep(proposalPath(name, "diff"), diff);
  holder.keep(proposalPath(name, "base"), base);
  holder.keep(proposalPath(name, "wanted"), wanted);
  const notice = proposalNotice(proposal, path);
  if (!blocksDone) {
    const how = `if they are yours: stint accept ${name} ${holder.state.project_id}`;
    return { notice: `${notice}; ${how}`, event: null };
  }
  const event = approvalRequested(fact(context), {
    kind: "proposal",
    subject: diff.trim() === "" ? notice : diff,
    reason: notice,
    about: name,
    on_yes: "the change is adopted into the manifest",
    on_no: "the change is dropped; it stays in artifacts/proposals",
  });
  return { notice, event };
}

export function proposalPath(name: string, part: "wanted" | "base" | "text" | "diff"): KeptPath {
  const ends = { wanted: "wanted.md", base: "base.md", text: "md", diff: "diff" } as const;
  return keptPath("artifacts", "proposals", `${name}.${ends[part]}`);
}

/** Why the file was left alone. */
export interface LeftAlone {
  readonly reason: string;
  readonly hint: string;
}

/** Takes a proposal over into the file, beside whatever was changed there since; null where that was done. */
export function takeProposal(ports: ManifestPorts, item: Approval): LeftAlone | null {
  const { holder, store, checkout } = ports;
  const { state } = holder;
  const { project_id: id, manifest } = state;
  const read = (part: "wanted" | "base"): string | undefined =>
    item.about === undefined
      ? undefined
      : store.kept(id, proposalPath(item.about, part))?.toString("utf8");
  const [base, wanted] = [read("base"), read("wanted")];
  if (base === undefined || wanted === undefined) {
    return {
      reason: `the text of ${item.id} is not kept`,
      hint: `Make the change yourself in ${manifest.path}, then: stint deny ${item.id} ${id} --reason "made by hand"`,
    };
  }
  if (wanted.trim() === "") {
    return {
      reason: `${item.id} would delete the manifest`,
      hint: `Keep the manifest: stint deny ${item.id} ${id} --reason "kept"; if no more work is wanted: stint abandon ${id} --reason "why"`,
    };
  }
  const disk = checkout.readManifest() ?? "";
  const merged = mergeLines(withStateBoxes(base, state), disk, withStateBoxes(wanted, state));
  if (merged === undefined) {
    return {
      reason: `${item.id} changes lines of ${manifest.path} that were changed since`,
      hint: `See both (stint diff ${item.id} ${id}), make the change yourself, then: stint deny ${item.id} ${id} --reason "made by hand"`,
    };
  }
  if (merged === disk || checkout.writeManifest(disk, merged)) return null;
  return { reason: `${manifest.path} was saved at the same moment`, hint: "Answer again." };
}

/** Boxes that Stint set since then are nobody's change. */
function withStateBoxes(text: string, { tasks }: ProjectState): string {
  const done = tasks.filter(({ status }) => status === "done").map(({ id }) => id);
  const open = tasks.filter(({ status }) => status !== "done").map(({ id }) => id);
  return withBoxes(withBoxes(text, tasks, done, true), tasks, open, false);
}
