// How a person writes what an iteration works by (`iteration:` in stint.config.yaml, and the options of the same
// names): names that become folders, and paths that stay where they belong.

/** Not what git keeps for itself, in any case and at any depth. */
const PART = String.raw`(?!\.{1,2}(?:/|$)|\.[gG][iI][tT](?:/|$))[^/\\:\p{Cc}]+`;

/** An id, which becomes the name of a folder. */
export const PATH_NAME = new RegExp(`^(?!~)${PART}$`, "u");
/** Below the root of the repository, and not in what git keeps for itself. */
export const BELOW_ROOT = new RegExp(`^(?!~)${PART}(?:/${PART})*$`, "u");
/** Absolute, in the home folder, or below the root. */
export const WORKFLOW_DIR = new RegExp(`^(?:~/|/|(?!~))${PART}(?:/${PART})*/?$`, "u");

export const ITERATION_WORDS = {
  repo_id: { pattern: PATH_NAME, expected: "a name without separators, such as shop" },
  task_id: { pattern: PATH_NAME, expected: "a name without separators, such as big-change" },
  workflow_dir: {
    pattern: WORKFLOW_DIR,
    expected: "a folder: absolute, ~/…, or below the root of the repository",
  },
  review_log: { pattern: BELOW_ROOT, expected: "a path below the root, such as docs/_feedback.md" },
  subtask_log: {
    pattern: BELOW_ROOT,
    expected: "a path below the root, such as tasks/<task-id>/feedback.md",
  },
} as const;
