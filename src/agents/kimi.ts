// Kimi Code CLI, over the Agent Client Protocol. In its default mode it writes files of the work tree without asking and
// asks before it runs a command, so that the refusal of destructive commands holds. It says nothing while it tries again.
import { acpAgent } from "./acp/acp-agent.ts";

export const kimi = acpAgent({
  name: "kimi",
  describe: "Kimi Code CLI",
  installHint: "npm install -g @moonshot-ai/kimi-code",
  loginHint: "kimi login",
  program: "kimi",
  args: ["acp"],
  state: [{ path: "~/.kimi-code", variable: "KIMI_CODE_HOME" }],
  modes: {
    default: "every tool; refuses destructive commands",
    "read-only": "plan mode: reads only",
    dangerous: "every tool without asking",
  },
  modeOf: { default: "default", "read-only": "plan", dangerous: "yolo" },
  // Refused by its provider, it tries for minutes, then ends the turn as if it were done.
  silentEnd: "overloaded",
  // An update in the middle of a run would change the agent between two sessions.
  env: { KIMI_CODE_NO_AUTO_UPDATE: "1" },
});
