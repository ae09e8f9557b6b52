// An address as it may be shown, logged and kept: whoever it names keeps neither name nor password.

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*(?:@[^/?#@]*)*@/i;

export function shownAddress(address: string): string {
  return address.replace(USER_INFO, "$1[redacted]@");
}

export function hasCredentials(address: string): boolean {
  return USER_INFO.test(address);
}
