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
    means: "it has no check; we only know that something changed",
    whatToDo: "give it a `check:`",
  },
  "not-discriminating": {
    word: "not discriminating",
    means: "its checks passed before any work, and nothing else proves the work",
    whatToDo: "write a check that fails until the work is done",
  },
  "own-tests": {
    word: "own tests",
    means: "nothing but tests, or other judges, that the task itself changed speaks for its work",
    whatToDo: "read these tests: they are part of the work",
  },
  "self-judged": {
    word: "self-judged",
    means:
      "it changed what judges it, and the changed judges also pass without its other work; or it changed nothing but that judge, or another task turned its check green by such a change",
    whatToDo: "look at what it changed; with `strict: true` such an attempt fails",
  },
  "judge-changed": {
    word: "judge changed",
    means:
      "it changed what judges it, and Stint did not test whether that matters; the reason is given",
    whatToDo: "look at what it changed, or give `proof: { budget: … }` more time",
  },
  unreliable: {
    word: "unreliable",
    means: "one of its checks gave different results on the same files",
    whatToDo: "make the check give the same result each time",
  },
  "no-diff": {
    word: "no diff",
    means: "its check went from red to green, and nothing in the repository changed",
    whatToDo: "find out what else changed: a service, a file outside, the time",
  },
  ignored: {
    word: "ignored",
    means:
      "it made only files that git ignores, as `ignored: ok` or a `file` check allows; no commit contains them",
    whatToDo: "nothing, if it is a built artefact",
  },
};
