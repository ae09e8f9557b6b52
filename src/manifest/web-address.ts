// Addresses that a manifest names: absolute http or https, nothing else.
import { withAnyPort } from "../core/written/stint-port.ts";

export function webAddressProblem(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return `"${address}" is no http or https address`;
  return URL.canParse(withAnyPort(address)) ? undefined : `"${address}" is no valid address`;
}

/** Markdown writes a bare link as `<address>`. */
export function withoutAngles(address: string): string {
  return address.startsWith("<") && address.endsWith(">") ? address.slice(1, -1) : address;
}
