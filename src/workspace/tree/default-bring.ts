// What a new workspace gets of what git ignores when nobody says otherwise: installed dependencies,
// local settings, and the folder of hooks that a package manager made. Build output and caches are
// made again by whoever needs them.
//
// Only ignored paths are asked about, so nothing that is brought by default can end in a commit.

type BroughtAs = "dependencies" | "settings";

/** Names of folders that hold what a package manager installed, at any depth. */
const DEPENDENCY_FOLDERS = new Set([
  // JavaScript
  "node_modules",
  "bower_components",
  "jspm_packages",
  // Python; an environment of another name is told by its pyvenv.cfg
  ".venv",
  "venv",
  "__pypackages__",
  ".pixi",
  // PHP, Ruby, Go
  "vendor",
  ".bundle",
  // Apple, C++, Terraform
  "Pods",
  "Carthage",
  "vcpkg_installed",
  ".terraform",
]);

/** The same, two names deep: their upper folder also holds what is not brought. */
const PAIRS = new Map<string, BroughtAs>([
  [".yarn/cache", "dependencies"],
  [".yarn/unplugged", "dependencies"],
  [".yarn/install-state.gz", "dependencies"],
  [".yarn/build-state.yml", "dependencies"],
  ["renv/library", "dependencies"],
  [".dart_tool/package_config.json", "dependencies"],
  [".husky/_", "settings"],
]);

/** Folders where the agent programs keep what belongs to one checkout. */
const AGENT_FOLDERS = new Set([".claude", ".codex", ".gemini", ".qwen", ".opencode"]);
/** Beside the files directly in there. `.claude/worktrees`, logs and caches are not among them. */
const AGENT_PARTS = new Set([
  "agents",
  "commands",
  "hooks",
  "output-styles",
  "plugin",
  "plugins",
  "prompts",
  "rules",
  "skills",
  "tools",
]);

const SETTINGS_FILES = new Set(["CLAUDE.local.md", ".mcp.json", "opencode.json", "opencode.jsonc"]);

/** Not brought although they lie in a folder that is: they are large and made again at once. */
export const CACHES_IN_DEPENDENCIES = new Set([
  "node_modules/.cache",
  "node_modules/.vite",
  "node_modules/.vite-temp",
  "node_modules/.vitest",
]);

interface Candidate {
  /** Relative, without a slash at its end. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Whether a file or folder is there, by its path relative to the top. */
type IsThere = (path: string) => boolean;

export function broughtByDefault(
  { path, isFolder }: Candidate,
  isThere: IsThere,
): BroughtAs | null {
  const names = path.split("/");
  const [parent = "", name = ""] = [names.at(-2), names.at(-1)];
  if (dependencyFolder(path) !== null) return "dependencies";
  const pair = names.slice(1).flatMap((each, i) => PAIRS.get(`${names[i]}/${each}`) ?? []);
  if (pair[0] !== undefined) return pair[0];
  if (isFolder && isEnvironment(path, isThere)) return "dependencies";
  if (isOfAgent(names, isFolder)) return "settings";
  if (isFolder) return null;
  if (name.startsWith(".pnp.")) return "dependencies";
  return isLocalVariables(name) || SETTINGS_FILES.has(name) || isAgentFile(parent)
    ? "settings"
    : null;
}

/** A file with a person's local variables: what a clone of the repository has to be given as well. */
export function isLocalVariables(path: string): boolean {
  return (path.split("/").at(-1) ?? "").startsWith(".env");
}

/** The outermost dependency folder that a path is or lies in, told by its name. */
export function dependencyFolder(path: string): string | null {
  const names = path.split("/");
  const first = names.findIndex((name) => DEPENDENCY_FOLDERS.has(name));
  return first < 0 ? null : names.slice(0, first + 1).join("/");
}

/** A folder that is not brought itself, but may hold something that is. */
export function mayHoldBrought(folder: string): boolean {
  const name = folder.split("/").at(-1) ?? "";
  return AGENT_FOLDERS.has(name) || [...PAIRS.keys()].some((pair) => pair.startsWith(`${name}/`));
}

/** A virtual environment of Python under any name; `deps` of Elixir beside its mix.exs. */
function isEnvironment(folder: string, isThere: IsThere): boolean {
  if (isThere(`${folder}/pyvenv.cfg`)) return true;
  return /(?:^|\/)deps$/.test(folder) && isThere(folder.replace(/deps$/, "mix.exs"));
}

function isOfAgent(names: readonly string[], isFolder: boolean): boolean {
  const at = names.findIndex((name) => AGENT_FOLDERS.has(name));
  const part = names[at + 1];
  if (at < 0 || part === undefined || !AGENT_PARTS.has(part)) return false;
  return isFolder || names.length > at + 2;
}

function isAgentFile(parent: string): boolean {
  return AGENT_FOLDERS.has(parent);
}
