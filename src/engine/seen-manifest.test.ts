import { afterEach, beforeEach, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import type { Holder, Store } from "../store/store.ts";
import { keepSeen, keepSeenOnceAdopted, seenText } from "./seen-manifest.ts";

let bench: CommandLineBench;
let holder: Holder;
let store: Store;
beforeEach(async () => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
  holder = bench.hold(await bench.create());
  ({ store } = bench.system());
});
afterEach(() => {
  holder.release();
  bench.close();
});

/** The state once it knows this text. */
function knowing(text: string): Holder["state"] {
  const { state } = holder;
  return { ...state, manifest: { ...state.manifest, digest: holder.keepManifest(text) } };
}

it("is the text that was first read, until another is kept", () => {
  expect(seenText(store, holder.state)).toBe(TWO_TASKS);
  keepSeen(holder, store, `${TWO_TASKS}more\n`);
  expect(seenText(store, holder.state)).toBe(`${TWO_TASKS}more\n`);
});

it("does not move with the boxes that Stint sets in the text it knows", () => {
  keepSeen(holder, store, TWO_TASKS);
  expect(seenText(store, knowing(TWO_TASKS.replaceAll("[ ]", "[x]")))).toBe(TWO_TASKS);
});

it("S3-8 is an edit only once that is adopted: after a kill before that it is found again", () => {
  keepSeen(holder, store, TWO_TASKS);
  const edited = `${TWO_TASKS}\n## Notes\n\nmine\n`;
  keepSeenOnceAdopted(holder, store, edited);
  expect(seenText(store, holder.state)).toBe(TWO_TASKS);
  keepSeenOnceAdopted(holder, store, edited);
  expect(seenText(store, holder.state)).toBe(TWO_TASKS);
  const adopted = knowing(edited);
  expect(seenText(store, adopted)).toBe(edited);
  expect(seenText(store, knowing(edited.replaceAll("[ ]", "[x]")))).toBe(edited);
});
