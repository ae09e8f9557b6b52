// The kinds of isolation that work on this machine, best first; the group always does.
import { KINDS, isAvailable, type IsolationKind } from "../../src/process/namespace/isolation.ts";

export function availableKinds(): IsolationKind[] {
  return KINDS.filter(isAvailable);
}
