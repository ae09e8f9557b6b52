// A ledger that says on stdout what is asked for and what was told, one line each, written before the
// process goes on, so that whoever kills it knows both.
import { writeSync } from "node:fs";
import { Ledger } from "./ledger.ts";

export class SpokenLedger extends Ledger {
  override begin(summary: string): void {
    say("begin", summary);
    super.begin(summary);
  }

  override tell(summary: string, revision: number): void {
    super.tell(summary, revision);
    say("tell", summary, revision);
  }

  override tellRevision(revision: number): void {
    super.tellRevision(revision);
    say("tellRevision", revision);
  }

  override refuse(summary: string): void {
    super.refuse(summary);
    say("refuse", summary);
  }
}

export function say(...words: (string | number)[]): void {
  writeSync(1, `${JSON.stringify(words)}\n`);
}
