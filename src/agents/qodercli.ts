// Qoder CLI, over the Agent Client Protocol. It works with its vendor's account alone.
import { acpAgent } from "./acp/acp-agent.ts";

export const qodercli = acpAgent({
  name: "qodercli",
  describe: "Qoder CLI",
  installHint: "npm install -g @qoder-ai/qodercli",
  loginHint: "qodercli login",
  program: "qodercli",
  args: ["--acp"],
  state: [{ path: "~/.qoder" }],
});
