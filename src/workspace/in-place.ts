// The person's folder itself as a workspace.
import type { Place } from "./place.ts";
import type { Workspace } from "./workspace.ts";
export function inPlace(_place: Place): Workspace {
  throw new Error("not yet");
}
