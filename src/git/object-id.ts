// The name that git gives to a content.
import { createHash, type Hash } from "node:crypto";

/** `idLength` tells the repository's object format. */
export function objectId(
  kind: "blob" | "commit" | "tree",
  content: Uint8Array,
  idLength: number,
): string {
  const hash = objectHash(idLength);
  return hash.update(`${kind} ${content.length}\0`).update(content).digest("hex");
}

/** What git names contents by, and seals its own files with. */
export function objectHash(idLength: number): Hash {
  return createHash(idLength === 64 ? "sha256" : "sha1");
}
