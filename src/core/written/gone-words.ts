// Words that a person may still know and that mean nothing any longer, with what to write instead.

const NEVER_IN_YOUR_CHECKOUT = "a run never works in your checkout";

export const DIRTY_IS_GONE = `dirty: is gone: ${NEVER_IN_YOUR_CHECKOUT}. To start from your uncommitted changes: stint run … --include-changes`;

export const ALLOW_DIRTY_IS_GONE = {
  message: `--allow-dirty is gone: ${NEVER_IN_YOUR_CHECKOUT}, and uncommitted changes refuse nothing`,
  hint: "Leave it out. To start from your uncommitted changes: stint run … --include-changes",
} as const;
