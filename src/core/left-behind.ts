// What becomes of a file that git does not hold when a workspace is made by default: dependencies and
// local settings are brought, what a build makes is left to be built there.

const DEPENDENCY_FOLDERS = new Set([
  ".bundle",
  ".pnp.cjs",
  ".pnpm-store",
  ".venv",
  ".yarn",
  "Pods",
  "bower_components",
  "node_modules",
  "vendor",
  "venv",
]);

const BUILD_FOLDERS = new Set([
  ".cache",
  ".next",
  ".nuxt",
  ".svelte-kit",
  ".turbo",
  "__pycache__",
  "build",
  "coverage",
  "dist",
  "out",
  "target",
]);

const LOCAL_SETTINGS = /^(?:\.claude\/settings\.local\.json|\.husky\/_)(?:\/|$)/;

export function isBroughtByDefault(path: string): boolean {
  const parts = path.split("/");
  return (
    parts.some((part) => DEPENDENCY_FOLDERS.has(part)) ||
    parts.at(-1)?.startsWith(".env") === true ||
    LOCAL_SETTINGS.test(path)
  );
}

/** Whether a command that names it most likely made it itself. */
export function isBuilt(path: string): boolean {
  return path.split("/").some((part) => BUILD_FOLDERS.has(part));
}
