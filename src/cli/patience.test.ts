import { expect, it } from "vitest";
import { type Later, withPatience } from "./patience.ts";
import type { Terminal } from "./terminal.ts";

function heard(errorWidth: number | undefined): { said: string[]; terminal: Terminal } {
  const said: string[] = [];
  const terminal = { err: (text: string) => said.push(text), errorWidth } as unknown as Terminal;
  return { said, terminal };
}

/** A clock that strikes before the verb is done, and tells whether it was stopped. */
function striking(): { later: Later; stopped: () => number } {
  let stops = 0;
  const later: Later = (_, act) => {
    act();
    return () => (stops += 1);
  };
  return { later, stopped: () => stops };
}

const done = (): Promise<number> => Promise.resolve(0);

it("says of a verb that takes long that it is still working, and only to a person", async () => {
  const cases = [
    ["status", 80, ["stint status is still working; Ctrl-C ends it"]],
    ["verify", 80, ["stint verify is still working; Ctrl-C ends it"]],
    ["status", undefined, []],
    ["run", 80, []],
    ["mcp", 80, []],
  ] as const;
  for (const [verb, width, expected] of cases) {
    const { said, terminal } = heard(width);
    // oxlint-disable-next-line no-await-in-loop
    expect(await withPatience(verb, terminal, done, striking().later)).toBe(0);
    expect(said).toEqual(expected);
  }
});

it("says nothing of one that is done, or fails, before", async () => {
  const { said, terminal } = heard(80);
  const clock = striking();
  const patient: Later = () => clock.later(0, () => {});
  await withPatience("status", terminal, done, patient);
  const failing = withPatience("status", terminal, () => Promise.reject(new Error("no")), patient);
  await expect(failing).rejects.toThrow("no");
  expect([said, clock.stopped()]).toEqual([[], 2]);
});
