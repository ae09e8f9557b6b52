// Rebuilds the ledger of a process from what it said before it was killed.
import type { Ledger } from "./ledger.ts";

export function replay(stdout: string, ledger: Ledger): void {
  for (const line of stdout.split("\n").filter((text) => text.endsWith("]"))) {
    const words: unknown = JSON.parse(line);
    if (!Array.isArray(words)) throw new Error(`not a word of the program: ${line}`);
    const [what, first, second] = words.map(String);
    if (what === "begin") ledger.begin(first ?? "");
    else if (what === "tell") ledger.tell(first ?? "", Number(second));
    else if (what === "tellRevision") ledger.tellRevision(Number(first));
    else if (what === "refuse") ledger.refuse(first ?? "");
  }
}
