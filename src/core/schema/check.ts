// What a check is: the validations a task may name, already parsed from what a person wrote.
import * as z from "zod/mini";
import { agentId, sha256, text } from "./scalar.ts";

const fileExpectation = z.discriminatedUnion("is", [
  z.object({ is: z.literal("exists") }),
  z.object({ is: z.literal("changed") }),
  z.object({ is: z.literal("matches"), pattern: text, flags: z.string() }),
  z.object({ is: z.literal("sha256"), sha256 }),
]);

export const check = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("command"), command: text }),
  z.object({ kind: z.literal("file"), path: text, expect: fileExpectation }),
  z.object({
    kind: z.literal("http"),
    /** A check runs before and after, and again: it reads back and changes nothing. */
    method: z.literal("GET"),
    url: text,
    status: z.int().check(z.minimum(100), z.maximum(599)),
    contains: z.optional(text),
  }),
  z.object({ kind: z.literal("browser"), url: text, sees: text }),
  z.object({ kind: z.literal("render"), path: text, sees: text }),
  z.object({ kind: z.literal("review") }),
  z.object({ kind: z.literal("agent-review"), agent: agentId, question: text }),
]);

export type Check = z.infer<typeof check>;
export type FileExpectation = z.infer<typeof fileExpectation>;
