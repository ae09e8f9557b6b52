// Whether a signature of evidence is good, and whose it is: by ssh-keygen and a file of allowed signers, or by
// gpg and the keys that it knows. A key that nobody vouches for is told apart from a signature that is wrong.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { armoured, fingerprintOf, isSshSignature, NAMESPACE } from "./sign-evidence.ts";
import { inScratchFolder, runSigningTool, type ToolEnd } from "./signing-tool.ts";

export interface Vouching {
  /** A file of allowed signers, as ssh-keygen reads it; null: no key of ssh is vouched for. */
  readonly signers: string | null;
  readonly sshKeygen: string;
  readonly gpg: string;
  readonly cwd: string;
}

export type CheckedSignature =
  | { readonly kind: "good"; readonly by: string; readonly key: string }
  /** It fits what it is about, and nobody here says whose key that is. */
  | { readonly kind: "unknown-key"; readonly key: string; readonly why: string }
  | { readonly kind: "bad"; readonly why: string }
  /** The tool that could tell is not there. */
  | { readonly kind: "unchecked"; readonly why: string };

export async function checkSignature(
  message: Uint8Array,
  sig: Uint8Array,
  vouching: Vouching,
): Promise<CheckedSignature> {
  const check = async (folder: string): Promise<CheckedSignature> => {
    const file = join(folder, "signature");
    const isSsh = isSshSignature(sig);
    writeFileSync(file, isSsh ? armoured(sig) : sig, { mode: 0o600 });
    const about = { message, file, vouching };
    return isSsh ? await bySsh(about, fingerprintOf(sig) ?? "") : await byOpenPgp(about);
  };
  return await inScratchFolder(check, (why) => ({ kind: "unchecked", why }));
}

interface About {
  readonly message: Uint8Array;
  readonly file: string;
  readonly vouching: Vouching;
}

async function bySsh({ message, file, vouching }: About, key: string): Promise<CheckedSignature> {
  const { signers, sshKeygen: program, cwd } = vouching;
  const ask = async (...args: string[]): Promise<ToolEnd> =>
    await runSigningTool({ program, args: ["-Y", ...args], input: message, cwd });
  const about = ["-n", NAMESPACE, "-s", file];
  const fits = await ask("check-novalidate", ...about);
  if (fits.code === null) return { kind: "unchecked", why: fits.stderr };
  if (fits.code !== 0) return { kind: "bad", why: "it does not match the text that it signs" };
  if (signers === null) return { kind: "unknown-key", key, why: "no file of allowed signers" };
  const found = await ask("find-principals", "-s", file, "-f", signers);
  const names = found.code === 0 ? found.stdout.toString("utf8").trim().split("\n") : [];
  for (const by of names.filter((name) => name !== "")) {
    // oxlint-disable-next-line no-await-in-loop
    const { code } = await ask("verify", "-f", signers, "-I", by, ...about);
    if (code === 0) return { kind: "good", by, key };
  }
  const why =
    names.length === 0 ? "it is not among the allowed signers" : "it is not allowed to sign this";
  return { kind: "unknown-key", key, why };
}

async function byOpenPgp({ message, file, vouching }: About): Promise<CheckedSignature> {
  const { gpg: program, cwd } = vouching;
  const args = ["--status-fd=1", "--batch", "--no-tty", "--verify", file, "-"];
  const { code, stdout, stderr } = await runSigningTool({ program, args, input: message, cwd });
  const status = stdout.toString("utf8");
  const [, key = "", by = ""] = /^\[GNUPG:\] GOODSIG (\S+) (.*)$/m.exec(status) ?? [];
  if (code === 0 && key !== "") return { kind: "good", by, key };
  const missing = /^\[GNUPG:\] NO_PUBKEY (\S+)/m.exec(status)?.[1];
  if (missing !== undefined)
    return { kind: "unknown-key", key: missing, why: "gpg has no such key" };
  if (/^\[GNUPG:\] BADSIG /m.test(status)) {
    return { kind: "bad", why: "it does not match the text that it signs" };
  }
  const isOver = /^\[GNUPG:\] (EXPKEYSIG|REVKEYSIG|EXPSIG) /m.exec(status)?.[1];
  if (isOver !== undefined) {
    const word = isOver === "REVKEYSIG" ? "revoked" : "expired";
    return { kind: "bad", why: `its key is ${word}` };
  }
  if (code === null) return { kind: "unchecked", why: stderr };
  return { kind: "bad", why: "it is not a signature that gpg can read" };
}
