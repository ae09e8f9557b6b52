// What is other than before in a person's checkout, beyond what was delivered to main since a commit; and what of
// that lies there otherwise than it was committed.
import { describeDifferences, type PersonState, recordPerson } from "./person-state.ts";
import type { RunScene } from "./run-scene.ts";

export function beyondDelivery(
  scene: RunScene,
  {
    before,
    start,
    tip,
  }: { readonly before: PersonState; readonly start: string; readonly tip: string },
): string[] {
  const paths = scene
    .git("diff", "--no-renames", "--name-only", start, tip)
    .split("\n")
    .filter((path) => path !== "");
  const otherwise = scene.git("status", "--porcelain", "--", ...paths);
  return [
    ...describeDifferences(before, recordPerson(scene.root), {
      slug: "prompt",
      paths,
      branch: { ref: "refs/heads/main", commit: tip },
    }),
    ...(otherwise === "" ? [] : [`delivered otherwise than committed: ${otherwise}`]),
  ];
}
