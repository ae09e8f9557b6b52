// Everything there is to say about a manifest, in one reading and in the order of its lines.
import { DEFAULT_LIMITS, type Limits } from "../../core/written/bounds.ts";
import { normaliseManifest, type NormalisedManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";
import { byLine } from "../problem.ts";
import { RULES } from "./rules.ts";

export function lintManifest(text: string, limits: Limits = DEFAULT_LIMITS): NormalisedManifest {
  const document = parseManifest(text);
  const { plan, problems } = normaliseManifest(document);
  const found = RULES.flatMap((rule) => rule(document, plan, limits));
  return { plan, problems: [...problems, ...found].toSorted(byLine) };
}
