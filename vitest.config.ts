import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { AGENT_MARKS } from "./src/core/agent-marks.ts";

// Layers that take long are named `*.slow.test.ts`. `npm test` leaves them out, `npm run test:slow` runs
// them with a sample of their kill points and hostile agents, `npm run test:all` runs everything whole.
// A file that is named on the command line is run in any case.
const SLOW = "**/*.slow.test.ts";
const WHOLE = { STINT_ALL_HOSTILE: "1", STINT_ALL_KILL_POINTS: "1" };
const layer = process.env["STINT_TESTS"] ?? "quick";
const isSlowNamed = process.argv.some((word) => word.includes(".slow."));

/** Small files whose tests take a minute each. They begin first: as the last ones, each would keep a core waiting. */
const LONG = ["truth", "proof", "model", "delivery"].map((name) => `/${name}.slow.test.ts`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((name) => moduleId.endsWith(name));
    // oxlint-disable-next-line unicorn/no-array-sort -- it sorts no array
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// An agent may run the tests; in them persons answer.
for (const name of AGENT_MARKS) delete process.env[name];
// Tests reach nothing outside, and a Node that loads certificates takes twice as long to start.
delete process.env["NODE_EXTRA_CA_CERTS"];

export default defineConfig({
  test: {
    include: layer === "slow" ? [SLOW] : ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: layer === "quick" && !isSlowNamed ? ["node_modules", SLOW] : ["node_modules"],
    env: layer === "all" ? WHOLE : {},
    // Tests judge facts, never speed; the limit only ends a test that hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Most tests wait for a disk or a process, so every core is worth a worker.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongFirst },
    // A worker goes on to the next file with what it has loaded.
    isolate: false,
  },
});
