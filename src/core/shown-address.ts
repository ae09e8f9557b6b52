// An address as it may be shown, logged and kept: whoever it names keeps neither name nor password.

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*(?:@[^/?#@]*)*@/i;

export function shownAddress(address: string): string {
  return address.replace(USER_INFO, "$1[redacted]@");
}

export function hasCredentials(address: string): boolean {
  return USER_INFO.test(address);
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
