import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleState, required } from "../../test/support/project-fixture.ts";
import { sealed } from "../../test/support/file-bench.ts";
import { numberedTaskId, parseSlug } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import { type ProjectState, projectState } from "../core/schema/project.ts";
import { sha256Of } from "./digest.ts";
import { decodeState, StateEncoder } from "./state-codec.ts";

type Task = ProjectState["tasks"][number];

const AT = instantFromMs(0);
const base = sampleState(required(parseSlug("prompt")), AT, 3);
const words = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });

const tasks: fc.Arbitrary<Task> = fc
  .record({ n: fc.nat(1000), title: words, attempts: fc.nat(5), done: fc.boolean() })
  .map(({ n, title, attempts, done }): Task => {
    const intent = { id: numberedTaskId(n + 1), name: `n${n}`, title, attempts };
    return done
      ? { ...intent, status: "done", evidence: [{ kind: "person", who: title }], done_at: AT }
      : { ...intent, status: "pending" };
  });

const states: fc.Arbitrary<ProjectState> = fc
  .record({
    goal: words,
    next_action: words,
    revision: fc.nat(),
    note: fc.option(words),
    tasks: fc.array(tasks, { maxLength: 200, size: "max" }),
  })
  .map(({ note, ...rest }) => ({ ...base, ...rest, last_session_note: note }));

function reason(damaged: Buffer): string {
  const decoded = decodeState(damaged);
  return decoded.ok ? "whole" : decoded.reason;
}

describe("state.json", () => {
  it("S4-4 decodes to the state that was encoded, whatever its words", () => {
    fc.assert(
      fc.property(states, (state) => {
        const decoded = decodeState(sealed(state));
        expect(decoded).toEqual({ ok: true, state: JSON.parse(JSON.stringify(state)) });
      }),
    );
  });

  it("gives the same bytes again for a state that was read", () => {
    fc.assert(
      fc.property(states, (state) => {
        const bytes = sealed(state);
        const decoded = decodeState(bytes);
        expect(decoded.ok && sealed(decoded.state).equals(bytes)).toBe(true);
      }),
    );
  });

  it("S3-23 gives the bytes of a fresh encoder after any changes, insertions and removals", () => {
    const change = fc.record({
      kind: fc.constantFrom("replace", "insert", "remove", "swap", "truncate"),
      at: fc.nat(),
      task: tasks,
    });
    fc.assert(
      fc.property(
        fc.array(tasks, { minLength: 60, maxLength: 200, size: "max" }),
        fc.array(change, { minLength: 1, maxLength: 12 }),
        (first, changes) => {
          const encoder = new StateEncoder();
          let state: ProjectState = { ...base, tasks: first };
          encoder.encode(state);
          for (const { kind, at, task } of changes) {
            const next = [...state.tasks];
            const index = next.length === 0 ? 0 : at % next.length;
            if (kind === "replace") next[index] = task;
            else if (kind === "insert") next.splice(index, 0, task);
            else if (kind === "remove") next.splice(index, 1);
            else if (kind === "truncate") next.length = index;
            else next.push(...next.splice(0, index));
            state = { ...state, tasks: next };
            expect(encoder.encode(state).equals(sealed(state))).toBe(true);
          }
        },
      ),
    );
  });

  it("S3-9 any flipped bit is noticed", () => {
    const bytes = sealed(base);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(decodeState(changed).ok).toBe(false);
      }),
    );
  });

  it("any truncation is noticed", () => {
    const bytes = sealed(base);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (size) => {
        expect(decodeState(bytes.subarray(0, size)).ok).toBe(false);
      }),
    );
  });

  it("a seal over what is no JSON is damage, not a crash", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (content) => {
        const open = Buffer.from(content, "utf8");
        const seal = `,\n"integrity":"sha256-${sha256Of(open)}"}\n`;
        expect(decodeState(Buffer.concat([open, Buffer.from(seal)])).ok).toBe(false);
      }),
    );
  });

  it("says of each damage what it is", () => {
    const bytes = sealed(base);
    expect(reason(Buffer.from("{}"))).toBe("the file is too short to be a state");
    expect(reason(bytes.subarray(0, -1))).toBe(
      "the integrity field at its end is missing or damaged",
    );
    expect(reason(Buffer.concat([Buffer.from(" "), bytes]))).toBe(
      "its content does not match its integrity field",
    );
    expect(reason(sealed({ ...base, schema_version: 7 } as unknown as ProjectState))).toBe(
      "it has schema version 7; this Stint reads version 1",
    );
  });

  it("S4-5 holds every field that the methods ask for, the derived ones computed at each write", () => {
    const stored = JSON.parse(sealed(base).toString("utf8")) as Record<string, unknown>;
    expect(projectState.safeParse(stored).success).toBe(true);
    for (const field of [
      "goal",
      "success_criteria",
      "status",
      "round_status",
      "current_step",
      "completed_work",
      "next_action",
      "next_checkpoint",
      "blockers",
      "owner_agent",
      "dispatches",
    ]) {
      expect(stored).toHaveProperty(field);
    }
  });

  it("reads what an earlier version kept of a session's time on the manifest, and keeps it", () => {
    const window = { session: 1, task_id: "t1", digest: "0".repeat(64) };
    const state = { ...base, manifest: { ...base.manifest, window } };
    expect(decodeState(sealed(state))).toEqual({ ok: true, state });
    expect(projectState.safeParse(state).success).toBe(true);
  });

  it("ignores derived fields when it is read", () => {
    const lying = { ...base, round_status: "complete", completed_work: { total: 9 } };
    const bytes = sealed(lying);
    expect(JSON.parse(bytes.toString("utf8"))).toMatchObject({ round_status: "paused" });
    expect(decodeState(bytes)).toEqual({ ok: true, state: base });
  });
});
