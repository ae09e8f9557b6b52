import { expect, it } from "vitest";
import { workspacePromise } from "./workspace-promise.ts";

it("misses nothing of a copy that a namespace shows at the checkout's path", () => {
  const promise = workspacePromise({ kind: "own-copy", isAtCheckout: true, isolation: "bwrap" });
  expect(promise).toMatchObject({ name: "own copy at the repository's path", missing: [] });
});

it("says of a copy at its own path what a session may reach", () => {
  const facts = { kind: "own-copy", isAtCheckout: false } as const;
  const shown = workspacePromise({ ...facts, isolation: "bwrap" }).missing;
  const bare = workspacePromise({ ...facts, isolation: "group" }).missing;
  expect(shown.join()).toContain(
    "nothing stops a session that writes to the checkout by its absolute path",
  );
  expect(bare).toEqual([...shown, "Stint's state is not hidden from sessions"]);
});

it("says of a folder in place that nothing is delivered", () => {
  const facts = { kind: "in-place", isAtCheckout: false, isolation: "unshare" } as const;
  expect(workspacePromise(facts).missing.join()).toContain("there is no delivery");
});
