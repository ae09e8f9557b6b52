import { describe, expect, it } from "vitest";
import { asked, denied, request, T1 } from "../../../test/support/events.ts";
import { after, running } from "../../../test/support/machine.ts";
import { StintError } from "../../core/stint-error.ts";
import { namedApproval, namedQuestion } from "./named-item.ts";

const state = after(running([T1]), request("release", "t1"), asked("Which port?"));

function told(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof StintError) return `${error.message} | ${error.hint}`;
  }
  return "found";
}

describe("what is named in an answer and is not there", () => {
  it.each([
    ["t1", "It is a task; a1 is asked about it: stint diff a1 p-"],
    ["q1", 'It is a question: stint answer q1 "your answer" p-'],
    ["a2", 'has no approval "a2" | Open are a1, q1'],
    ["a1 ", 'has no approval "a1 " | Open are a1, q1'],
    ["a1", "found"],
  ])("is told with what it is instead: approve %o", (name, expected) => {
    expect(told(() => namedApproval(state, name))).toContain(expected);
  });

  it("is told with what it is instead: answer a1", () => {
    expect(told(() => namedQuestion(state, "a1"))).toContain("It is an approval: stint diff a1 p-");
  });

  it("was settled earlier where the journal alone still has it", () => {
    let later = after(running([T1]));
    for (let n = 1; n <= 22; n += 1) later = after(later, request("proposal"), denied(n));
    expect(told(() => namedApproval(later, "a1"))).toContain(
      "a1 was settled earlier | See how: stint log",
    );
  });
});
