// How an address with a name and a password in it is called: `fetch` takes no credentials in an
// address, they go into a header.
import { splitAddress } from "../core/written/address.ts";

export interface CalledAddress {
  readonly address: URL;
  readonly authorization: string | null;
}

export function calledAddress(url: string): CalledAddress {
  const { address, credentials } = splitAddress(url);
  if (credentials === undefined) return { address, authorization: null };
  const pair = `${credentials.username}:${credentials.password}`;
  return { address, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
