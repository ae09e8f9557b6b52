// Unfinished work as commits in Stint's own repository: nothing of it reaches the person's.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parkRef } from "../../git/refs.ts";
import { StintError } from "../../core/stint-error.ts";
import { factsOf } from "../disk/remove-tree.ts";
import type { Place } from "../repository/place.ts";
import type { KeptName, KeptWork } from "../workspace.ts";
import { writeObject } from "../tree/write-object.ts";

/**
 * A name for work whose tree is durable and whose id the project's own records hold: so neither the commit nor
 * its ref is waited for. Nobody else writes there, so both are written as files.
 */
export function keepWork(
  { git, options }: Place,
  { task, attempt }: KeptName,
  tree: string,
  base: string,
): KeptWork {
  const ref = parkRef(options.project, task, attempt);
  const who = `Stint <stint@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
  const title = `Unfinished work of ${task}, attempt ${attempt}`;
  const content = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${title}\n\nStint-Base: ${base}\n`;
  const object = { kind: "commit", content: Buffer.from(content) } as const;
  const commit = writeObject(git.gitDir, object, tree.length, "unflushed");
  const path = join(git.gitDir, ref);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.tmp`, `${commit}\n`);
  renameSync(`${path}.tmp`, path);
  return { tree, base, ref };
}

export async function readKept(place: Place, name: KeptName): Promise<KeptWork | null> {
  const ref = parkRef(place.options.project, name.task, name.attempt);
  const format = "%(tree)%00%(contents)";
  const { stdout } = await place.git.run(["for-each-ref", `--format=${format}`, ref], {
    isStrict: true,
  });
  const [tree = "", contents = ""] = stdout.split("\0");
  const base = /^Stint-Base: ([0-9a-f]+)$/m.exec(contents)?.[1];
  if (tree !== "" && base !== undefined) return { tree, base, ref };
  if (factsOf(join(place.git.gitDir, ref)) === null) return null;
  throw new StintError(
    "git-failed",
    `${ref} is in ${place.git.gitDir}, but git does not show it`,
    `Look at it: git --git-dir=${place.git.gitDir} fsck`,
  );
}
