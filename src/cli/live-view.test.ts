import { describe, expect, it } from "vitest";
import { FakeScreen } from "../../test/support/fake-screen.ts";
import { LiveView } from "./live-view.ts";

function open(width = 40, height = 24) {
  const screen = new FakeScreen(width, height);
  const state = { frame: ["one", "two"] as readonly string[] };
  const view = new LiveView(screen, () => state.frame);
  return { screen, state, view };
}

describe("the live view", () => {
  it("draws its frame again in place, below the lines that stay", () => {
    const { screen, state, view } = open();
    view.draw();
    expect(screen.lines).toEqual(["one", "two"]);
    view.line("a fact");
    expect(screen.lines).toEqual(["a fact", "one", "two"]);
    state.frame = ["a longer first line", "2", "three"];
    view.draw();
    expect(screen.lines).toEqual(["a fact", "a longer first line", "2", "three"]);
    state.frame = ["short"];
    view.draw();
    expect(screen.lines).toEqual(["a fact", "short"]);
    view.line("another");
    expect(screen.lines).toEqual(["a fact", "another", "short"]);
  });

  it("writes nothing when nothing changed, and every change at once", () => {
    const { screen, state, view } = open();
    view.draw();
    view.draw();
    expect(screen.writes).toHaveLength(1);
    state.frame = ["one", "2"];
    view.draw();
    expect(screen.writes).toHaveLength(2);
    for (const write of screen.writes) {
      expect(write.startsWith("\u001b[?2026h")).toBe(true);
      expect(write.endsWith("\u001b[?2026l")).toBe(true);
    }
  });

  it("is gone when it ends, and stays gone", () => {
    const { screen, view } = open();
    view.line("a fact");
    view.end();
    view.end();
    view.draw();
    expect(screen.lines).toEqual(["a fact"]);
    view.line("a last word");
    expect(screen.lines).toEqual(["a fact", "a last word"]);
  });

  it("changes nothing of the terminal that a killed process could leave behind", () => {
    const { screen, view } = open();
    view.draw();
    view.line("a fact");
    view.end();
    const all = screen.writes.join("");
    // oxlint-disable-next-line no-control-regex -- looking for control sequences is the purpose
    const used = new Set(all.match(/\u001b\[[?0-9]*[A-Za-z]/g));
    expect([...used].toSorted()).toEqual(
      ["[2A", "[?2026h", "[?2026l", "[J", "[K"].map((code) => `\u001b${code}`).toSorted(),
    );
  });

  it("never takes more rows than there are", () => {
    const { screen, state, view } = open(40, 3);
    state.frame = ["1", "2", "3", "4", "5"];
    view.draw();
    expect(screen.lines).toEqual(["1", "2"]);
  });

  it("finds its first line again after the terminal became narrower", () => {
    const { screen, state, view } = open(40);
    state.frame = ["x".repeat(30), "y"];
    view.draw();
    screen.resize(20);
    state.frame = ["short", "y"];
    view.draw();
    // 30 columns take two rows of 20: up by three, not by two.
    expect(screen.writes.at(-1)).toContain("\r\u001b[3A");
  });
});
