// What an installed skill keeps of how it was installed, beside its files: what they were, so that an edit is seen,
// and which folders were made for it, so that these go with it.
import * as z from "zod/mini";
import { type Kept, sha256 } from "./scalar.ts";

/** A path below the folder, each part a plain name: what a record says leads nowhere else. */
const pathBelow = z
  .string()
  .check(z.regex(/^(?!\.{1,2}(?:\/|$))[\w.-]{1,64}(?:\/(?!\.{1,2}(?:\/|$))[\w.-]{1,64}){0,7}$/));

export const skillRecord = z.object({
  installed_by: z.literal("stint"),
  files: z.record(pathBelow, sha256),
  /** Below the folder that the skills are installed into: the home folder, the root of the work tree. */
  folders_made: z.array(pathBelow),
});

export type SkillRecord = Kept<z.infer<typeof skillRecord>>;
