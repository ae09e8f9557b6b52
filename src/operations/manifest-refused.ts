// A manifest with errors, refused with every problem at once.
import { shellWord } from "../core/written/commands.ts";
import { StintError } from "../core/stint-error.ts";
import type { Problem } from "../manifest/problem.ts";

export class ManifestRefused extends StintError {
  readonly file: string;
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === "error").length;
    super(
      "bad-input",
      `${file} has ${errors} error${errors === 1 ? "" : "s"}; no project was created`,
      `Mend them, then look again: stint lint ${shellWord(file)}`,
    );
    this.file = file;
    this.problems = problems;
  }
}
