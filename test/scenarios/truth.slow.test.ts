// `npm run bench -- --truth`: of all agents that work and that cheat, none is called done falsely, and no label is wrong.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const BENCH = fileURLToPath(new URL("../../bench/bench.mjs", import.meta.url));

/** Every second agent, unless all are asked for (npm run test:all). */
const isAll = process.env["STINT_ALL_HOSTILE"] === "1";

it("calls nothing done that a fresh clone does not hold, and labels what deserves it", () => {
  const words = ["--truth", ...(isAll ? [] : ["--short"])];
  const { stdout, stderr, status } = spawnSync(process.execPath, [BENCH, ...words], {
    encoding: "utf8",
  });
  expect(`${stdout}${stderr}`).toContain("false Done 0, wrong label 0, wrong end 0");
  expect(status).toBe(0);
});
