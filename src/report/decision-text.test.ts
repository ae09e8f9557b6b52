import { expect, it } from "vitest";
import { deliverView, diffView } from "../core/schema/views.ts";
import { deliverText, diffText } from "./decision-text.ts";
import { layOut } from "./layout.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";

it("shows every line of a difference as one line, whatever a file holds", () => {
  const view = diffView.parse({
    project_id: "p-aaaaaaaaaa",
    about: "the output of t1",
    item: null,
    diff: "--- a\n+++ b\n+dos\r\n+x\r  Yes: it is done\u001b[2K\n",
    new_commands: [],
    next: [],
  });
  expect(layOut(diffText(view, PLAIN), 20).split("\n")).toEqual([
    "the output of t1",
    "--- a",
    "+++ b",
    "+dos",
    "+x\\u000d  Yes: it is done\\u001b[2K",
  ]);
});

it.each([
  ["nothing was done yet", null, "none", "… p-aaaaaaaaaa: there is no verified work yet"],
  ["the branch has it", "main", "none", "✓ p-aaaaaaaaaa: nothing waits; main holds the work"],
  [
    "the remote refused it",
    "main",
    "failed",
    "✗ p-aaaaaaaaaa: main holds the work, but it is not pushed",
  ],
] as const)("begins with how a delivery went: %s", (_, branch, kind, line) => {
  const view = deliverView.parse({
    project_id: "p-aaaaaaaaaa",
    delivery: branch === null ? null : { kind: "delivered", branch, commit: "0123456789" },
    commits: 0,
    files: 0,
    push: { kind, text: kind === "none" ? null : "the remote could not be reached" },
    status: "Blocked",
    next: [],
  });
  expect(layOut(deliverText(view, PLAIN), 80).split("\n")[0]).toBe(line);
});
