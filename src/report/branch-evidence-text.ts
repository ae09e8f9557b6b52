// What the notes of a clone say of the tasks on a branch: a line per task, then the answer.
import type { BranchVerifyView } from "../core/schema/views.ts";
import { counted } from "../core/words/amounts.ts";
import { shortCommit } from "../core/words/proof-words.ts";
import { type Block, type Cell, nextFacts, type Paint } from "./layout.ts";
import { visibleLine } from "./visible.ts";

type Found = BranchVerifyView["tasks"][number];

const WORDS: Readonly<Record<Found["status"], string>> = {
  verified: "verified",
  weakly: "weakly verified",
  marked: "marked by a person",
  untrusted: "not vouched for",
  changed: "changed since",
  none: "no evidence",
};

export function branchEvidenceText(view: BranchVerifyView, paint: Paint): Block[] {
  const { branch, commit, tasks, proof, passed, next } = view;
  const colour = (status: Found["status"]) => {
    if (status === "verified") return paint.green;
    return status === "changed" || status === "none" || status === "untrusted"
      ? paint.red
      : paint.yellow;
  };
  const rows = tasks.map((task): Cell[] => [
    { text: WORDS[task.status], paint: colour(task.status) },
    { text: visibleLine(task.task) },
    { text: task.commit === null ? "" : shortCommit(task.commit) },
    { text: visibleLine(task.title ?? "") },
    { text: visibleLine([task.why, ...signatureWords(task)].join("; ")) },
  ]);
  const at = proof?.at.slice(0, 16).replace("T", " ");
  const since = proof?.is_tip === true ? "" : "; later commits are not";
  return [
    `${paint.bold(`Evidence on ${visibleLine(branch)}`)} at ${shortCommit(commit)}`,
    { rows },
    ...(proof === null
      ? []
      : [`Proven in a fresh clone at ${shortCommit(proof.commit)} (${at})${since}`]),
    ...answer(view, paint),
    ...(passed ? [] : nextFacts(next, paint)),
  ];
}

function answer({ tasks, cut, passed }: BranchVerifyView, paint: Paint): string[] {
  if (passed) return [`${paint.green("Yes")}: ${counted(tasks.length, "task")}, all verified.`];
  if (cut.length === 0) return [`${paint.red("No")}: ${judged(tasks)}.`];
  const where = cut.map(shortCommit).join(", ");
  return [
    `${paint.red("No")}: this clone does not have the whole history. Commits before ${where} may contain tasks that are not judged here.`,
    `In the part that is here: ${judged(tasks)}.`,
  ];
}

function judged(tasks: readonly Found[]): string {
  if (tasks.length === 0) return "the branch has no task of Stint";
  const statuses = Object.keys(WORDS) as Found["status"][];
  const parts = statuses.flatMap((status) => {
    const count = tasks.filter((task) => task.status === status).length;
    return count === 0 ? [] : [`${count} ${WORDS[status]}`];
  });
  return `of ${counted(tasks.length, "task")}, ${parts.join(", ")}`;
}

function signatureWords({ signature, status }: Found): string[] {
  switch (signature.kind) {
    case "good":
      return [`signed by ${signature.by}`];
    case "none":
      return status === "none" || status === "untrusted" ? [] : ["not signed"];
    case "unknown-key":
      return status === "untrusted"
        ? []
        : [`signed with ${signature.key}, which is not known here`];
    case "unchecked":
      return status === "untrusted" ? [] : [`signature not checked: ${signature.why}`];
    case "bad":
      return ["its signature is wrong"];
    default:
      return signature satisfies never;
  }
}
