import { expect, test } from "vitest";
import { PLAIN } from "../../../test/support/plain-paint.ts";
import { listView } from "../../core/schema/views.ts";
import { layOut } from "../layout.ts";
import { listText } from "./list-text.ts";

/** A project that is at work by its state. */
function listed(held: boolean): string {
  const at = "2026-01-02T03:04:05.000Z";
  const progress = { done: 1, total: 2, skipped: 0, blocked: 0, marked: 0 };
  const state = { readable: true, status: "Running", revision: 3, progress, held, updated_at: at };
  const project = { id: "p-aaaaaaaaaa", slug: "a", root: "/r", manifest: "a.md", created_at: at };
  const view = listView.parse({
    projects: [{ ...project, state: { ...state, delivery: null } }],
    damaged: [],
  });
  return layOut(listText(view, PLAIN), undefined);
}

test("a project that no run works on is ready to continue, as in its own status", () => {
  expect(listed(false)).toContain("Ready to continue  1/2");
  expect(listed(true)).toContain("Running  1/2");
});
