// How a secret is told from other text: the shapes of the tokens that people and agents use, and the names of variables
// that hold one.

interface SecretShape {
  /** What it is, in words. */
  readonly what: string;
  /** What stands before the secret and may stay is its only group. */
  readonly pattern: string;
}

/**
 * Each shape begins where no word goes on, so a long line costs one pass, and `task-force` holds
 * no `sk-force`.
 */
export const SECRET_SHAPES: readonly SecretShape[] = [
  { what: "an API key", pattern: String.raw`(?<![\w-])sk-(?=[\w-]{0,200}\d)[\w-]{16,}` },
  { what: "a GitHub token", pattern: String.raw`(?<!\w)gh[pousr]_[A-Za-z0-9]{20,}` },
  { what: "a GitHub token", pattern: String.raw`(?<!\w)github_pat_\w{20,}` },
  { what: "a GitLab token", pattern: String.raw`(?<![\w-])glpat-[\w-]{20,}` },
  { what: "an AWS key", pattern: String.raw`(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)` },
  { what: "a Slack token", pattern: String.raw`(?<![\w-])xox[abeprs]-[\w-]{10,}` },
  { what: "a Google API key", pattern: String.raw`(?<![\w-])AIza[\w-]{35}` },
  { what: "an npm token", pattern: String.raw`(?<!\w)npm_[A-Za-z0-9]{36}` },
  { what: "a Hugging Face token", pattern: String.raw`(?<!\w)hf_[A-Za-z0-9]{30,}` },
  {
    what: "a signed token",
    pattern: String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`,
  },
  { what: "a bearer token", pattern: String.raw`(?<!\w)([Bb]earer )[\w.~+/=-]{16,}` },
  {
    // scheme://user:password@host
    what: "the password of an address",
    pattern: String.raw`(:\/\/[^\s/:@"'\\]{1,64}:)[^\s/@"'\\]{1,256}(?=@)`,
  },
  {
    what: "a private key",
    pattern: String.raw`-----BEGIN [A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=:,\s-]|\\[nr])*`,
  },
];

const SECRET =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIAL|AUTH|COOKIE|BEARER)S?$/;
/** Says where a secret is, how long or of what kind, and is none itself. */
const ABOUT =
  /^(FILE|PATH|DIR|SOCK|SOCKET|NAME|URL|URI|TYPE|KIND|SIZE|LENGTH|LIMIT|COUNT|TTL|MAX|MIN|HOST|PORT|USER|COLORS?)$/;

/** Whether a variable of this name holds a secret. */
export function looksSecret(name: string): boolean {
  if (name === "PWD" || name === "OLDPWD") return false;
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  return words.some((word) => SECRET.test(word)) && !ABOUT.test(words.at(-1) ?? "");
}
