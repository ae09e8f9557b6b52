// Takes secrets out of text before anything is written: the values of variables that hold secrets, told by
// their names, and texts that look like the tokens people and agents use. One pass over each line.
//
// A replaced text never contains a quote or a backslash, so a line of JSON stays one. What was
// transformed (split, reversed, base64 of more than the secret) is not recognised.
import { looksSecret, SECRET_SHAPES } from "../../core/written/secret-shapes.ts";

const REDACTED = "[redacted]";
const SHORTEST = 8;
/** Of a value that a file of settings gives to a name of a secret. */
const SHORTEST_NAMED = 6;

const SHAPES = SECRET_SHAPES.map(({ pattern }) => pattern);

const KEY_BEGINS = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END [A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g;
/** What stands between the two: base64, its headers, an indent or a quote sign. */
const KEY_LINE = /^[\s>|]*(?:[A-Za-z0-9+/=]{1,256}|(?:Proc-Type|DEK-Info|Comment|Version): .*)\s*$/;

/** A key that does not end within so many lines was cut off. */
const LONGEST_KEY_LINES = 200;

/**
 * The function remembers that a private key began. Lines of another stream may come between, so
 * until the key ends only what can be a part of it is taken out.
 */
export function makeRedactor(
  env: Readonly<Record<string, string | undefined>>,
  values: Iterable<string> = [],
): (line: string) => string {
  const secrets = [...secretsOf(env, values)]
    .toSorted((a, b) => b.length - a.length)
    .map(escapeForPattern);
  const pattern = new RegExp([...secrets, ...SHAPES].join("|"), "g");
  let keyLines = 0;
  return (line) => {
    const isInside = keyLines > 0;
    if (isInside && endsKey(line)) keyLines = 0;
    else if (isInside) keyLines -= 1;
    if (isInside && (keyLines === 0 || KEY_LINE.test(line))) return REDACTED;
    if (leavesKeyOpen(line)) keyLines = LONGEST_KEY_LINES;
    // What stands before a password or a token says what was there, and stays.
    return line.replace(pattern, `$1$2${REDACTED}`);
  };
}

function endsKey(line: string): boolean {
  return line.search(KEY_ENDS) !== -1;
}

function leavesKeyOpen(line: string): boolean {
  const begin = lastMatch(line, KEY_BEGINS);
  return begin !== -1 && begin > lastMatch(line, KEY_ENDS);
}

function lastMatch(line: string, pattern: RegExp): number {
  if (!line.includes("-----")) return -1;
  return [...line.matchAll(pattern)].at(-1)?.index ?? -1;
}

function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
  values: Iterable<string>,
): Set<string> {
  const named = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || !looksSecret(name) ? [] : formsOf(value, SHORTEST),
  );
  return new Set([...named, ...[...values].flatMap((value) => formsOf(value))]);
}

/** All forms in which a secret is recognised: whole and by lines, as it is, in JSON, in an address and in base64. */
export function formsOf(value: string, shortest: number = SHORTEST_NAMED): string[] {
  // A key in a variable has lines, and is printed as lines.
  return [value, ...value.split(/\r?\n/)]
    .filter((text) => !isTooCommon(text, shortest))
    .flatMap((text) => [
      text,
      JSON.stringify(text).slice(1, -1),
      encodeURIComponent(Buffer.from(text).toString()),
      ...inBase64(Buffer.from(text)),
    ]);
}

/** All of it, and as far as it is the same when more follows, for example a line end. */
function inBase64(bytes: Buffer): string[] {
  const whole = bytes.toString("base64").replace(/=+$/, "");
  return [whole, whole.slice(0, whole.length - (whole.length % 4))];
}

function isTooCommon(text: string, shortest: number): boolean {
  return text.length < shortest || isCommon(text);
}

/** Plain words, numbers and paths stand in such variables too, and everywhere else. */
function isCommon(text: string): boolean {
  return (
    /^[a-z]{1,15}$|^[A-Z]{1,15}$|^[A-Z][a-z]{1,14}$/.test(text) ||
    /^-----(?:BEGIN|END) [^\n]*$/.test(text) ||
    /^(?:~|\.{1,2})?(?:\/[\w.@-]+){2,}\/?$/.test(text)
  );
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/**
 * Whether a file of settings that no commit holds keeps a secret under this name. Most of what stands there is none: ports,
 * switches, addresses. Under the name of a secret everything but a common word is one; elsewhere only what looks like a
 * token, or an address with a password.
 */
export function isSecretValue(name: string, value: string): boolean {
  if (looksSecret(name)) return !isTooCommon(value, SHORTEST_NAMED);
  return holdsToken(value) || looksRandom(value);
}

/** Letters and digits in one long word that nobody would write by hand. */
function looksRandom(value: string): boolean {
  return (
    /^[\w+/=.~-]{20,}$/.test(value) &&
    !value.includes("..") &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    new Set(value).size >= 12 &&
    !isCommon(value)
  );
}

function holdsToken(value: string): boolean {
  return value.split("\n").some((line) => line.replace(TOKEN, REDACTED) !== line);
}

const TOKEN = new RegExp(SHAPES.join("|"), "g");

/** By these a program finds the network; without them it finds none. */
const PROXY = /^(?:HTTPS?|ALL|FTP|NO)_PROXY$/i;
/** A password for what runs on this machine lets nobody in elsewhere. */
const LOCAL_ADDRESS =
  /^[a-z][\w+.-]*:\/\/[^\s/@]*@(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)(?::\d+)?(?:[/?#]|$)/i;

/** Whether a variable lets whoever has it act in the person's name somewhere. */
export function isCredential(name: string, value: string): boolean {
  if (value === "" || PROXY.test(name) || LOCAL_ADDRESS.test(value)) return false;
  if (!looksSecret(name)) return holdsToken(value);
  // A switch, a number or a word is none.
  return !/^(?:\d+|true|false|yes|no|on|off|none|auto)$/i.test(value);
}
