// `verify` for people: whether the work is intact, what is proven and by which evidence, what rests on somebody's word;
// and the same in the words of the multi-session method.
import type { VerifyView } from "../core/schema/views.ts";
import { counted, fewOf } from "../core/words/amounts.ts";
import { proofText, shortCommit } from "../core/words/proof-words.ts";
import { MARKED_BY_YOU } from "../core/words/task-standing.ts";
import { type Block, fact, type Paint } from "./layout.ts";
import { visibleLine } from "./visible.ts";

/** Whether the work is intact, what is proven and by which evidence, and what rests on somebody's word. */
export function verifyText(view: VerifyView, paint: Paint): Block[] {
  const { project_id, revision, passed, criteria, proof } = view;
  const at = revision === null ? "" : ` at revision ${revision}`;
  const problems = criteria.flatMap((each) => each.problems);
  const answer = passed
    ? `${paint.green("Intact")}: the evidence, boxes and commits of what was done are still there`
    : `${paint.red("Not intact")}: ${counted(problems.length, "problem")}. See also: stint doctor ${project_id}`;
  const facts = [
    ...(proof === null ? [] : [fact("Proof", proofLine(proof), paint)]),
    ...sinceFacts(view, paint),
    ...standingFacts(view, paint),
  ];
  return [
    `${paint.bold(project_id)}${at}`,
    answer,
    ...problems.map((problem) => `  - ${visibleLine(problem)}`),
    ...facts,
  ];
}

function proofLine(proof: NonNullable<VerifyView["proof"]>): string {
  const text = proofText(proof);
  return visibleLine(proof.kind === "not-proven" ? text : `${text} (${proof.path})`);
}

/** What came after the work, and what is to be known of it. */
function sinceFacts({ project_id, proof, later, edit }: VerifyView, paint: Paint): Block[] {
  const isTried = later !== null && proof?.commit === later.tip;
  const hint = isTried ? "" : `. To prove it: stint verify --fresh ${project_id}`;
  return [
    ...(later === null ? [] : [fact("Later", `${laterLine(later)}${hint}`, paint)]),
    ...(edit === null ? [] : [fact("Edited", editLine(edit), paint)]),
  ];
}

function laterLine({ commits, tasks, paths }: NonNullable<VerifyView["later"]>): string {
  const named = fewOf(commits.map(({ commit, subject }) => `${shortCommit(commit)} ${subject}`));
  const what = `${counted(commits.length, "later commit")} (${named}) changed files of ${fewOf(tasks)}`;
  return `${what}, and that is not proven: ${fewOf(paths)}`;
}

function editLine(edit: NonNullable<VerifyView["edit"]>): string {
  switch (edit.kind) {
    case "adopted":
      return `the next run adopts what you changed in the manifest: ${fewOf(edit.changes)}`;
    case "refused":
      return `what you changed in the manifest has ${counted(edit.errors.length, "error")}, so the next run refuses it. See the lines: stint lint`;
    case "by-git":
      return `the manifest on disk does not count as your edit: ${edit.why}. The last adopted text stays in force`;
    default:
      return edit satisfies never;
  }
}

const STANDING_WORDS = {
  checked: ["Checked", "by checks that Stint ran"],
  weak: ["Weakly", "less well verified than it could be, and what is missing is named"],
  "by-exit-code": ["By exit code", "by the exit code of their command"],
  approved: ["A person's yes", "by the review of a person, without a check that Stint ran"],
  "by-agent": ["An agent's yes", "by the review of a second agent, without a check that Stint ran"],
  marked: ["Your word", MARKED_BY_YOU],
  skipped: ["Skipped", "left out"],
  open: ["Open", "not done yet"],
} as const satisfies Record<VerifyView["tasks"][number]["standing"], readonly [string, string]>;

const MOST_NAMED = 8;

function standingFacts({ tasks }: VerifyView, paint: Paint): Block[] {
  return (Object.keys(STANDING_WORDS) as (keyof typeof STANDING_WORDS)[]).flatMap((standing) => {
    const those = tasks.filter((task) => task.standing === standing);
    if (those.length === 0) return [];
    const [name, words] = STANDING_WORDS[standing];
    const more = those.length > MOST_NAMED ? ` and ${those.length - MOST_NAMED} more` : "";
    const named = those.slice(0, MOST_NAMED).map(namedStanding).join(", ");
    return fact(name, visibleLine(`${those.length} ${words}: ${named}${more}`), paint);
  });
}

/** With what is to be known of it: its labels, who left it out and why. */
function namedStanding({ id, standing, labels, by, reason }: VerifyView["tasks"][number]): string {
  if (standing === "weak") return `${id} (${labels.join(", ")})`;
  if (standing === "approved" && by !== null) return `${id} (${by} said yes)`;
  if (standing === "skipped") return `${id} (${by}: ${reason})`;
  return id;
}

/** The same in the words of the multi-session method. */
export function sessionsText(view: VerifyView, paint: Paint): Block[] {
  const failed = view.criteria.filter(({ passed }) => !passed).length;
  const at = view.revision === null ? "" : ` at revision ${view.revision}`;
  return [
    `${paint.bold(view.question)} ${view.project_id}${at}`,
    ...view.criteria.flatMap(({ name, passed, found, problems }) => [
      `${passed ? paint.green("pass") : paint.red("FAIL")}  ${name}: ${visibleLine(found)}`,
      ...problems.map((problem) => `        - ${visibleLine(problem)}`),
    ]),
    view.passed
      ? `${paint.green("Yes")}: all three criteria hold.`
      : `${paint.red("No")}: ${failed} of 3 criteria do not hold. See also: stint doctor ${view.project_id}`,
  ];
}
