import { describe, expect, it } from "vitest";
import type { Holder } from "../store/store.ts";
import { sha256Of } from "../store/digest.ts";
import { untilStill } from "./until-still.ts";

const KNOWN = "# Goal\n\nknown\n";

/** How often somebody looked until they were satisfied, and at what. */
async function looksAt(texts: readonly (string | undefined)[]) {
  let at = 0;
  const holder = { state: { manifest: { digest: sha256Of(KNOWN) } } } as Holder;
  const read = () => texts[Math.min(at, texts.length - 1)];
  const host = {
    sleep: async () => {
      at += 1;
    },
  };
  await untilStill({ holder, tree: { readManifest: read }, host } as never);
  return { looks: at, text: read() };
}

describe("a manifest that somebody may be saving", () => {
  it("is read at once where it is what is known", async () => {
    expect(await looksAt([KNOWN])).toEqual({ looks: 0, text: KNOWN });
  });

  it.each([
    ["emptied, then written", [""]],
    ["away between two names", [undefined]],
    ["written in two steps", ["# Goal\n\nmi", "# Goal\n\nmine\n\n# St"]],
    ["emptied for several looks", ["", "", "", "# Go"]],
  ])("S3-3 is looked at until it is whole: %s", async (_, steps) => {
    const whole = "# Goal\n\nmine\n\n# Steps\n";
    const { text, looks } = await looksAt([...steps, whole]);
    expect([text, looks]).toEqual([whole, steps.length + 1]);
  });

  it("that stays away is meant so", async () => {
    expect(await looksAt([undefined])).toEqual({ looks: 15, text: undefined });
  });
});
