// Signs evidence with the key that the person signs commits or tags with, by their own tool. Neither kind of
// signature can pass as one of a commit: that of ssh has a namespace of its own, and what OpenPGP signs is no
// git object.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Signature } from "../core/evidence/note-lines.ts";
import { inScratchFolder, runSigningTool } from "./signing-tool.ts";

/** Git's own is "git". */
export const NAMESPACE = "stint-evidence@v1";

export interface SigningSettings {
  /** A setting of git; null where nobody set it. */
  readonly valueOf: (key: string) => string | null;
  /** Paths in settings start here. */
  readonly root: string;
}

export type Signed =
  | { readonly kind: "signed"; readonly signature: Signature }
  /** Nobody signs here. */
  | { readonly kind: "no-key" }
  | { readonly kind: "failed"; readonly why: string };

export async function signEvidence(
  message: Uint8Array,
  settings: SigningSettings,
): Promise<Signed> {
  const format = settings.valueOf("gpg.format") ?? "openpgp";
  const key = settings.valueOf("user.signingkey");
  const isWanted = ["commit.gpgsign", "tag.gpgsign"].some((name) =>
    /^(?:true|yes|on|[1-9]\d*)$/i.test(settings.valueOf(name) ?? ""),
  );
  if ((key ?? "") === "" && !isWanted) return { kind: "no-key" };
  switch (format) {
    case "ssh":
      if (key !== null && key !== "") return await signBySsh(message, key, settings);
      return { kind: "failed", why: "user.signingkey names no key" };
    case "openpgp":
      return await signByOpenPgp(message, key, settings);
    default:
      return { kind: "failed", why: `gpg.format ${format} is not supported for evidence` };
  }
}

async function signBySsh(
  message: Uint8Array,
  key: string,
  { valueOf, root }: SigningSettings,
): Promise<Signed> {
  const program = valueOf("gpg.ssh.program") ?? "ssh-keygen";
  const sign = async (folder: string): Promise<Signed> => {
    // As git reads it: the public key itself, whose other half the agent has, or the file of one.
    const literal = /^(?:key::)?((?:ssh|ecdsa|sk)-.+)$/s.exec(key)?.[1];
    const file = literal === undefined ? pathOf(key, root) : join(folder, "key.pub");
    if (literal !== undefined) writeFileSync(file, `${literal}\n`, { mode: 0o600 });
    const agent = literal === undefined ? [] : ["-U"];
    const args = ["-Y", "sign", "-n", NAMESPACE, "-f", file, ...agent];
    const { code, stdout, stderr } = await runSigningTool({
      program,
      args,
      input: message,
      cwd: root,
    });
    const sig = code === 0 ? unarmoured(stdout.toString("latin1")) : null;
    if (sig === null) return { kind: "failed", why: whyNot(stderr) };
    return { kind: "signed", signature: { keyid: fingerprintOf(sig) ?? "", sig } };
  };
  return await inScratchFolder(sign, (why) => ({ kind: "failed", why }));
}

async function signByOpenPgp(
  message: Uint8Array,
  key: string | null,
  { valueOf, root }: SigningSettings,
): Promise<Signed> {
  const program = valueOf("gpg.openpgp.program") ?? valueOf("gpg.program") ?? "gpg";
  const who = (key ?? "") === "" ? `<${valueOf("user.email") ?? ""}>` : (key ?? "");
  const quiet = ["--status-fd=2", "--batch", "--no-tty", "--pinentry-mode", "error"];
  const { code, stdout, stderr } = await runSigningTool({
    program,
    args: [...quiet, "--detach-sign", "--local-user", who],
    input: message,
    cwd: root,
  });
  const isCreated = /^\[GNUPG:\] SIG_CREATED /m.test(stderr);
  if (code !== 0 || !isCreated || stdout.length === 0)
    return { kind: "failed", why: whyNot(stderr) };
  return { kind: "signed", signature: { sig: stdout } };
}

function pathOf(key: string, root: string): string {
  const home = process.env["HOME"] ?? homedir();
  return resolve(root, key.replace(/^~(?=\/)/, home));
}

function whyNot(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("[GNUPG:]"));
  return lines.slice(0, 3).join("; ") || "the signing tool said nothing";
}

const ARMOUR = /-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----/;

function unarmoured(text: string): Buffer | null {
  const inner = ARMOUR.exec(text)?.[1];
  return inner === undefined ? null : Buffer.from(inner.replace(/\s+/g, ""), "base64");
}

const MAGIC = "SSHSIG";

export function isSshSignature(sig: Uint8Array): boolean {
  return Buffer.from(sig.subarray(0, MAGIC.length)).toString("latin1") === MAGIC;
}

/** As a file that ssh-keygen reads. */
export function armoured(sig: Uint8Array): string {
  const lines =
    Buffer.from(sig)
      .toString("base64")
      .match(/.{1,70}/g) ?? [];
  return ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----", ""].join("\n");
}

/** Of the key that an ssh signature was made with: it holds the key, after its magic word and a version. */
export function fingerprintOf(sig: Uint8Array): string | null {
  const bytes = Buffer.from(sig);
  const at = MAGIC.length + 4;
  if (!isSshSignature(sig) || bytes.length < at + 4) return null;
  const key = bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at));
  const digest = createHash("sha256").update(key).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}
