// What real agents printed, and what each end means: a stream in, an outcome out.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RECORDED, SITUATIONS } from "../../test/fixtures/agent-streams/expected.ts";
import {
  capturedCases,
  capturedEvents,
  capturedFacts,
  capturedLines,
} from "../../test/support/agent-streams.ts";
import { sessionFacts } from "../../test/support/session-fixture.ts";
import type { Agent, AgentEvent, FailureCause } from "./agent.ts";
import { CODING_AGENTS } from "./agents.ts";
import { withEvent } from "./event-summary.ts";
import { summariseEvents } from "../../test/support/summarise-events.ts";

describe.each(CODING_AGENTS.map((agent) => [agent.name, agent] as const))(
  "the captured sessions of %s",
  (name, agent) => {
    const expected = RECORDED[name]?.sessions ?? {};
    const good = RECORDED[name]?.goodSession ?? name;

    it.each(Object.entries(expected))("%s", (stream, { outcome, usage, ending }) => {
      const facts = capturedFacts(agent, stream, ending);
      expect(agent.outcome(facts)).toMatchObject(outcome);
      expect(rounded(facts.events.usage)).toEqual(rounded(usage));
      expect(facts.events.unreadable).toBe(stream === "output-format-json" ? 1 : 0);
    });

    it("are all judged, and described", () => {
      expect(Object.keys(expected).toSorted()).toEqual(capturedCases(name).toSorted());
      expect(Object.keys(SITUATIONS)).toEqual(expect.arrayContaining(Object.keys(expected)));
    });

    it("leave an end that is missing for a crash, wherever the stream was cut", () => {
      const lines = capturedLines(good, "tool-use");
      for (let end = 0; end < lines.length - 1; end++) {
        const events = lines.slice(0, end).flatMap((line) => agent.readLine(line));
        const { kind } = agent.outcome(sessionFacts({ events: summariseEvents(events) }));
        expect(kind).toBe("crashed");
      }
    });

    it("end well although an error was reported on the way, where work followed it", () => {
      const facts = sessionFacts();
      const lines = capturedLines(good, "tool-use").flatMap((line) => agent.readLine(line));
      const error = { kind: "error", cause: "overloaded", message: "lost" } as const;
      const before = summariseEvents([error, ...lines]);
      expect(agent.outcome({ ...facts, events: before })).toEqual({ kind: "finished" });
      const after = summariseEvents([...lines.filter(({ kind }) => kind !== "result"), error]);
      const cut = { ...facts, events: after, exitCode: 1 };
      expect(agent.outcome(cut)).toEqual({ kind: "overloaded", reason: "lost" });
    });

    it("are overloaded where they did nothing but retry, unless they say what for", () => {
      const retrying = { kind: "retrying", attempt: 2, cause: null, message: "no route" } as const;
      const ended = { endedBy: "retry-limit", exitCode: null, signal: "SIGTERM" } as const;
      const outcome = (cause: FailureCause | null) =>
        agent.outcome(
          sessionFacts({ ...ended, events: summariseEvents([{ ...retrying, cause }]) }),
        );
      expect(outcome(null)).toEqual({
        kind: "overloaded",
        reason: "it did nothing but try again (1 time): no route",
      });
      expect(outcome("rate-limit")).toEqual({ kind: "rate-limited", reason: "no route" });
    });

    it("end by what was known before, when a deadline or a signal ends them", () => {
      for (const stream of capturedCases(name)) {
        const facts = capturedFacts(agent, stream);
        for (const endedBy of ["itself", "stopped"] as const) {
          const cut = { ...facts.events, result: null, step: null, lastError: null, denied: null };
          const killed = { ...facts, events: cut, exitCode: null, signal: "SIGKILL", endedBy };
          expect(agent.outcome(killed).kind).toBe("killed");
        }
      }
    });

    it("are read without harm when any value in them is another", () => {
      const lines = capturedCases(name).flatMap((stream) => capturedLines(name, stream));
      fc.assert(
        fc.property(
          fc.constantFrom(...lines),
          fc.infiniteStream(fc.nat()),
          odd(),
          (line, at, value) => {
            expect(unsoundIn(agent, JSON.stringify(mutated(JSON.parse(line), at, value)))).toEqual(
              [],
            );
          },
        ),
        { numRuns: 2000 },
      );
    });

    it("are read without harm when a line is cut or a character flipped", () => {
      const lines = capturedCases(name).flatMap((stream) => capturedLines(name, stream));
      const character = fc.string({ unit: "binary", minLength: 0, maxLength: 1 });
      fc.assert(
        fc.property(fc.constantFrom(...lines), fc.nat(), character, (line, where, other) => {
          const at = where % line.length;
          expect(unsoundIn(agent, line.slice(0, at))).toEqual([]);
          const flipped = line.slice(0, at) + other + line.slice(at + 1);
          expect(unsoundIn(agent, flipped)).toEqual([]);
        }),
        { numRuns: 1000 },
      );
    });
  },
);

describe("what a session used", () => {
  const [claude] = CODING_AGENTS as readonly [Agent];

  it("is known by its messages until a total replaces them", () => {
    const message = (id: string, output: number) =>
      ({ kind: "usage", message: id, input: 10, output, cached: 0, costUsd: null }) as const;
    const parts = [message("a", 1), message("a", 4), message("b", 2)];
    expect(summariseEvents(parts).usage).toMatchObject({ input: 20, output: 6 });
    const total = { kind: "usage", input: 21, output: 9, cached: 0, costUsd: 0.5 } as const;
    const later = summariseEvents([...parts, total, message("c", 3)]);
    expect(later.usage).toEqual({ input: 31, output: 12, cached: 0, costUsd: 0.5 });
    expect(withEvent(later, total).usage).toEqual({ input: 42, output: 18, cached: 0, costUsd: 1 });
  });

  it("counts tools, retries and unreadable lines", () => {
    expect(capturedEvents(claude, "tool-use")).toMatchObject({ toolCalls: 2, unreadable: 0 });
    expect(capturedEvents(claude, "auth").retries).toBe(10);
    expect(capturedEvents(claude, "output-format-json").unreadable).toBe(1);
  });
});

describe("what an agent said", () => {
  it("is put together where it comes in pieces", () => {
    const gemini = CODING_AGENTS.find(({ name }) => name === "gemini") as Agent;
    expect(capturedEvents(gemini, "tool-use").lastText).toBe(
      "DONE: wrote hello.txt and committed it.",
    );
  });
});

describe("what is said on stderr alone", () => {
  const heard = (name: string, line: string) =>
    CODING_AGENTS.find((one) => one.name === name)?.readErrorLine?.(line);
  const failed = (size: string, error: string): string =>
    `timestamp=2026-11-16T21:47:05.281Z level=ERROR run=7d message="stream error" providerID=p ${size} agent=build error.error=${JSON.stringify(error)}`;

  it("opencode: a request failed, why, and when it may be asked again", () => {
    const wait = "AI_APICallError: Rate limit reached for requests. Please try again in 1800s.";
    expect(heard("opencode", failed("small=false", wait))).toEqual([
      { kind: "limit", resetAt: "2026-11-16T22:17:05.281Z" },
      {
        kind: "retrying",
        attempt: null,
        cause: "rate-limit",
        message: "Rate limit reached for requests. Please try again in 1800s.",
      },
    ]);
    const gone = 'AI_APICallError: Cannot connect to API: "x" (cause: Error: no)';
    expect(heard("opencode", failed("small=false", gone))).toEqual([
      {
        kind: "retrying",
        attempt: null,
        cause: "overloaded",
        message: 'Cannot connect to API: "x"',
      },
    ]);
  });

  it("opencode: the beginning of a very long answer is enough", () => {
    const page = `AI_APICallError: Cannot connect to API: ${"x".repeat(100_000)}`;
    const [retry] = heard("opencode", failed("small=false", page)) ?? [];
    expect(retry).toMatchObject({ kind: "retrying", cause: "overloaded" });
    expect(JSON.stringify(retry).length).toBeLessThan(5000);
  });

  it("opencode: a title that failed, and any other warning, is none of it", () => {
    expect(heard("opencode", failed("small=true", "AI_APICallError: no"))).toEqual([]);
    const warning = 'timestamp=2026-11-16T21:48:08.194Z level=WARN message="install failed"';
    expect(heard("opencode", warning)).toEqual([]);
  });

  it("gemini: which attempt failed, and why", () => {
    const lines = [
      "Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {}",
      "Attempt 3 failed. Retrying with backoff... Error: exception TypeError: fetch failed sending request",
      "Attempt 2 failed: Resource has been exhausted. Please retry in 1s.",
    ];
    expect(lines.flatMap((line) => heard("gemini", line) ?? [])).toMatchObject([
      { kind: "retrying", attempt: 1, cause: "overloaded" },
      { kind: "retrying", attempt: 3, cause: "overloaded" },
      { kind: "retrying", attempt: 2, cause: "rate-limit" },
    ]);
    expect(heard("gemini", "Warning: Attempt 1 failed")).toEqual([]);
  });
});

describe("a refused command", () => {
  it("S3-19 is named, though the session itself went well", () => {
    const [claude] = CODING_AGENTS as readonly [Agent];
    const denials = [{ tool_name: "Bash", tool_input: { command: "curl x | sh" } }];
    const line = JSON.stringify({ type: "result", is_error: false, permission_denials: denials });
    const events = summariseEvents(claude.readLine(line));
    expect(claude.outcome(sessionFacts({ events }))).toEqual({
      kind: "denied",
      command: "curl x | sh",
    });
  });
});

/** What is wrong with what comes of a line: absurd numbers, or a success by a failing exit code. */
function unsoundIn(agent: Agent, line: string): readonly unknown[] {
  const events = [...agent.readLine(line), ...(agent.readErrorLine?.(line) ?? [])];
  const summary = summariseEvents(events);
  const { usage } = summary;
  const all = usage === null ? events : [...events, { kind: "usage", ...usage } as const];
  const outcome = agent.outcome(sessionFacts({ events: summary, exitCode: 1 }));
  return [
    ...all.filter((event) => !isSound(event)),
    ...(outcome.kind === "finished" ? [line] : []),
  ];
}

function isSound(event: AgentEvent): boolean {
  if (event.kind === "limit" && event.resetAt !== null) {
    const year = new Date(event.resetAt).getUTCFullYear();
    return year >= 2020 && year <= 2100;
  }
  if (event.kind !== "usage") return true;
  const { input, output, cached, costUsd } = event;
  const areCounts = [input, output, cached].every(
    (count) => Number.isInteger(count) && count >= 0 && count < 1e12,
  );
  return areCounts && (costUsd === null || (costUsd >= 0 && costUsd < 1e7));
}

function odd(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom(null, true, false, -1, 1.5, 1e300, -1e300, 2 ** 53, "", "x", "NaN", [], {}),
    fc.constantFrom("429", "1e999", "__proto__", [null], [[]], { error: null }, { length: 3 }),
    fc.integer(),
    fc.double(),
    fc.string(),
  );
}

/** A copy in which one value, chosen by the numbers on the way down, is another or gone. */
function mutated(value: unknown, at: Iterator<number>, other: unknown): unknown {
  const turn = Number(at.next().value);
  if (typeof value !== "object" || value === null || turn % 5 === 0) return other;
  const keys = Object.keys(value);
  const key = keys[turn % keys.length];
  if (key === undefined) return other;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? mutated(item, at, other) : item));
  }
  const entries = Object.entries(value).filter(([name]) => name !== key || turn % 7 !== 0);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === key ? mutated(item, at, other) : item]),
  );
}

function rounded<Value extends { readonly costUsd: number | null } | null>(usage: Value): Value {
  if (usage === null || usage.costUsd === null) return usage;
  return { ...usage, costUsd: Math.round(usage.costUsd * 1e6) / 1e6 };
}
