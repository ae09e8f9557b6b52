// Measuring: runs subjects in turns, so that a noisy minute hits all of them, and compares medians.
import { spawnSync } from "node:child_process";

/** @returns the median milliseconds of each subject, measured in alternating order */
export function medians(subjects, rounds) {
  const times = new Map(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(subjects)) {
      const start = process.hrtime.bigint();
      run(round);
      times.get(name).push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
}

export function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

export function runProgram(program, args, options) {
  const result = spawnSync(program, args, { stdio: "ignore", ...options });
  if (result.status !== 0) {
    throw new Error(`${program} ${args.join(" ")} ended with ${result.status ?? result.signal}`);
  }
}

export function row(name, ms, floorName, floorMs, goal) {
  const ratio = ms / floorMs;
  const verdict =
    goal === undefined ? "" : `, goal ${goal}x: ${ratio <= goal ? "within" : "MISSED"}`;
  console.log(
    `${name.padEnd(52)} ${ms.toFixed(2).padStart(8)} ms  ${ratio.toFixed(2).padStart(5)}x ${floorName} (${floorMs.toFixed(2)} ms)${verdict}`,
  );
}
