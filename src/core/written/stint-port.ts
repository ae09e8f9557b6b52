// $STINT_PORT: the port that Stint chose for the server of a workspace, wherever an address names it.

export const PORT_VARIABLE = "STINT_PORT";

const NAMED = /\$(?:STINT_PORT\b|\{STINT_PORT\})/g;

export function namesPort(address: string): boolean {
  return address.search(NAMED) !== -1;
}

export function withPort(address: string, port: number | string): string {
  return address.replaceAll(NAMED, String(port));
}

/** An address as it may be judged before there is a port. */
export function withAnyPort(address: string): string {
  return withPort(address, 1);
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

/** Whether an address leads to this machine and no other. */
export function isLoopback(address: string): boolean {
  const judged = withAnyPort(address.replace(/^(https?:\/\/)[^/?#]*@/i, "$1"));
  return URL.canParse(judged) && LOOPBACK.test(new URL(judged).hostname.replace(/\.$/, ""));
}
