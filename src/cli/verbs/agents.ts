import { agents } from "../../operations/agents.ts";
import { agentsText } from "../../report/health-text.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({ view: agents, text: agentsText });
