// The digest that names content: manifests, evidence, proposals.
import { createHash } from "node:crypto";
import type { Sha256 } from "../core/schema/scalar.ts";

export function sha256Of(content: string | Uint8Array): Sha256 {
  return createHash("sha256").update(content).digest("hex") as Sha256;
}
