// What to tell whoever took the manifest away, or put something else in its place: what is there now,
// and the command that brings the last known text back without touching that.
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";

/** `kept` is where the last known text lies. */
export function manifestGone(
  root: string,
  manifest: string,
  kept: string,
  how?: "emptied",
): StintError {
  const path = join(root, manifest);
  const facts = lstatSync(path, { throwIfNoEntry: false });
  const back = `cp ${shellWord(kept)} ${shellWord(path)}`;
  if (facts === undefined || how === "emptied") {
    const what = how === "emptied" ? "empty" : "gone";
    return refused(
      `the manifest ${manifest} is ${what}`,
      `Bring its last known text back: ${back}`,
    );
  }
  if (facts.isFile()) {
    return refused(
      `the manifest ${manifest} cannot be read`,
      `See who may (ls -l ${shellWord(path)}); where it is yours: chmod u+r ${shellWord(path)}`,
    );
  }
  const what = facts.isSymbolicLink()
    ? `a link to ${readlinkSync(path)}, which is not followed`
    : facts.isDirectory()
      ? "a folder"
      : "no file";
  return refused(
    `the manifest ${manifest} is gone: what is in its place is ${what}`,
    `Bring its last known text back: mv ${shellWord(path)} ${shellWord(aside(path))} && ${back}`,
  );
}

function aside(path: string): string {
  let free = `${path}.aside`;
  for (let n = 2; existsSync(free); n += 1) free = `${path}.aside-${n}`;
  return free;
}

function refused(message: string, hint: string): StintError {
  return new StintError("bad-input", message, hint);
}
