// Which variables hold secrets, told by their names.

const SECRET =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIAL|AUTH|COOKIE|BEARER)S?$/;
/** Says where a secret is, how long or of what kind, and is none itself. */
const ABOUT =
  /^(FILE|PATH|DIR|SOCK|SOCKET|NAME|URL|URI|TYPE|KIND|SIZE|LENGTH|LIMIT|COUNT|TTL|MAX|MIN|HOST|PORT|USER|COLORS?)$/;

export function looksSecret(name: string): boolean {
  if (name === "PWD" || name === "OLDPWD") return false;
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  return words.some((word) => SECRET.test(word)) && !ABOUT.test(words.at(-1) ?? "");
}
