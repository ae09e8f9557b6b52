// Folders of what a build makes: a command that names a file in one most likely made it itself.

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

export function isBuilt(path: string): boolean {
  return path.split("/").some((part) => BUILD_FOLDERS.has(part));
}
