// The loop that makes the steps of an act durable.
import { EPOCH, required, sampleState } from "../../../test/support/project-fixture.ts";
import { describe, expect, it } from "vitest";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import { parseSlug } from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { RefusedEvent, saveEach, type Steps, withoutSteps } from "./persist.ts";
import type { RunContext } from "./run-context.ts";

const at = instantFromMs(EPOCH);
const ASKED: EventOf<"question-asked"> = {
  kind: "question-asked",
  at,
  by: "stint",
  question: { text: "why?" },
};
/** Nothing is being validated. */
const REFUSED: ProjectEvent = { kind: "wait-began", at, by: "stint" };

/** A holder that counts what it was given, in one list with what the act did. */
function watched(): { context: RunContext; happened: string[] } {
  const happened: string[] = [];
  let state: ProjectState = sampleState(required(parseSlug("s")), at);
  const holder = {
    get state() {
      return state;
    },
    commit(next: ProjectState, { kind }: { kind: string }) {
      state = { ...next, revision: state.revision + 1 };
      happened.push(`durable ${kind}`);
      return state;
    },
    note({ kind }: { kind: string }) {
      happened.push(`noted ${kind}`);
    },
  };
  const context = { holder, tell: ({ kind }: { kind: string }) => happened.push(`told ${kind}`) };
  return { context: context as unknown as RunContext, happened };
}

describe("the steps of an act", () => {
  it("are durable and told, each before the act goes on", async () => {
    const { context, happened } = watched();
    async function* act(): Steps<string> {
      yield { event: ASKED };
      happened.push(`found ${context.holder.state.questions.length}`);
      yield { event: { ...ASKED, question: { text: "how?" } } };
      return "over";
    }
    expect(await saveEach(context, act())).toEqual({ value: "over", saved: 2 });
    expect(happened).toEqual([
      "durable question-asked",
      "told persisted",
      "found 1",
      "durable question-asked",
      "told persisted",
    ]);
  });

  it("end with what the act has begun where one is refused, and nothing after it happens", async () => {
    const { context, happened } = watched();
    async function* act(): Steps {
      try {
        yield { event: REFUSED };
        happened.push("went on");
      } finally {
        happened.push("ended what it had begun");
      }
    }
    await expect(saveEach(context, act())).rejects.toThrow(RefusedEvent);
    expect(happened).toEqual(["noted refused", "ended what it had begun"]);
  });

  it("are not lost where nobody is there to persist them", async () => {
    async function* act(): Steps {
      yield { event: ASKED };
    }
    await expect(withoutSteps(act())).rejects.toThrow("nobody is here to persist question-asked");
  });
});
