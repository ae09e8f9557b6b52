// The last line of a generated page: which revision it was made from, and a digest by which an edit
// is noticed.
import { sha256Of } from "./digest.ts";

const SEAL = /\n<!-- made by stint from revision \d+; edits are ignored \(([0-9a-f]{16})\) -->\n$/;

export function sealPage(content: string, revision: number): Buffer {
  const digest = sha256Of(content).slice(0, 16);
  return Buffer.from(
    `${content}\n<!-- made by stint from revision ${revision}; edits are ignored (${digest}) -->\n`,
    "utf8",
  );
}

export function isSealedPage(bytes: Buffer): boolean {
  const text = bytes.toString("utf8");
  const seal = SEAL.exec(text);
  return seal !== null && sha256Of(text.slice(0, seal.index)).startsWith(seal[1] ?? "-");
}
