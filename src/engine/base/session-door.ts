// How a session speaks to its run from any shell: a folder on its PATH with `stint` in it, the inbox of its project, and
// a seal that proves words to be its own. The program is the one that runs; where the session would not see it, it is
// shown beside the script. The seal is kept by its digest alone.
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { INBOX_VARIABLE, SEAL_VARIABLE } from "../../core/session-words.ts";
import { shellWord } from "../../core/written/commands.ts";
import { followBehind, type View } from "../../process/namespace/view.ts";
import { sha256Of } from "../../store/digest.ts";
import { projectLayout } from "../../store/layout.ts";
import { keepRecordWithNext, sessionPath } from "./kept-record.ts";
import type { RunContext, SessionDoor } from "./run-context.ts";

/** Undefined where no program is known that could answer in there. */
export function openDoor(
  context: RunContext,
  session: number,
  folder: string,
): SessionDoor | undefined {
  const { program, holder, host } = context;
  if (program === undefined) return undefined;
  const seal = Buffer.from(host.randomBytes(16)).toString("hex");
  keepRecordWithNext(context, sessionPath(session, "seal.json"), { seal_sha256: sha256Of(seal) });
  const inbox = join(realpathSync(projectLayout(holder.entry).folder), "inbox");
  const real = realpathSync(folder);
  const bin = join(real, "bin");
  return {
    env: (path) => ({
      [INBOX_VARIABLE]: inbox,
      [SEAL_VARIABLE]: seal,
      // A folder with this character in its name cannot be on a path.
      ...(!bin.includes(delimiter) && { PATH: [bin, path].filter(Boolean).join(delimiter) }),
    }),
    show: (view) => putScript(view, bin, join(real, "program"), realpathSync(program)),
  };
}

/** Puts the script into the folder. @returns the view in which what it starts is to be seen */
function putScript(view: View, bin: string, shown: string, program: string): View {
  const isSeen = followBehind(view, program) === program;
  const started = isSeen ? program : join(shown, basename(program));
  const script = join(bin, "stint");
  mkdirSync(bin, { recursive: true });
  const words = [process.execPath, started].map(shellWord).join(" ");
  writeFileSync(script, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(script, 0o755);
  if (isSeen) return view;
  mkdirSync(shown, { recursive: true });
  const mount = { from: dirname(program), at: shown, mode: "read-only" } as const;
  return { ...view, mounts: [...view.mounts, mount] };
}
