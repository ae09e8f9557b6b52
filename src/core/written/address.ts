// Addresses that a person writes: absolute http or https. Shown, logged and kept without the name and password in
// them; the port of a workspace's server is called $STINT_PORT.

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*(?:@[^/?#@]*)*@/i;

export function shownAddress(address: string): string {
  return address.replace(USER_INFO, "$1[redacted]@");
}

/** Whether a name or a password stands in it; `$NAME` is neither. */
export function hasCredentials(address: string): boolean {
  const [found] = USER_INFO.exec(address) ?? [];
  return found !== undefined && !/\/\/(?:[^:@]*:)?\$\w+@$/.test(found);
}

const VARIABLE = /\$([A-Za-z_]\w*)/g;

export type FilledAddress =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly missing: string };

/**
 * The address that is called: a variable in place of a name or password, as in
 * `http://ada:$SHOP_PASSWORD@host/`, and the port of the workspace's server, are read when they are
 * needed, and stand nowhere else.
 */
export function filledAddress(
  address: string,
  read: (name: string) => string | undefined,
): FilledAddress {
  const userInfo = USER_INFO.exec(address)?.[0] ?? "";
  const missing = [...userInfo.matchAll(VARIABLE)].find(([, name = ""]) => !read(name))?.[1];
  if (missing !== undefined) return { ok: false, missing };
  const filled = userInfo.replace(VARIABLE, (_, name: string) =>
    encodeURIComponent(read(name) ?? ""),
  );
  const rest = address.slice(userInfo.length);
  const port = namesPort(rest) ? read(PORT_VARIABLE) : "";
  if (port === undefined) return { ok: false, missing: PORT_VARIABLE };
  return { ok: true, url: filled + withPort(rest, port) };
}

export interface SplitAddress {
  /** Without credentials. */
  readonly address: URL;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

/** What is called, and what it is told. */
export function splitAddress(url: string): SplitAddress {
  const address = new URL(url);
  const { username, password } = address;
  if (username === "" && password === "") return { address, credentials: undefined };
  address.username = "";
  address.password = "";
  return { address, credentials: { username: plain(username), password: plain(password) } };
}

/** A percent sign that escapes nothing stands for itself. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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

export function webAddressProblem(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return `"${address}" is not an http or https address`;
  return URL.canParse(withAnyPort(address)) ? undefined : `"${address}" is not a valid address`;
}

/** Markdown writes a bare link as `<address>`. */
export function withoutAngles(address: string): string {
  return address.startsWith("<") && address.endsWith(">") ? address.slice(1, -1) : address;
}
