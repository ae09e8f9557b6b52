// Where the verified work of a project is, for a person: in the state, and in what programs read.
import * as z from "zod/mini";
import { text } from "./scalar.ts";

export const delivery = z.discriminatedUnion("kind", [
  /** Nothing is to be brought anywhere: no repository, or the work is in place. */
  z.object({ kind: z.literal("in-place") }),
  /** The person's branch holds it, up to this commit; null where nothing was committed yet. */
  z.object({ kind: z.literal("delivered"), branch: text, commit: z.nullable(text) }),
  /** It waits on a branch of its own; `why` says what holds it there, `hint` what brings it in. */
  z.object({
    kind: z.literal("waiting"),
    branch: text,
    /**
     * `choice`: it stays there until a person brings it in. `question`: a person is asked about it.
     * `obstacle`: something is in the way, and it is tried again.
     */
    held_by: z.enum(["choice", "question", "obstacle"]),
    why: text,
    hint: text,
  }),
]);

export type Delivery = z.infer<typeof delivery>;
