// What is refused: as a value, for whoever goes on without it or tells it as a finding; and a manifest with errors.
import { StintError } from "../core/stint-error.ts";
import { systemFault } from "../core/words/system-error.ts";
import { shellWord } from "../core/written/commands.ts";
import { meaningAt } from "../store/files.ts";
import type { Problem } from "../manifest/problem.ts";

export type OrFault<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: StintError };

export function orFault<T>(act: () => T): OrFault<T> {
  try {
    return { ok: true, value: act() };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** @throws what is a bug */
export function faultOf(error: unknown): StintError {
  if (error instanceof StintError) return error;
  const fault = systemFault(error, meaningAt);
  if (fault !== null) return fault;
  throw error;
}

export class ManifestRefused extends StintError {
  readonly file: string;
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === "error").length;
    super(
      "bad-input",
      `${file} has ${errors} error${errors === 1 ? "" : "s"}; no project was created`,
      `Fix them, then check again: stint lint ${shellWord(file)}`,
    );
    this.file = file;
    this.problems = problems;
  }
}
