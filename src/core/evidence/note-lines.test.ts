import { describe, expect, it } from "vitest";
import type { ProjectId } from "../ids.ts";
import { evidenceEnvelope, evidenceStatement as statement } from "../schema/evidence-note.ts";
import { evidenceStatement } from "./evidence-statement.ts";
import { noteLine, readNote, signedBytes, withLine } from "./note-lines.ts";

const schemas = { envelope: evidenceEnvelope, statement };

const payload = JSON.stringify(
  evidenceStatement(
    { commit: "c1", tree: "t" },
    { project: "p-0000000001" as ProjectId, manifest: "prompt.md", tasks: [] },
  ),
);

describe("what is signed", () => {
  it("is DSSE's encoding, by bytes, which is the beginning of no git object", () => {
    const bytes = Buffer.from(signedBytes(Buffer.from("héllo"), "http://example.com/HelloWorld"));
    expect(bytes.toString("utf8")).toBe("DSSEv1 29 http://example.com/HelloWorld 6 héllo");
  });
});

describe("a note", () => {
  it("is read back line by line, signed or not, with what others wrote beside it", () => {
    const signed = noteLine(payload, { keyid: "SHA256:x", sig: Buffer.from("signature") });
    const note = withLine(withLine("somebody's words", noteLine(payload, null)), signed);
    const { said, others } = readNote(`${note}{"payloadType":"other"}\n{\n`, schemas);
    expect(others).toBe(3);
    expect(said.map(({ signatures }) => signatures.map(String))).toEqual([[], ["signature"]]);
    expect(said.every(({ signed: about }) => String(about).endsWith(payload))).toBe(true);
  });

  it("whose payload is no statement says nothing", () => {
    const line = noteLine('{"_type":"https://in-toto.io/Statement/v1"}', null);
    expect(readNote(line, schemas)).toEqual({ said: [], others: 1 });
  });
});
