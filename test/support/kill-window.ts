// Kills between two revisions of a run: before every call of the file system, looks included, and
// before every start of a process.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Kill, RunScene } from "./run-scene.ts";

const PRELOAD = new URL("kill-points.mjs", import.meta.url).href;

/** Revisions have the same numbers in every run of the story. */
export function between(scene: RunScene, from: number, to: number, at?: number): Kill {
  const link = (revision: number): string => `^linkSync .*/state/0*${revision}\\.json$`;
  const temporary = join(scene.base, "tmp");
  mkdirSync(temporary, { recursive: true });
  return {
    node: ["--import", PRELOAD],
    env: {
      // Temporary files count too, so they lie where they are seen.
      TMPDIR: temporary,
      KILL_UNDER: scene.base,
      KILL_WIDE: "1",
      KILL_FROM: link(from),
      KILL_TO: link(to),
      KILL_COUNT: join(scene.base, "count"),
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

export function revisionOf(scene: RunScene, kind: string): number {
  const entry = scene.store.journal(scene.state().project_id).find((each) => each.kind === kind);
  if (entry === undefined) throw new Error(`nothing in the journal is ${kind}`);
  return entry.revision;
}

/**
 * So many of them, from the first to the last. With STINT_ALL_KILL_POINTS set, all; with STINT_KILL_POINTS, those that it
 * names, such as 3,40-60: to try again what failed.
 */
export function evenly(count: number, most: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  const named = process.env["STINT_KILL_POINTS"]?.split(",").map((range) => range.split("-"));
  if (named !== undefined) {
    return all.filter((index) =>
      named.some(([from, to = from]) => Number(from) <= index && index <= Number(to)),
    );
  }
  if (process.env["STINT_ALL_KILL_POINTS"] !== undefined || count <= most) return all;
  return all.filter(
    (index) => Math.floor((index * most) / count) !== Math.floor(((index - 1) * most) / count),
  );
}

/** After which effects of an engine in memory it crashes: an even sample, or with STINT_ALL_KILL_POINTS every one. */
export function crashPoints(effects: number): number[] {
  return evenly(effects, 8).map((index) => index + 1);
}
