// The labels of how a task was verified: one word each, what it means, and what to do about it. docs/checks.md has the
// same table, held by a test.
import type { Label } from "../schema/task.ts";

export interface LabelWords {
  /** As people read it. */
  readonly word: string;
  readonly means: string;
  readonly whatToDo: string;
}

export const LABEL_WORDS: Readonly<Record<Label, LabelWords>> = {
  "weakly-verified": {
    word: "weakly verified",
    means: "it has no check: all that is known is that something changed",
    whatToDo: "give it a `check:`",
  },
  "not-discriminating": {
    word: "not discriminating",
    means: "its checks passed before any work, and nothing else tells",
    whatToDo: "write a check that fails until the work is done",
  },
  "own-tests": {
    word: "own tests",
    means: "only tests, or other judges, that the task itself changed tell its work from nothing",
    whatToDo: "read these tests: they are part of the work",
  },
  "self-judged": {
    word: "self-judged",
    means:
      "it changed what judges it, and without its other work the changed judges pass as well; or that judge is all that it made",
    whatToDo: "look at what it changed; `strict: true` lets no such attempt pass",
  },
  "judge-changed": {
    word: "judge changed",
    means: "it changed what judges it, and whether that matters was not asked; the reason is said",
    whatToDo: "look at what it changed, or give `proof: { budget: … }` more time",
  },
  unreliable: {
    word: "unreliable",
    means: "a check of it went green by itself, before any work",
    whatToDo: "make the check say the same each time",
  },
  "no-diff": {
    word: "no diff",
    means: "its check went from red to green, and nothing in the repository changed",
    whatToDo: "find out what else changed: a service, a file outside, the time",
  },
  ignored: {
    word: "ignored",
    means:
      "all that it made is files that git ignores, as `ignored: ok` or a `file` check allows: no commit holds them",
    whatToDo: "nothing, if it is a built artefact",
  },
};
