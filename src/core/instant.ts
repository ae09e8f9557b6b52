// Time as the rules see it: an ISO instant that came in with an event. No clock lives here.
import type { Brand } from "./ids.ts";

export type Instant = Brand<string, "Instant">;

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export function parseInstant(text: string): Instant | undefined {
  return ISO.test(text) && !Number.isNaN(Date.parse(text)) ? (text as Instant) : undefined;
}

export function instantFromMs(ms: number): Instant {
  return new Date(ms).toISOString() as Instant;
}

export function msOf(instant: Instant): number {
  return Date.parse(instant);
}
