// The StintError that a call throws; a call that throws nothing, or something else, is a failed test.
import { StintError } from "../../src/core/stint-error.ts";

export function refusal(run: () => unknown): StintError {
  try {
    run();
  } catch (error) {
    if (error instanceof StintError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
