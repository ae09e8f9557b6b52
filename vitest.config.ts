import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Tests judge facts, never speed; the limit only ends a test that hangs.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Most tests wait for a disk or a process, so every core is worth a worker.
    maxWorkers: availableParallelism(),
  },
});
