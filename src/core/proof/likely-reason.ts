// Why a check passes where it was verified and fails in a fresh clone, told from what is here and not there. A guess,
// and said as one, but for a file outside of the repository: that was tried.

export interface CloneFailure {
  /** The words of the check and what it printed in the clone. */
  readonly text: string;
  /** The files of the commit. */
  readonly tree: readonly string[];
  /** What lies in the workspace and git ignores, a folder with a slash at its end. */
  readonly ignored: readonly string[];
  /** Files outside of the repository; only where the check passes as soon as they are seen. */
  readonly outside: readonly string[];
  /** The packages that the repository names; null where it names none anywhere. */
  readonly packages: ReadonlySet<string> | null;
  /** `setup:` is written. */
  readonly isSetUp: boolean;
  /** What would install what the repository names; null where nothing is to be installed. */
  readonly setupLine: string | null;
}

export interface LikelyReason {
  readonly kind: "outside" | "case" | "dependency" | "setup" | "ignored" | "unknown";
  /** What is likely missing there. */
  readonly why: string;
  /** What would help. */
  readonly fix: string;
}

export function likelyReason(failure: CloneFailure): LikelyReason {
  return (
    outsideOf(failure) ??
    caseOf(failure) ??
    packageOf(failure) ??
    ignoredNamed(failure) ??
    setupOf(failure) ??
    ignoredAtAll(failure) ?? {
      kind: "unknown",
      why: "something is here that is not committed",
      fix: "find it from the output of the check; commit it, or let setup: make it",
    }
  );
}

function outsideOf({ outside, text }: CloneFailure): LikelyReason | null {
  if (outside.length === 0) return null;
  const named = outside.filter((path) => text.includes(path));
  const likely = named.length > 0 ? named : outside;
  const why = `it needs a file outside the repository: ${likely.slice(0, MOST).join(", ")}`;
  return { kind: "outside", why, fix: "move it into the repository, or let setup: make it" };
}

const MOST = 3;

/** The check asks for a name that the commit has in other letters. */
function caseOf({ text, tree }: CloneFailure): LikelyReason | null {
  const exact = new Set(tree.flatMap(namesOf));
  const lower = new Map(tree.flatMap(namesOf).map((name) => [name.toLowerCase(), name]));
  for (const name of pathsIn(text).flatMap(namesOf)) {
    const other = exact.has(name) ? undefined : lower.get(name.toLowerCase());
    if (other === undefined || !/[./]/.test(name)) continue;
    const why = `it asks for ${name}, and the commit has ${other}: a clone treats them as different`;
    return { kind: "case", why, fix: `write the name like the file: ${other}` };
  }
  return null;
}

/** Each path also by its last name alone. */
function namesOf(path: string): string[] {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return last === path ? [path] : [path, last];
}

function pathsIn(text: string): string[] {
  return [...text.matchAll(/[\w@~+-][\w@~+./-]*\.[\w-]+/g)].map(([path]) => path);
}

const MISSING_PACKAGE: readonly RegExp[] = [
  /Cannot find (?:module|package) '([^'./][^']*)'/,
  /No module named '?([\w.]+)'?/,
  /cannot load such file -- ([\w/-]+)/,
  /Can't locate ([\w/]+)\.pm/,
];

function packageOf(failure: CloneFailure): LikelyReason | null {
  const { text, packages, setupLine } = failure;
  const word = MISSING_PACKAGE.map((pattern) => pattern.exec(text)?.[1]).find(
    (found) => found !== undefined && !found.startsWith("node:"),
  );
  if (word === undefined) return null;
  const name = packageName(word);
  if (packages?.has(name) === true) {
    const fix = `say how it is installed: setup: [${setupLine ?? "npm ci"}]`;
    return { kind: "setup", why: `${name} is not installed in a clone`, fix };
  }
  const why = `${name} is not among the repository's dependencies`;
  return { kind: "dependency", why, fix: `add ${name} to them` };
}

/** `@scope/name/sub/file` and `name/sub` are files of a package. */
function packageName(word: string): string {
  const [first = "", second = ""] = word.split("/");
  return word.startsWith("@") ? `${first}/${second}` : first;
}

/** Installed packages and local settings are not what a session made. */
const NO_WORK = /(?:^|\/)(?:node_modules|\.venv|venv|vendor|__pycache__|\.env[^/]*|\.git)\/?$/;

function ignoredNamed({ text, ignored }: CloneFailure): LikelyReason | null {
  const words = new Set(text.split(/[^\w@+.-]+/).flatMap((word) => [word, stem(word)]));
  const named = ignored
    .filter((path) => !NO_WORK.test(path))
    .filter((path) => {
      const name = path.replace(/\/$/, "").split("/").at(-1) ?? "";
      return words.has(name) || words.has(stem(name));
    });
  return named.length === 0 ? null : ignoredFiles(named);
}

function ignoredAtAll({ ignored }: CloneFailure): LikelyReason | null {
  const others = ignored.filter((path) => !NO_WORK.test(path));
  return others.length === 0 ? null : ignoredFiles(others);
}

function ignoredFiles(paths: readonly string[]): LikelyReason {
  const names = paths.slice(0, MOST).join(", ");
  const why = `git ignores ${names}, which is here but not committed`;
  return {
    kind: "ignored",
    why,
    fix: "let setup: make it, or remove it from .gitignore and commit it; for a built artefact write ignored: ok below its task",
  };
}

function stem(name: string): string {
  return name.replace(/(?<=.)\.[\w-]+$/, "");
}

function setupOf({ isSetUp, setupLine, text }: CloneFailure): LikelyReason | null {
  if (isSetUp || (setupLine === null && !/command not found|: not found/.test(text))) return null;
  const why = "nothing says how to prepare a clone";
  return { kind: "setup", why, fix: `add this line: setup: [${setupLine ?? "the command"}]` };
}
