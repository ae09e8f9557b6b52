// Who makes a commit, as git itself would say it from the person's settings; null where only git can tell.
import { type Setting, valueOf } from "../base/git-config.ts";

/** What git would take out of a name, or take from elsewhere. */
const UNUSUAL = /[\n\r<>"\\\0]|^[\s.,:;']|[\s.,:;']$/;
const OTHER_KEYS = /^(?:author|committer)\.|^i18n\.commitencoding$/;
const OTHER_VARIABLES = /^GIT_(?:AUTHOR|COMMITTER)_/;

export function identity(settings: readonly Setting[], now: Date): string | null {
  if (settings.some(({ key }) => OTHER_KEYS.test(key))) return null;
  if (Object.keys(process.env).some((name) => OTHER_VARIABLES.test(name))) return null;
  const [name, email] = [valueOf(settings, "user.name"), valueOf(settings, "user.email")];
  if (!isUsual(name) || !isUsual(email)) return null;
  return `${name} <${email}> ${Math.floor(now.getTime() / 1000)} ${zoneOf(now)}`;
}

function isUsual(text: string | null): text is string {
  return text !== null && text !== "" && !UNUSUAL.test(text);
}

function zoneOf(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const size = Math.abs(minutes);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${two(size % 60)}`;
}
