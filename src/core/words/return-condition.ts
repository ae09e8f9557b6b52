// When delegated work is back, as a sentence says it; as a manifest writes it, it is `returnText` of core/delegation.ts.
import type { Dispatch } from "../schema/items.ts";
import { shownAddress } from "../written/address.ts";

export function backWhen(returns: Dispatch["returns"]): string {
  switch (returns.kind) {
    case "exit":
      return "its process ends";
    case "message":
      return "its worker says so";
    case "file":
      return `${returns.path} is there`;
    case "command":
      return `\`${returns.command}\` passes`;
    case "url": {
      const contains = returns.contains === undefined ? "" : ` with "${returns.contains}"`;
      return `GET ${shownAddress(returns.url)} answers ${returns.status}${contains}`;
    }
    default:
      return returns satisfies never;
  }
}
