// A reason that a person must give: it is kept for good, and sessions read it.
import { shellWord } from "../core/shell-word.ts";
import { StintError } from "../core/stint-error.ts";

export function givenReason(verb: string, what: string, reason: string | undefined): string {
  const text = reason?.trim() ?? "";
  if (text !== "") return text;
  throw new StintError(
    "bad-input",
    `stint ${verb} needs a reason: it is kept, and the next session is told`,
    `Right is, for example: stint ${verb} ${shellWord(what)} --reason "the names are wrong"`,
  );
}
