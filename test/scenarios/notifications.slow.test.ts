// Whoever does not look is told: each channel against a real receiver, in whole runs of the built
// executable.
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Notice } from "../../src/core/schema/notice.ts";
import { type LoopbackServer, loopbackServer } from "../support/loopback-server.ts";
import { english, german, KEPT, Scenario, TWO_TASKS } from "../support/scenario.ts";

const SECRET = "a-secret-of-the-hook";

let scene: Scenario;
let server: LoopbackServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
  scene.close();
});

/** A scene whose channels write down what they get, outside the repository. */
function prepared(notify: string, manifest = TWO_TASKS): void {
  scene = new Scenario({ manifest, config: `notify:\n${notify}` });
  mkdirSync(join(scene.path, "bin"));
  scene.program(
    "bin/notify-send",
    `#!/bin/sh\nfor word; do printf '[%s]' "$word"; done >> "${join(scene.path, "desktop")}"\necho >> "${join(scene.path, "desktop")}"\n`,
  );
  scene.program(
    "bin/tell",
    `#!/bin/sh\ncat >> "${join(scene.path, "told")}"\nenv > "${join(scene.path, "env")}"\n[ "$1" != fail ] || { echo no route; exit 3; }\n`,
  );
}

function env(): Record<string, string> {
  return {
    PATH: `${join(scene.path, "bin")}:${process.env["PATH"]}`,
    STINT_HOOK_SECRET: SECRET,
  };
}

async function play(script: object, ...words: string[]) {
  const file = scene.program(
    "script.json",
    JSON.stringify({ manifest: "prompt.md", tasks: script }),
  );
  return await scene.runWith({ env: env() }, "--agent", `scripted:${file}`, ...words);
}

function told(): Notice[] {
  const path = join(scene.path, "told");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Notice);
}

const done = { english: [english], german: [german] };

describe("notifications", () => {
  it("S4-22 tell that it is done: on the desktop, to a command, to a signed webhook, once each", async () => {
    server = await loopbackServer((_, response) => void response.end());
    prepared(
      `  desktop: true\n  command: [tell, "two words"]\n  webhook: { url: "${server.origin}/hook", secret_env: STINT_HOOK_SECRET }\n`,
    );
    const result = await play(done);
    expect(scene.judge(result)).toMatchObject({ ...KEPT, code: 0, status: "Done" });
    const [notice, ...others] = told();
    expect(others).toEqual([]);
    expect(notice).toMatchObject({
      kind: "done",
      title: "Done: prompt",
      text: "every task is done: Say hello in two languages.",
      next: `stint verify ${result.state.project_id}`,
    });
    expect(readFileSync(join(scene.path, "desktop"), "utf8")).toBe(
      `[--app-name=Stint][--][Done: prompt][${notice?.text}\n${notice?.next}]\n`,
    );
    expect(server.asked).toHaveLength(1);
    const { body = "", headers } = server.asked[0] ?? {};
    expect(JSON.parse(body)).toEqual(notice);
    const [, seconds, digest] = /^t=(\d+),v1=(\w+)$/.exec(String(headers?.["stint-signature"])) ?? [];
    expect(createHmac("sha256", SECRET).update(`${seconds}.${body}`).digest("hex")).toBe(digest);
    // Every program that may be run, and every address, is told before.
    expect(result.out).toContain("may tell you by: tell two words");
    expect(result.out).toContain(`may tell you by: POST ${server.origin}/hook`);
    // The secret reaches no child and no file.
    const seen = [readFileSync(join(scene.path, "env"), "utf8"), scene.journal(), body, result.out];
    expect(seen.join("\n")).not.toContain(SECRET);
  });

  it("S3-28 tell that a person is needed and what is blocked, and nothing else", async () => {
    prepared(
      "  command: [tell]\n",
      `${TWO_TASKS}- [ ] gate - Say goodbye\n  - after: none\n  - approve: before\n  - check: file bye.txt\n`,
    );
    const gives = [{ act: "marker", keys: { reason: "nobody knows the word" } }];
    const result = await play({ english: gives, german: [german] });
    expect(result.code).toBe(3);
    expect(told().map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      expect.stringMatching(/^blocked the session says that t1 cannot be done: nobody knows/),
      expect.stringMatching(/^person-needed a1: t3 "Say goodbye" needs your yes/),
    ]);
  });

  it("that cannot be told stop nothing, and are noted in the journal", async () => {
    prepared(
      "  command: [tell, fail]\n  webhook: { url: https://127.0.0.1:1/, secret_env: NOT_SET }\n",
    );
    const result = await play(done);
    expect(scene.judge(result)).toMatchObject({ ...KEPT, code: 0, status: "Done" });
    expect(result.out).toContain(
      "notify: webhook is off: NOT_SET is not set, and Stint sends nothing unsigned",
    );
    expect(scene.journal()).toContain(
      'command could not send \\"Done: prompt\\": tell exited with 3: no route',
    );
  });
});
