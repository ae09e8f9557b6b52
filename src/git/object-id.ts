// The name that git gives to a content.
import { createHash } from "node:crypto";

/** `idLength` tells the repository's object format. */
export function objectId(kind: "blob" | "commit", content: Uint8Array, idLength: number): string {
  const hash = createHash(idLength === 64 ? "sha256" : "sha1");
  return hash.update(`${kind} ${content.length}\0`).update(content).digest("hex");
}
