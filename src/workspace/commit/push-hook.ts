// The person's pre-push hook, run as it is in their checkout, where sessions run: what it runs, its own text too, may be
// work of a session. Git pushes without it then. The one thing that it cannot do there, to send large files to their
// store, is left to whoever pushes.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lay } from "../tree/lay.ts";
import { writeSessionGit } from "../tree/session-git.ts";
import type { WithGit } from "../base/place.ts";
import type { HookAnswer, HookedPush } from "../../git/push.ts";
import { hooksFolder, isProgram, lastWords, putHooks } from "./commit-hooks.ts";
import { readTip } from "./tip.ts";

const NAME = "pre-push";

export function hasPushHook(place: WithGit): boolean {
  return isProgram(join(hooksFolder(place), NAME));
}

/** In a workspace with a folder of its own the files become those of the tip. */
export async function runPushHook(place: WithGit, push: HookedPush): Promise<HookAnswer> {
  if (!hasPushHook(place)) return { kind: "passed", sendsLargeFiles: false };
  const folder = hooksFolder(place);
  const { remote, url, commit, ref, there } = push;
  const { exitCode, output } = await place.options.runInside({
    program: "/bin/sh",
    // Its path is one of the view.
    args: ["-c", 'exec "$0" "$@"', join(await foundInside(place, folder), NAME), remote, url],
    cwd: place.at,
    env: { GIT_LFS_SKIP_PUSH: "1" },
    stdin: `${commit} ${commit} ${ref} ${there ?? "0".repeat(commit.length)}\n`,
  });
  if (exitCode !== 0) return { kind: "refused", said: lastWords(output) };
  return { kind: "passed", sendsLargeFiles: sendsLargeFiles(folder) };
}

/** Where whoever runs inside finds the hooks. */
async function foundInside(place: WithGit, folder: string): Promise<string> {
  if (place.options.kind === "in-place") return folder;
  place.tip ??= await readTip(place);
  await lay(place, place.tip.tree);
  const branch = `stint/${place.options.slug}`;
  return putHooks(await writeSessionGit(place, { branch, canPush: false }), place.person, folder);
}

/** Tools that keep their runner in a folder `_` keep the hooks themselves beside it. */
function sendsLargeFiles(folder: string): boolean {
  const folders = basename(folder) === "_" ? [folder, dirname(folder)] : [folder];
  return folders.some((each) => /\bgit[ -]lfs\s+pre-push\b/.test(textOf(join(each, NAME))));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
