// What commits change, as one word each: the same for the same change at another place.
import type { Place } from "../repository/place.ts";

const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index"];

/** Of commits with one parent; one that changes nothing has none. */
export async function patchIds(
  { git }: Place,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const { bytes } = await git.run(
    ["diff-tree", "--stdin", "-r", "--root", "-p", "--binary", ...PLAIN],
    { input: `${commits.join("\n")}\n` },
  );
  const { stdout } = await git.run(["patch-id", "--stable"], { input: bytes });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split(" ").toReversed() as [string, string]));
}

/** Between two trees, apart from some paths; empty where nothing changed. */
export async function patchIdBetween(
  { git }: Place,
  before: string,
  after: string,
  except: readonly string[],
): Promise<string> {
  const specs = [":(top)", ...except.map((path) => `:(top,exclude,literal)${path}`)];
  const args = ["diff-tree", "-r", "-p", "--binary", ...PLAIN, before, after, "--", ...specs];
  const { bytes } = await git.run(args);
  const { stdout } = await git.run(["patch-id", "--stable"], { input: bytes });
  return stdout.split(" ")[0] ?? "";
}
