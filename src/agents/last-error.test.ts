import { describe, expect, it } from "vitest";
import { lastErrorIn } from "./last-error.ts";

const LOG = "2026-11-15T15:00:00.1Z ERROR app: 401 Unauthorized";
const TOOLS = "2026-11-15T15:00:00.1Z ERROR rmcp::transport: 401 Unauthorized";

describe("the last error of a program", () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["is all that was said, where nothing is called an error", ["a", "b"], ["a", "b"]],
    [
      "is the last one, with what explains it",
      ["Error: a", "Error: b", "  at c"],
      ["Error: b", "at c"],
    ],
    ["may have its own name", ["fetching", "httpx.ConnectError: no"], ["httpx.ConnectError: no"]],
    [
      "may be a panic",
      ["x", "thread 'main' panicked at x.rs:", "y"],
      ["thread 'main' panicked at x.rs:", "y"],
    ],
    ["is not in the log where it is said elsewhere", [LOG, "Error: a", LOG], ["Error: a"]],
    ["is in the log where nothing else is said", [LOG], [LOG]],
    ["is no failure of a server of tools", [TOOLS, "going"], ["going"]],
    ["is no warning", ["Warning: 401", "a"], ["a"]],
    [
      "is not inside another one",
      ["Error: a", "  [cause]: Error: b"],
      ["Error: a", "[cause]: Error: b"],
    ],
    ["is nothing where nothing is said", [""], []],
  ])("%s", (_, lines, last) => {
    expect(lastErrorIn(lines.join("\n"))).toEqual(last);
  });
});
