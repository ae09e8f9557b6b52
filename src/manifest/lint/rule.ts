// One idea about what makes a manifest go well. A rule looks and says; it changes nothing.
import type { Limits } from "../../core/written/bounds.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import type { Plan } from "../plan.ts";
import type { Problem } from "../problem.ts";

export type LintRule = (document: ManifestDocument, plan: Plan, limits: Limits) => Problem[];
