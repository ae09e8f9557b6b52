// What a repository says of the work on a branch by its notes alone: read in any clone, without a project, a
// state folder or a workspace. Nothing is changed. History counts as it was committed, not as this clone replaces it.
import { devNull, homedir } from "node:os";
import { resolve } from "node:path";
import {
  type BranchCommit,
  claimsIn,
  type SaidOn,
  type SignatureFound,
} from "../../core/evidence/judge-branch.ts";
import { readNote, type Said } from "../../core/evidence/note-lines.ts";
import { evidenceEnvelope, evidenceStatement } from "../../core/schema/evidence-note.ts";
import { StintError } from "../../core/stint-error.ts";
import { checkSignature, type Vouching } from "../../git/check-signature.ts";
import { allNotes, type AskGit, NOTES_REF } from "../../git/read-notes.ts";
import { gitLines, runGit } from "../../git/run-git.ts";
import { parseSettings, valueOf } from "../../workspace/base/git-config.ts";

export interface BranchFacts {
  /** Where the branch is. */
  readonly tip: string;
  /** Those that claim a task or have a note, the oldest first. */
  readonly commits: readonly BranchCommit[];
  readonly said: readonly SaidOn[];
  /** The oldest commits of it that are here, where this clone does not have their parents. */
  readonly cut: readonly string[];
  /** What brings here what is missing: the rest of the history, and the notes where there are none at all. */
  readonly fetch: Readonly<Record<"history" | "notes", string | null>>;
}

/** No local replacement takes the place of a commit or of its parents. A file of grafts that is there earns advice. */
const AS_COMMITTED = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: `${devNull}/none` };

/** `signers` is a file of allowed signers; null: what git's settings name. @throws bad-input */
export async function readBranchEvidence(
  root: string,
  branch: string,
  signers: string | null,
): Promise<BranchFacts> {
  const ask: AskGit = (args, options) => runGit(root, args, { ...options, env: AS_COMMITTED });
  const tip = await commitNamed(root, branch);
  const notes = await allNotes(ask);
  const schemas = { envelope: evidenceEnvelope, statement: evidenceStatement };
  const read = [...notes].map(([on, text]) => ({ on, ...readNote(text, schemas) }));
  const unreadable = new Set(
    read.filter(({ said, others }) => said.length === 0 && others > 0).map(({ on }) => on),
  );
  const { order, cut } = await historyOf(ask, tip);
  const commits = await commitsOf(ask, tip, { order, noted: new Set(notes.keys()) });
  const vouching = await vouchingOf(root, signers);
  const wanted = new Set(commits.flatMap(({ claims }) => claims.map(({ project }) => project)));
  const ids = new Set(commits.map(({ id }) => id));
  const said: SaidOn[] = [];
  for (const { on, said: lines } of read) {
    for (const line of lines) {
      const { project } = line.statement.predicate.stint;
      if (!ids.has(on) && !wanted.has(project)) continue;
      // oxlint-disable-next-line no-await-in-loop
      const signature = await signatureOf(line, vouching);
      said.push({ on, statement: line.statement, signature });
    }
  }
  return {
    tip,
    commits: commits.map((commit) => ({ ...commit, isUnreadable: unreadable.has(commit.id) })),
    said,
    cut,
    fetch: {
      history: cut.length === 0 ? null : await fetchCommand(root, "--unshallow", ""),
      notes: notes.size > 0 ? null : await fetchCommand(root, "", `${NOTES_REF}:${NOTES_REF}`),
    },
  };
}

/** A branch of here, or one that only a remote has; any other name of a commit too. */
async function commitNamed(root: string, branch: string): Promise<string> {
  const names = branch.startsWith("-") ? [] : [branch, `origin/${branch}`];
  for (const name of names) {
    const args = ["rev-parse", "--verify", "--quiet", `${name}^{commit}`];
    // oxlint-disable-next-line no-await-in-loop
    const { code, stdout } = await runGit(root, args, { accept: "any" });
    if (code === 0) return stdout.trim();
  }
  // Where git cannot even read the repository, that is the reason.
  await runGit(root, ["rev-parse", "--git-dir"]);
  throw new StintError(
    "bad-input",
    `there is no branch ${branch} in ${root}`,
    "See which there are: git branch --all",
  );
}

/** One after another: a signed note is a process or three. */
async function signatureOf(
  { signed, signatures }: Said,
  vouching: Vouching,
): Promise<SignatureFound> {
  let found: SignatureFound = { kind: "none" };
  for (const sig of signatures) {
    // oxlint-disable-next-line no-await-in-loop
    found = await checkSignature(signed, sig, vouching);
    if (found.kind === "good") return found;
  }
  return found;
}

const FORMAT = ["-z", "--no-show-signature", "--format=%H%n%T%n%B"];

/** What is here of the history, the oldest first, and where it ends although commits have parents. */
async function historyOf(
  ask: AskGit,
  tip: string,
): Promise<{ readonly order: readonly string[]; readonly cut: readonly string[] }> {
  const { stdout } = await ask(["rev-list", "--topo-order", "--reverse", "--parents", tip]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  const order = lines.map((line) => line.split(" ", 1)[0] ?? "");
  // In a shallow clone git shows the oldest commits as if they had no parents; what is stored names them.
  const cut: string[] = [];
  for (const id of lines.filter((line) => !line.includes(" "))) {
    // oxlint-disable-next-line no-await-in-loop
    const stored = await ask(["cat-file", "commit", id]);
    if (/^tree \S+\nparent /.test(stored.stdout)) cut.push(id);
  }
  return { order, cut };
}

async function commitsOf(
  ask: AskGit,
  tip: string,
  { order, noted }: { readonly order: readonly string[]; readonly noted: ReadonlySet<string> },
): Promise<Omit<BranchCommit, "isUnreadable">[]> {
  const grep = ["--fixed-strings", "--grep=Stint-Task: "];
  const claiming = await ask(["log", ...FORMAT, ...grep, tip]);
  const others = order.filter((id) => noted.has(id)).map((id) => `${id}\n`);
  const told =
    others.length === 0
      ? { stdout: "" }
      : await ask(["log", "--no-walk", "--stdin", ...FORMAT], { input: others.join("") });
  const found = new Map(
    [...claiming.stdout.split("\0"), ...told.stdout.split("\0")].flatMap((record) => {
      const [id = "", tree = "", ...message] = record.split("\n");
      return id === "" ? [] : [[id, { id, tree, claims: claimsIn(message.join("\n")) }] as const];
    }),
  );
  return order.flatMap((id) => found.get(id) ?? []);
}

async function vouchingOf(root: string, signers: string | null): Promise<Vouching> {
  const { stdout } = await runGit(root, ["config", "-z", "--list", "--show-scope"]);
  const settings = parseSettings(stdout);
  const home = process.env["HOME"] ?? homedir();
  const named = valueOf(settings, "gpg.ssh.allowedsignersfile");
  return {
    signers: signers ?? (named === null ? null : resolve(root, named.replace(/^~(?=\/)/, home))),
    sshKeygen: valueOf(settings, "gpg.ssh.program") ?? "ssh-keygen",
    gpg: valueOf(settings, "gpg.openpgp.program") ?? valueOf(settings, "gpg.program") ?? "gpg",
    cwd: root,
  };
}

async function fetchCommand(root: string, how: string, what: string): Promise<string | null> {
  const remotes = await gitLines(root, ["remote"]);
  const remote = remotes.includes("origin") ? "origin" : remotes[0];
  if (remote === undefined) return null;
  return ["git fetch", how, remote, what].filter((word) => word !== "").join(" ");
}
