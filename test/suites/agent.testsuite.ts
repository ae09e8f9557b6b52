// The promises of an agent, run against every adapter.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMarker } from "../../src/core/marker.ts";
import { request, sessionFacts } from "../support/session-fixture.ts";
import type { Agent, AgentEvent } from "../../src/agents/agent.ts";
import { summariseEvents } from "../support/summarise-events.ts";

export interface AgentSample {
  readonly agent: Agent;
  /** The lines of a small session that went well. */
  readonly goodLines: readonly string[];
  /** One line in which the model says `text`. */
  saying(text: string): string;
  /** A program that prints what it likes: nothing but its exit tells how it ended. */
  readonly endsByExit?: boolean;
}

export function agentSuite(sample: AgentSample): void {
  const { agent, goodLines } = sample;
  const read = (lines: readonly string[]): readonly AgentEvent[] =>
    lines.flatMap((line) => agent.readLine(line));
  const good = summariseEvents(read(goodLines));

  describe(`${agent.name} keeps the agent contract`, () => {
    it("is started with the brief on stdin, never among its arguments", () => {
      const command = agent.buildCommand(request({ brief: "Do $(this) -- now" }));
      expect(command.stdin).toBe("Do $(this) -- now");
      expect([command.program, ...command.args].join("\n")).not.toContain("Do $(this)");
      expect(command.program).not.toBe("");
      expect(agent.buildCommand(request({ brief: "Do $(this) -- now" }))).toEqual(command);
    });

    it("knows whose work it does", () => {
      expect(agent.buildCommand(request()).env).toMatchObject({
        STINT_BRIEF: "/state/brief.md",
        STINT_PROJECT: "p-0123456789",
        STINT_SESSION: "7",
        STINT_TASK: "t2",
        STINT_TASK_NAME: "add-greeting",
        STINT_ATTEMPT: "3",
        STINT_MANIFEST: "/repo/prompt.md",
      });
    });

    it("finishes when its session went well", () => {
      expect(agent.outcome(sessionFacts({ events: good }))).toEqual({ kind: "finished" });
    });

    it("never finishes with an exit code that says otherwise", () => {
      expect(agent.outcome(sessionFacts({ events: good, exitCode: 3 }))).toMatchObject({
        kind: "crashed",
        exitCode: 3,
      });
    });

    it("is killed when a signal, or the run, ended it", () => {
      const bySignal = { events: good, exitCode: null, signal: "SIGKILL" };
      expect(agent.outcome(sessionFacts(bySignal)).kind).toBe("killed");
      expect(agent.outcome(sessionFacts({ events: good, endedBy: "stopped" })).kind).toBe("killed");
    });

    it("runs out of time, whatever it said before", () => {
      const late = { exitCode: null, signal: "SIGKILL", events: good } as const;
      expect(agent.outcome(sessionFacts({ ...late, endedBy: "total-timeout" }))).toEqual({
        kind: "timed-out",
      });
      expect(agent.outcome(sessionFacts({ ...late, endedBy: "idle-timeout" }))).toEqual({
        kind: "idle",
      });
    });

    it.each([
      [null, "spawn nowhere ENOENT"],
      [1, "bwrap: execvp nowhere: No such file or directory"],
      [127, "unshare: failed to execute nowhere: No such file or directory"],
    ])("says what to install when it could not be started (%s)", (exitCode, stderrTail) => {
      expect(agent.outcome(sessionFacts({ exitCode, stderrTail }))).toEqual({
        kind: "crashed",
        exitCode,
        reason: `it could not be started: ${stderrTail} (${agent.installHint})`,
      });
    });

    it("never finishes without a word of its end, whatever its exit code", () => {
      if (sample.endsByExit === true) return;
      const { kind } = agent.outcome(sessionFacts());
      expect(kind).toBe("crashed");
    });

    it("lets a question outlive every way to end but the run's own stop", () => {
      const marker = parseMarker(Buffer.from("question: Which port?"));
      const ends = ["itself", "grace", "total-timeout", "idle-timeout"] as const;
      for (const endedBy of ends) {
        for (const events of [good, summariseEvents([])]) {
          const facts = { events, marker, endedBy, exitCode: null, signal: "SIGKILL" };
          expect(agent.outcome(sessionFacts(facts)).kind).toBe("question");
        }
      }
      expect(agent.outcome(sessionFacts({ marker, endedBy: "stopped" })).kind).toBe("killed");
    });

    it("tells what each permission means, and another command wherever it means something else", () => {
      const { modes } = agent;
      expect(Object.values(modes).every((mode) => mode !== "")).toBe(true);
      if (agent.program === undefined) return;
      const commands = (["default", "read-only", "dangerous"] as const).map((permission) => {
        const { args, env } = agent.buildCommand(request({ permission }));
        return { meaning: modes[permission], command: JSON.stringify([args, env]) };
      });
      for (const { meaning, command } of commands) {
        const same = commands.filter((other) => other.command === command);
        expect(same).toEqual(commands.filter((other) => other.meaning === meaning));
      }
      const [usual, reading] = commands;
      expect(reading?.command).not.toBe(usual?.command);
    });

    it("leaves the person's home, keys and addresses alone", () => {
      for (const permission of ["default", "read-only", "dangerous"] as const) {
        const { env } = agent.buildCommand(request({ permission, isolated: true }));
        const touched = Object.keys(env).filter((name) => /HOME|KEY|TOKEN|URL|OFFLINE/.test(name));
        expect(touched).toEqual([]);
      }
    });

    it.each([
      ["S0-31 is blocked", "reason: no network", { kind: "blocked", reason: "no network" }],
      ["S0-31 is blocked by plain text", "No key.", { kind: "blocked", reason: "No key." }],
      ["asks", "question: Which port?", { kind: "question", questions: ["Which port?"] }],
      [
        "asks twice, in more words than a line holds",
        "question: Which port?\nquestion: Which host?\n  The old one is gone.\nreason: no DNS",
        {
          kind: "question",
          questions: ["Which port?", "Which host?\nno DNS\nThe old one is gone."],
        },
      ],
      [
        "needs approval",
        "approval_required: yes\nreason: drop it",
        { kind: "approval-needed", subject: "drop it" },
      ],
      [
        "needs approval, in more words than a line holds",
        "approval_required: drop the table\n  users, with all rows\nreason: it is in the way",
        {
          kind: "approval-needed",
          subject: "drop the table\nit is in the way\nusers, with all rows",
        },
      ],
    ] as const)("%s when its marker says so, with any exit code", (_, text, outcome) => {
      const marker = parseMarker(Buffer.from(text));
      for (const exitCode of [0, 1]) {
        expect(agent.outcome(sessionFacts({ events: good, marker, exitCode }))).toEqual(outcome);
      }
    });

    it.each(["", "remaining_steps: true", "remaining_steps: false\nreason: all done"])(
      "S0-29 S0-33 finishes with the marker %j",
      (text) => {
        const marker = parseMarker(Buffer.from(text));
        expect(agent.outcome(sessionFacts({ events: good, marker }))).toEqual({ kind: "finished" });
      },
    );

    it("does not take the model's words for facts", () => {
      const prose = [
        "You've hit your usage limit. try again at 9:02 AM",
        "429 rate limit, overloaded, context window, I am blocked, approval required",
        '{"type":"result","is_error":true}',
      ].map((text) => sample.saying(text));
      const events = summariseEvents(read([...prose, ...goodLines]));
      expect(agent.outcome(sessionFacts({ events }))).toEqual({ kind: "finished" });
    });

    it("reads any line without an exception", () => {
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => {
          expect(Array.isArray(agent.readLine(line))).toBe(true);
        }),
      );
    });

    it("reads every line cut at every place", () => {
      for (const line of [sample.saying("hello"), ...goodLines].map((one) => one.slice(0, 1500))) {
        for (let at = 0; at < line.length; at++) {
          expect(Array.isArray(agent.readLine(line.slice(0, at)))).toBe(true);
        }
      }
    });

    it("goes on after lines it does not know", () => {
      const strange = ["", "  ", "not json", "[]", "null", '{"type":"news"}', '{"type":7}', "{}"];
      const events = summariseEvents(read([...strange, ...goodLines]));
      expect(agent.outcome(sessionFacts({ events }))).toEqual({ kind: "finished" });
    });
  });
}
