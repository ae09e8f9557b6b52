// By what delegated work is known to have come back, in words.
import type { Dispatch } from "../schema/items.ts";

export function returnText(returns: Dispatch["returns"]): string {
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
      return `GET ${returns.url} answers ${returns.status}${contains}`;
    }
    default:
      return returns satisfies never;
  }
}
