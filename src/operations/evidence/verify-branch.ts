// `verify --branch`: what the notes of this repository say of the tasks on a branch, for whoever has a clone and
// nothing else. Yes only where every task is verified, by whom the reader trusts where they say whom; never of a history
// that this clone has only in part, because the rest may have tasks.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { judgeBranch } from "../../core/evidence/judge-branch.ts";
import type { BranchVerifyView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { readBranchEvidence } from "../../engine/space/branch-evidence.ts";
import { findRepository } from "../../store/repository.ts";
import type { System } from "../system.ts";

export interface VerifyBranchInput {
  readonly branch: string;
  /** A file of allowed signers: only what one of them signed counts. */
  readonly signers?: string | undefined;
}

export async function verifyBranch(
  system: System,
  { branch, signers }: VerifyBranchInput,
): Promise<BranchVerifyView> {
  const { root, gitFolder } = findRepository(system.cwd);
  if (gitFolder === null) {
    throw new StintError(
      "bad-input",
      `${system.cwd} is in no git repository`,
      "Go to a clone of the repository: cd <clone> && stint verify --branch <branch>",
    );
  }
  const file = signers === undefined ? null : resolve(system.cwd, signers);
  if (file !== null && !existsSync(file)) {
    throw new StintError(
      "bad-input",
      `the file of allowed signers does not exist: ${file}`,
      "It needs one line per key, in the format of ssh-keygen: ada@example.com ssh-ed25519 AAAA…",
    );
  }
  const { tip, commits, said, cut, fetch } = await readBranchEvidence(root, branch, file);
  const { tasks, proof } = judgeBranch(commits, said, { mustBeSigned: file !== null });
  const isMissing = tasks.some(({ status }) => status === "none");
  return {
    branch,
    commit: tip,
    tasks: tasks.map((each) => ({
      ...each,
      labels: [...each.labels],
      checks: [...each.checks],
      approvals: [...each.approvals],
    })),
    proof:
      proof === null ? null : { commit: proof.commit, at: proof.at, is_tip: proof.commit === tip },
    cut: [...cut],
    passed:
      cut.length === 0 && tasks.length > 0 && tasks.every(({ status }) => status === "verified"),
    next: [fetch.history, isMissing || tasks.length === 0 ? fetch.notes : null].filter(
      (command) => command !== null,
    ),
  };
}
