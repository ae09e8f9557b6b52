// A release step puts something in front of others, and no retry takes that back. Told from what the
// manifest says: the command where Stint executes it itself, the first words of the title otherwise.
import type { TaskIntent } from "../schema/task.ts";

type Step = Pick<TaskIntent, "title" | "run" | "docs_only">;

export function isReleaseStep({ title, run, docs_only }: Step): boolean {
  if (run !== undefined) return run.split(/[;&|\n()]+/).some(isReleaseCommand);
  return docs_only !== true && TITLE.test(title);
}

const VERBS = "release|publish|deploy|ship|launch|announce|roll[ -]?out|go live";
/** "Release notes", "deploy script": things that are written, not released. */
const THINGS =
  "notes?|scripts?|workflows?|pipelines?|process|checklists?|plans?|docs|guides?|jobs?|branch|config(?:uration)?|keys?|tests?|page|tooling|automation";
const TITLE = new RegExp(`^(?:${VERBS})\\b(?![ -](?:${THINGS})\\b)`, "i");

/** A script or subcommand that says so: `publish`, `deploy.sh`, `release:production`. */
const NAME = /^(?:release|publish|deploy|rollout)(?:[-_:.][\w.:-]*)?$/i;
/** What runs something by its name. */
const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|npx|lerna|nx|turbo|cargo|dotnet|poetry|uv|hatch|flit|mix|gh|glab|make|just|task|rake|gradlew?|mvnw?|fly|flyctl|wrangler|firebase|netlify|vercel|serverless|sls|cdk|sam|goreleaser|sh|bash|node|python3?)$/;
const PUBLISHING: readonly string[] = [
  "docker push",
  "podman push",
  "helm push",
  "helm upgrade",
  "gem push",
  "twine upload",
  "kubectl apply",
  "terraform apply",
  "tofu apply",
  "pulumi up",
];

function isReleaseCommand(simple: string): boolean {
  const [program = "", ...rest] = simple
    .trim()
    .split(/\s+/)
    .filter((word) => !word.startsWith("-") && !/^\w+=/.test(word))
    .map((word) => word.replace(/^.*\//, ""));
  if (NAME.test(program) || program === "semantic-release") return true;
  const [first = "", second = ""] = rest;
  if (PUBLISHING.includes(`${program} ${first}`)) return true;
  const named = first === "run" || first === "exec" ? second : first;
  return RUNNERS.test(program) && NAME.test(named);
}
