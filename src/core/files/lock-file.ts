// Files that say which dependencies are installed. When one of them changes, a workspace is set up again.

const NAMES: ReadonlySet<string> = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "pixi.lock",
  "pylock.toml",
  "pipfile.lock",
  "conda-lock.yml",
  "environment.yml",
  "cargo.lock",
  "go.sum",
  "gemfile.lock",
  "gems.locked",
  "composer.lock",
  "mix.lock",
  "rebar.lock",
  "pubspec.lock",
  "podfile.lock",
  "package.resolved",
  "cartfile.resolved",
  "packages.lock.json",
  "paket.lock",
  "gradle.lockfile",
  "stack.yaml.lock",
  "cabal.project.freeze",
  "renv.lock",
  "flake.lock",
  "conan.lock",
  ".terraform.lock.hcl",
]);

/** `requirements.txt`, `requirements-dev.txt`, `dev-requirements.txt`, and one in a folder of them. */
const REQUIREMENTS = /(?:^|\/)(?:[\w.-]*requirements[\w.-]*\.txt|requirements\/[^/]+\.txt)$/i;

export function isLockFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return NAMES.has(name) || REQUIREMENTS.test(path);
}
