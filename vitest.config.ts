import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Tests judge facts, never speed; the limit only ends a test that hangs.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
