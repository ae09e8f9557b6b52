// By what coding agents are known to have started a process: variables that they set in the shells of their tools. Pure.
// A courtesy that keeps an honest agent from deciding what is a person's; who wants to can unset a variable.

/** Each with whose it is; seen in the programs themselves. */
const MARKS: Readonly<Record<string, string>> = {
  AI_AGENT: "an agent",
  CLAUDECODE: "Claude Code",
  CODEX_THREAD_ID: "Codex",
  CODEX_CI: "Codex",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  GEMINI_CLI: "Gemini CLI",
  OPENCODE: "opencode",
  QWEN_CODE: "Qwen Code",
};

export const AGENT_MARKS: readonly string[] = Object.keys(MARKS);

/** Who has started this process, in words; null where no agent is known to. */
export function agentAbove(env: Readonly<Record<string, string | undefined>>): string | null {
  // The one that says whose it is comes first.
  const mark = AGENT_MARKS.toReversed().find((name) => (env[name] ?? "") !== "");
  return mark === undefined ? null : `${MARKS[mark]} (${mark} is set)`;
}
