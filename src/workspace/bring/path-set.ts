// Paths as git lists them: relative, parted by slashes; a folder ends in one and stands for all below it.

export class PathSet {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      if (path.endsWith("/")) this.#folders.add(path.slice(0, -1));
      else this.#files.add(path);
    }
  }

  /** Whether a path is in it, by itself or below one of its folders. */
  covers(path: string): boolean {
    const bare = bareOf(path);
    if (this.#folders.has(bare) || (this.#files.has(bare) && bare === path)) return true;
    for (let end = bare.lastIndexOf("/"); end > 0; end = bare.lastIndexOf("/", end - 1)) {
      if (this.#folders.has(bare.slice(0, end))) return true;
    }
    return false;
  }
}

/** What both lists hold, each path once and as deep as the deeper list names it. */
export function inBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  const inOther = new PathSet(other);
  const inOne = new PathSet(one);
  return outermost([
    ...one.filter((path) => inOther.covers(path)),
    ...other.filter((path) => inOne.covers(path)),
  ]);
}

/** Without paths that lie below another one of them. Sorted. */
export function outermost(paths: readonly string[]): readonly string[] {
  const folders = new PathSet(paths.filter((path) => path.endsWith("/")));
  return [...new Set(paths)]
    .filter((path) => {
      const parent = bareOf(path).lastIndexOf("/");
      return parent < 0 || !folders.covers(path.slice(0, parent + 1));
    })
    .toSorted();
}

export function bareOf(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
