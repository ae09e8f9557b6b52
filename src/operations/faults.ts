// What is refused: as a value, for whoever goes on without it or tells it as a finding; and a manifest with errors.
import type { ProjectId } from "../core/ids.ts";
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
      `Fix ${errors === 1 ? "it" : "them"}, then check again: stint lint ${shellWord(file)}`,
    );
    this.file = file;
    this.problems = problems;
  }
}

/** Of the registry, as much as tells one from another. */
interface FoundProject {
  readonly project_id: ProjectId;
  readonly slug: string;
  readonly root: string;
}

/** More than one is meant. Whoever knows what was typed says it again with each of them (`hintFor`). */
export class SeveralProjects extends StintError {
  readonly reference: string | undefined;
  readonly #ids: readonly ProjectId[];

  constructor(reference: string | undefined, found: readonly FoundProject[], here: string) {
    const ids = found.map(({ project_id }) => project_id);
    const isHere = found.every(({ root }) => root === here);
    const list = found.map(
      ({ project_id, slug, root }) => `${project_id} (${isHere ? slug : `${slug}, ${root}`})`,
    );
    const what = reference === undefined ? here : `"${reference}"`;
    super(
      "bad-input",
      `${what} has ${found.length} projects: ${list.join("; ")}`,
      oneOf(ids, (id) => `stint status ${id}`),
    );
    this.reference = reference;
    this.#ids = ids;
  }

  hintFor(commandWith: (id: ProjectId) => string): string {
    return oneOf(this.#ids, commandWith);
  }
}

function oneOf(ids: readonly ProjectId[], commandWith: (id: ProjectId) => string): string {
  return `Name one of them: ${ids.map(commandWith).join("\nor: ")}`;
}
