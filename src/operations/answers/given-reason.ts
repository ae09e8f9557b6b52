// A reason that a person must give: it is kept for good, and sessions read it.
import { shellWord } from "../../core/words/shell-word.ts";
import { StintError } from "../../core/stint-error.ts";

/** `words` are those that the person typed after the verb, as they stand in the command that is right. */
export function givenReason(
  verb: string,
  words: readonly (string | undefined)[],
  reason: string | undefined,
): string {
  const text = reason?.trim() ?? "";
  if (text !== "") return text;
  const typed = [verb, ...words.filter((word) => word !== undefined)].map(shellWord).join(" ");
  throw new StintError(
    "bad-input",
    `stint ${verb} needs a reason: it is kept for good`,
    `Right is, for example: stint ${typed} --reason "the names are wrong"`,
  );
}
