// A project with its journal, lived by the real rules: events in, state and lines out.
import type { ProjectEvent } from "../../src/core/events.ts";
import { PERSISTENCE_VERIFIED } from "../../src/core/history.ts";
import type { RunId } from "../../src/core/ids.ts";
import type { JournalEntry, ProjectState } from "../../src/core/schema/project.ts";
import type { VerifyView } from "../../src/core/schema/views.ts";
import { step } from "../../src/core/step/step.ts";
import { BY_STINT, draft, intent, minute, must } from "./machine.ts";
import { ended, passed, planApproved, started, workStarted } from "./events.ts";

export class LivedProject {
  state: ProjectState;
  readonly lines: JournalEntry[] = [];

  constructor(first: ProjectState) {
    this.state = first;
    this.note("project-created");
  }

  live(...events: readonly ProjectEvent[]): this {
    for (const event of events) {
      const result = step(this.state, event);
      if (!result.ok) throw new Error(result.reason);
      const { kind, at: _at, by: _by, ...data } = event;
      this.state = result.state;
      this.#append(kind, "event", data);
    }
    return this;
  }

  note(kind: string, data: Record<string, unknown> = {}): this {
    this.#append(kind, "fact", data);
    return this;
  }

  get revision(): number {
    return this.lines.length;
  }

  #append(kind: string, type: "event" | "fact", data: Record<string, unknown>): void {
    const revision = this.lines.length + 1;
    const entry = { revision, offset: 0, at: minute(1), type, kind, by: "stint" } as const;
    this.lines.push({ ...entry, summary: kind, data, crc: "00000000" });
    this.state = { ...this.state, revision };
  }
}

export const RUNS = ["r-aaaaaaaaaa" as RunId, "r-bbbbbbbbbb" as RunId];

/** A task done by one session of one run. */
export function workOf(run: number, id: string, session: number): ProjectEvent[] {
  const begin = { ...started(id, session), run_id: must(RUNS[run]) } as ProjectEvent;
  return [begin, ended(id, session), passed(id, 1)];
}

const asked: ProjectEvent = {
  kind: "paused",
  ...BY_STINT,
  pause: { kind: "requested", reason: "1 session was asked for (--sessions 1)" },
};

/** The migration after its first session. */
export function migrationAfterOne(): LivedProject {
  const tasks = ["database-migration", "application-migration", "data-validation"];
  const first = draft(tasks.map((name, index) => intent(`t${index + 1}`, { name })));
  return new LivedProject(first).live(planApproved(), workStarted, ...workOf(0, "t1", 1), asked);
}

/** The migration after both; `since` is what the second session found. */
export function migrationAfterTwo(): { project: LivedProject; since: number } {
  const project = migrationAfterOne();
  const since = project.revision;
  project
    .note(PERSISTENCE_VERIFIED)
    .live(
      { kind: "resumed", ...BY_STINT, fence: 2 },
      ...workOf(1, "t2", 2),
      ...workOf(1, "t3", 3),
      { kind: "completed", ...BY_STINT, resolution_log_updated: true },
    );
  return { project, since };
}

export function verdict(holds: boolean, ...problems: string[]): VerifyView {
  return {
    question: "Proper cross-session persistence?",
    project_id: draft([intent("t1")]).project_id,
    revision: 9,
    runs: 2,
    sessions: 3,
    criteria: [
      {
        id: "status-preservation",
        name: "Status preservation",
        passed: holds,
        found: "3 of 3 tasks done",
        problems,
      },
    ],
    passed: holds,
    proof: null,
    later: null,
    edit: null,
    tasks: [],
  };
}
