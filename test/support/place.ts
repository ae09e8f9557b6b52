// A work tree and a state folder of their own, with a manifest in it.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST_TEXT } from "./project-fixture.ts";

export interface Place {
  readonly base: string;
  readonly root: string;
  readonly stateHome: string;
}

export function newPlace(folder: string): Place {
  const base = mkdtempSync(join(folder, "place-"));
  const place = { base, root: join(base, "repo"), stateHome: join(base, "state", "stint") };
  mkdirSync(join(base, "state"));
  mkdirSync(join(place.root, ".git"), { recursive: true });
  writeFileSync(join(place.root, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(place.root, "prompt.md"), MANIFEST_TEXT);
  return place;
}
