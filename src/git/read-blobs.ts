// Texts of files in a tree, many with one git process.
import { runGit } from "./run-git.ts";

/** Larger ones are no script that judges anything, and would fill the memory. */
const LARGEST_BYTES = 1024 * 1024;

/** The files of a tree that are there, by path; large ones and names with a line end are left out. */
export async function readBlobs(
  root: string,
  tree: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const asked = paths.filter((path) => !path.includes("\n"));
  const sizes = await sizesOf(root, tree, asked);
  const wanted = asked.filter((_, at) => (sizes[at] ?? Infinity) <= LARGEST_BYTES);
  const texts = new Map<string, string>();
  if (wanted.length === 0) return texts;
  const input = wanted.map((path) => `${tree}:${path}\n`).join("");
  const { bytes } = await runGit(root, ["cat-file", "--batch=%(objectsize)", "--buffer"], {
    input,
  });
  let at = 0;
  for (const path of wanted) {
    const end = bytes.indexOf(0x0a, at);
    const size = Number(bytes.toString("latin1", at, end));
    texts.set(path, bytes.toString("utf8", end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return texts;
}

/** Undefined for what is not there or no file. */
async function sizesOf(
  root: string,
  tree: string,
  paths: readonly string[],
): Promise<(number | undefined)[]> {
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${tree}:${path}\n`).join("");
  const format = "--batch-check=%(objecttype) %(objectsize)";
  const { stdout } = await runGit(root, ["cat-file", format, "--buffer"], { input });
  return stdout.split("\n").map((line) => {
    const size = /^blob (\d+)$/.exec(line)?.[1];
    return size === undefined ? undefined : Number(size);
  });
}
