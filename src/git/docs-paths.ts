// Which paths are words about the work rather than the work.

const EXTENSIONS = /\.(?:md|mdx|markdown|txt|rst|adoc|asciidoc|org)$/i;
const FOLDERS = /(?:^|\/)docs?\//i;
const NAMES =
  /(?:^|\/)(?:readme|changelog|changes|contributing|authors|notes|todo|license|licence|copying|history)$/i;
/** Text files that programs read. */
const CODE = /(?:^|\/)(?:cmakelists|requirements[^/]*|constraints[^/]*|robots)\.txt$/i;

export function isDocs(path: string): boolean {
  if (CODE.test(path)) return false;
  return EXTENSIONS.test(path) || FOLDERS.test(path) || NAMES.test(path);
}
