// What the outside world refuses, as a value: for whoever goes on without it, or tells it as a finding.
import { StintError } from "../core/stint-error.ts";

export type OrFault<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: StintError };

export function orFault<T>(act: () => T): OrFault<T> {
  try {
    return { ok: true, value: act() };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** @throws what is a bug */
export function faultOf(error: unknown): StintError {
  if (error instanceof StintError) return error;
  throw error;
}
