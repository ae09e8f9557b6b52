// Which exit code an error has. The codes themselves stand in core: what is not printed answers with them too.
import { EXIT } from "../core/words/exit-codes.ts";
import type { ErrorCode } from "../core/stint-error.ts";

export { EXIT, exitCodeOfState } from "../core/words/exit-codes.ts";

const OF_ERROR = {
  "bad-input": EXIT.badInput,
  refused: EXIT.badInput,
  "not-found": EXIT.badInput,
  "state-unwritable": EXIT.stateBroken,
  "state-corrupt": EXIT.stateBroken,
  "state-changed": EXIT.stateBroken,
  "lease-held": EXIT.held,
  "lease-lost": EXIT.held,
  "git-failed": EXIT.blocked,
} as const satisfies Record<ErrorCode, number>;

export function exitCodeOfError(code: ErrorCode): number {
  return OF_ERROR[code];
}
