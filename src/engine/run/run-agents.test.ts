import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusal } from "../../../test/support/refusal.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { expect, it } from "vitest";
import { CODING_AGENTS } from "../../agents/agents.ts";
import { requireProgram } from "./run-agents.ts";

it.each(CODING_AGENTS)("$name is asked for by the name of its program", (agent) => {
  const folder = temporaryFolder();
  try {
    const env = { PATH: folder.path };
    // A shell that the command may begin with is not what a person has to install.
    for (const name of ["sh", "node"]) executable(join(folder.path, name));
    const error = refusal(() => requireProgram(agent, folder.path, env));
    expect(error.message).toContain(`${agent.describe} (--agent ${agent.name}) cannot be started`);
    expect(error.hint).toBe(`${agent.installHint}; or use another agent: stint agents`);
    executable(join(folder.path, agent.program?.name ?? ""));
    requireProgram(agent, folder.path, env);
  } finally {
    folder.remove();
  }
});

function executable(file: string): void {
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
}
