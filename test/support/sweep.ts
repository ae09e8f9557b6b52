// Strikes a verb at many points, one scene for each, and judges the files that each strike left. Scenes are copies at the
// same path, so a strike finds the same ids and makes the same calls every time. Most calls only look: strikes that left
// the same files are judged once. Failures are told as they come, because a whole sweep takes long.
import { execFileSync } from "node:child_process";
import { type Dirent, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "../../src/store/digest.ts";
import { inParallel } from "./child.ts";
import { LANES } from "./kill-each.ts";
import type { RunScene } from "./run-scene.ts";

export interface Strike {
  readonly what: string;
  readonly hasStruck: boolean;
  /** What is wrong with how the verb ended. */
  readonly wrong: readonly string[];
}

export interface Sweep {
  readonly name: string;
  /** Which points, by number. */
  readonly points: readonly number[];
  readonly prepare: () => RunScene;
  readonly strike: (scene: RunScene, point: number) => Promise<Strike>;
  /** What is wrong afterwards, with `doctor --repair` in between or without. */
  readonly judge: (scene: RunScene, repairs: boolean) => Promise<readonly string[]>;
}

export interface Swept {
  readonly tried: number;
  readonly struck: number;
  /** How many different disks the strikes left. */
  readonly disks: number;
  readonly failures: readonly string[];
}

const TOLD_EVERY = 50;

export async function sweep({ name, points, prepare, strike, judge }: Sweep): Promise<Swept> {
  const scenes = Array.from({ length: LANES }, () => new SavedScene(prepare()));
  const disks = new Set<string>();
  const failures: string[] = [];
  let tried = 0;
  let struck = 0;
  await inParallel(points, LANES, async (point) => {
    const saved = scenes.pop();
    if (saved === undefined) throw new Error("every lane has its scene");
    const scene = saved.restored();
    const { what, hasStruck, wrong } = await strike(scene, point);
    tried += 1;
    if (hasStruck) struck += 1;
    const disk = diskOf(scene);
    const isNew = !disks.has(disk);
    disks.add(disk);
    const after = isNew ? await judge(scene, disks.size % 2 === 0) : [];
    if (wrong.length + after.length > 0) {
      failures.push(`point ${point}, ${what}: ${[...wrong, ...after].join("; ")}`);
      tell(`${name}: ${failures.at(-1)}`);
    }
    if (tried % TOLD_EVERY === 0) {
      tell(`${name}: ${tried} of ${points.length} tried, ${struck} struck, ${disks.size} disks`);
    }
    scenes.push(saved);
  });
  for (const saved of scenes) saved.remove();
  return { tried, struck, disks: disks.size, failures };
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A scene as it was when it was saved, as often as wanted. */
class SavedScene {
  readonly #scene: RunScene;
  readonly #copy: string;

  constructor(scene: RunScene) {
    this.#scene = scene;
    this.#copy = `${scene.base}.saved`;
    execFileSync("cp", ["-a", scene.base, this.#copy]);
  }

  restored(): RunScene {
    this.#scene.remove();
    execFileSync("cp", ["-a", this.#copy, this.#scene.base]);
    return this.#scene;
  }

  remove(): void {
    this.#scene.remove();
    execFileSync("rm", ["-rf", this.#copy]);
  }
}

/** The files of a scene, without what differs by chance: times, ids and digests. */
function diskOf(scene: RunScene): string {
  const files = readdirSync(scene.base, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, textOf(path, entry)]
      .map((text) => withoutChance(text.replaceAll(scene.base, "")))
      .join("\n");
  });
  return sha256Of(files.toSorted().join("\n"));
}

function textOf(path: string, entry: Dirent): string {
  if (entry.isSymbolicLink()) return readlinkSync(path);
  // What strace wrote; and an object of git is told by its name.
  if (!entry.isFile() || entry.name === "calls" || path.includes("/objects/")) return "";
  const bytes = readFileSync(path);
  // An index has the times of its files in it.
  return entry.name === "index" ? "x".repeat(bytes.length) : bytes.toString("latin1");
}

function withoutChance(text: string): string {
  return text
    .replaceAll(/objects\/[0-9a-f]{2}\b/g, "objects/<hex>")
    .replaceAll(/\b[a-z]-[0-9a-z]{10}\b/g, "<id>")
    .replaceAll(/[0-9a-f]{8,}(?:-[0-9a-f-]+)?/g, "<hex>")
    .replaceAll(/\d+/g, "#");
}
