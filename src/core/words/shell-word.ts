// A name as one word of a command that a person copies: quoted where a shell would split or read it,
// and never taken for a flag.

export function shellWord(name: string): string {
  const safe = name.startsWith("-") ? `./${name}` : name;
  if (/^[\p{L}\p{N}_./@%+=:,-]+$/u.test(safe)) return safe;
  return `'${safe.replaceAll("'", "'\\''")}'`;
}
