// The text of a note: one DSSE envelope per line, so that notes of several writers are merged line by line and
// nobody has to change another's. What is signed is never a commit or a tag: it begins with its own name.
import { judgeKept, type KeptSchema } from "../json-line.ts";
import type { EvidenceEnvelope, EvidenceStatement } from "../schema/evidence-note.ts";

export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** As large as what a commit can say of itself; what is longer is not read. */
const MOST_LINES = 1000;

export interface Signature {
  /** The fingerprint of the key, where the signature tells it. */
  readonly keyid?: string;
  readonly sig: Uint8Array;
}

/** DSSE's pre-authentication encoding: the bytes that a signature is about. */
export function signedBytes(payload: Uint8Array, payloadType: string = PAYLOAD_TYPE): Uint8Array {
  const type = Buffer.from(payloadType);
  const head = `DSSEv1 ${type.length} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export function noteLine(payload: string, signature: Signature | null): string {
  const envelope: EvidenceEnvelope = {
    payloadType: PAYLOAD_TYPE,
    payload: Buffer.from(payload).toString("base64"),
    signatures:
      signature === null
        ? []
        : [
            {
              ...(signature.keyid === undefined ? {} : { keyid: signature.keyid }),
              sig: Buffer.from(signature.sig).toString("base64"),
            },
          ],
  };
  return JSON.stringify(envelope);
}

/** A note with one line more. */
export function withLine(note: string, line: string): string {
  const before = note === "" || note.endsWith("\n") ? note : `${note}\n`;
  return `${before}${line}\n`;
}

export interface Said {
  readonly statement: EvidenceStatement;
  /** What its signatures are about. */
  readonly signed: Uint8Array;
  readonly signatures: readonly Uint8Array[];
}

export interface NoteSchemas {
  readonly envelope: KeptSchema<EvidenceEnvelope>;
  readonly statement: KeptSchema<EvidenceStatement>;
}

/** What the lines of a note say; those of others, and damaged ones, are only counted. */
export function readNote(
  note: string,
  { envelope, statement }: NoteSchemas,
): { readonly said: readonly Said[]; readonly others: number } {
  const lines = note
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, MOST_LINES);
  const said = lines.flatMap((line): Said[] => {
    const outer = judgeKept(line, envelope);
    if (!outer.ok || outer.value.payloadType !== PAYLOAD_TYPE) return [];
    const payload = Buffer.from(outer.value.payload, "base64");
    const inner = judgeKept(payload.toString("utf8"), statement);
    if (!inner.ok) return [];
    return [
      {
        statement: inner.value,
        signed: signedBytes(payload),
        signatures: outer.value.signatures.map(({ sig }) => Buffer.from(sig, "base64")),
      },
    ];
  });
  return { said, others: lines.length - said.length };
}
