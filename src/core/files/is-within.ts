// Whether a path is a folder or lies below it. Both are plain paths with forward slashes, both absolute
// or both relative to the same root; nothing is looked up.

export function isWithin(path: string, folder: string): boolean {
  const plain = folder.replace(/\/+$/, "");
  return path === plain || path.startsWith(`${plain}/`);
}
