/** Somebody wants the run to end: what was under way was ended and counts as not done. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
