// An address as it may be shown, logged and kept: whoever it names keeps neither name nor password.
import { namesPort, PORT_VARIABLE, withPort } from "../written/stint-port.ts";

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
