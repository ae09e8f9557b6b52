// Kept files that are read back: whole, damaged, missing.
import { describe, expect, it } from "vitest";
import { parseProjectId } from "../../core/ids.ts";
import {
  actIntent,
  branchMove,
  branchWishes,
  keptSpace,
  knownCommits,
  processRecord,
  runChoices,
} from "../../core/schema/run-records.ts";
import type { KeptSchema } from "../../core/json-line.ts";
import { noticeMemory } from "../../core/schema/notice.ts";
import { sessionEnd } from "../../core/schema/session-records.ts";
import { keptPath, type Store } from "../../store/store.ts";
import { required } from "../../../test/support/project-fixture.ts";
import { readKept } from "./kept-record.ts";

const ID = required(parseProjectId("p-0123456789"));
const PATH = keptPath("artifacts", "tasks", "t1.json");

/** Just what reading needs. */
function storeWith(text: string | undefined, copies: readonly string[]): Store {
  return {
    kept: () => (text === undefined ? undefined : Buffer.from(text)),
    keptPlace: () => "/state/kept/t1.json",
    keptCopies: () =>
      copies.map((copy, n) => ({ place: `/my shop/${n + 1}-t1.json`, bytes: Buffer.from(copy) })),
  } as unknown as Store;
}

function read<T>(
  text: string | undefined,
  schema: KeptSchema<T>,
  copies: readonly string[] = [],
): T | undefined {
  return readKept(
    { store: storeWith(text, copies), holder: { state: { project_id: ID } } },
    PATH,
    schema,
  );
}

describe("a kept file", () => {
  it("is undefined where nothing was kept", () => {
    expect(read(undefined, knownCommits)).toBeUndefined();
  });

  it.each([
    ["half of it", '["abc"', "it is not JSON"],
    ["of another kind", '{"abc": 1}', "it does not fit"],
    ["with a field of another kind", "[7]", 'its field "0" does not fit'],
  ])("that is damaged is refused with its place and what to do: %s", (_, text, why) => {
    expect(() => read(text, knownCommits, ["[", '["abc"]'])).toThrow(
      expect.objectContaining({
        code: "state-corrupt",
        message: `/state/kept/t1.json is damaged: ${why}`,
        hint: "An undamaged copy is at /my shop/2-t1.json. Look at it, put it back and continue: mv /state/kept/t1.json /state/kept/t1.json.damaged && cp '/my shop/2-t1.json' /state/kept/t1.json && stint resume p-0123456789",
      }),
    );
  });

  it("that is damaged and has no whole copy says so", () => {
    expect(() => read("[", knownCommits, ["{}"])).toThrow(
      expect.objectContaining({
        hint: "No undamaged copy is left. Repair it by hand, or give up the project: stint abandon p-0123456789",
      }),
    );
  });

  it("of an earlier Stint gets what it lacks", () => {
    expect(read('{"by": "ada"}', branchWishes)).toEqual({
      conflicts: "ask",
      removed: "ask",
      by: "ada",
      resolvedBy: null,
      left: null,
      told: null,
      taken: [],
    });
    const space = { kind: "own-copy", home: "/home", at: "/at" };
    expect(read(JSON.stringify(space), keptSpace)).toMatchObject(space);
  });

  it.each<readonly [string, string, KeptSchema<unknown>]>([
    ["a move that is over", "null", branchMove],
    ["what was chosen", '{"agent":"claude","called_from":"/x","fallback":[]}', runChoices],
    [
      "notices that wait",
      '{"seen":7,"waiting":[{"notice":{"id":"p-0123456789-7","kind":"done","project":"p-0123456789","slug":"x","revision":7,"at":"2026-01-01T00:00:00.000Z","title":"Done: x","text":"all","next":"stint verify"},"to":["webhook"]}]}',
      noticeMemory,
    ],
    ["an intent", '{"act":"make","revision":7,"first":3,"tried_again":0}', actIntent],
    [
      "a process",
      '{"run_id":"r-0123456789","pid":1,"process_start":"unknown","boot_id":"b","pid_namespace":"n","isolation":"group"}',
      processRecord,
    ],
    [
      "the end of a session",
      '{"session":1,"outcome":{"kind":"crashed","exitCode":null,"reason":"x"},"exit_code":null,"signal":"SIGKILL","marker":null,"stopped":null,"last_text":null,"left_behind":0,"manifest":"gone","ended_at":"2026-01-01T00:00:00.000Z","wall_ms":1.5,"tokens":null,"cost_usd":null}',
      sessionEnd,
    ],
  ])("is read as it was kept: %s", (_, text, schema) => {
    expect(read(text, schema)).toEqual(JSON.parse(text));
  });
});
