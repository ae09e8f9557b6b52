import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** What `npm test` tries a sample of, `npm run test:all` tries whole. */
const ALL = { STINT_ALL_HOSTILE: "1", STINT_ALL_KILL_POINTS: "1" };
const isAll = process.env["STINT_ALL_TESTS"] === "1";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Layers that take long are named `*.slow.test.ts`.
    exclude: isAll ? [] : ["**/*.slow.test.ts"],
    env: isAll ? ALL : {},
    // Tests judge facts, never speed; the limit only ends a test that hangs.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Most tests wait for a disk or a process, so every core is worth a worker.
    maxWorkers: availableParallelism(),
  },
});
