// What a scenario is, and what it found out.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { SessionEnd } from "../../src/core/schema/session-records.ts";
import type { Ended, Scene } from "./scene.ts";

export interface Scenario {
  readonly name: string;
  play(scene: Scene, findings: Findings): Promise<void>;
}

export class Findings {
  /** Empty when all is well. */
  readonly wrong: string[] = [];
  tokens: number | null = null;
  costUsd: number | null = null;

  expect(isTrue: boolean, otherwise: string): void {
    if (!isTrue) this.wrong.push(otherwise);
  }

  exits(ended: Ended, code: number, what: string): void {
    const tail = `${ended.out}${ended.err}`.trim().split("\n").slice(-3).join(" | ");
    this.expect(ended.code === code, `${what} ended with ${ended.code}, not ${code}: ${tail}`);
  }
}

/** What the scenarios read of `stint status --json`. */
export interface Status {
  readonly status: string;
  readonly project: { readonly folder: string };
  readonly pause: { readonly kind: string; readonly resume_at?: string } | null;
  readonly blockers: readonly { readonly kind: string }[];
  readonly budget: {
    readonly sessions: { readonly used: number };
    readonly tokens: { readonly used: number | null };
    readonly cost_usd: { readonly used: number | null };
  };
}

export async function statusOf(scene: Scene): Promise<Status> {
  const { out, err } = await scene.stint("status", "--all", "--json");
  try {
    return JSON.parse(out) as Status;
  } catch {
    throw new Error(`stint status printed no JSON: ${out}${err}`);
  }
}

export function lastSession(scene: Scene, { project }: Status): number {
  const folder = join(scene.root, project.folder, "logs", "sessions");
  return Math.max(...readdirSync(folder).map(Number));
}

export function sessionEnd(scene: Scene, { project }: Status, session: number): SessionEnd | null {
  const file = join(project.folder, "logs", "sessions", String(session), "result.json");
  try {
    return JSON.parse(readFileSync(join(scene.root, file), "utf8")) as SessionEnd;
  } catch {
    return null;
  }
}

/** Attempts of all tasks that were not given back. */
export function attemptsSpent(scene: Scene, { project }: Status): number {
  const text = readFileSync(join(scene.root, project.folder, "state.json"), "utf8");
  const { tasks } = JSON.parse(text) as Pick<ProjectState, "tasks">;
  return tasks.reduce((sum, task) => sum + task.attempts - (task.extra_attempts ?? 0), 0);
}
