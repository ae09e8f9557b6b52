// Auggie, the CLI of Augment Code, over the Agent Client Protocol. It works with its vendor's account alone.
import { acpAgent } from "./acp/acp-agent.ts";

export const auggie = acpAgent({
  name: "auggie",
  describe: "Auggie CLI",
  installHint: "npm install -g @augmentcode/auggie",
  loginHint: "auggie login",
  program: "auggie",
  args: ["--acp"],
  state: [{ path: "~/.augment" }],
  // An update in the middle of a run would change the agent between two sessions.
  env: { AUGMENT_DISABLE_AUTO_UPDATE: "1" },
});
