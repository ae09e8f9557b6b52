import { expect, it } from "vitest";
import { diffView } from "../core/schema/views.ts";
import { diffText } from "./decision-text.ts";
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
