// The library's surface: what `import { … } from "stint"` promises, and nothing else. docs/library.md lists it.
export { openStint, type RunOptions, type Stint, type StintOptions } from "./library.ts";
export { StintError, type ErrorCode } from "./core/stint-error.ts";
export { lintManifest } from "./manifest/lint/lint-manifest.ts";
export type { NormalisedManifest } from "./manifest/normalise-manifest.ts";
export type { Plan, PlannedTask } from "./manifest/plan.ts";
export type { Problem } from "./manifest/problem.ts";
export type { News } from "./core/news.ts";
export type {
  LintView,
  ListView,
  LogView,
  NewView,
  RunView,
  StatusView,
  VerifyView,
} from "./core/schema/views.ts";
export type {
  Agent,
  AgentCommand,
  AgentEvent,
  Outcome,
  SessionFacts,
  SessionRequest,
} from "./agents/agent.ts";
export { streamAgent, type StreamAgent } from "./agents/stream-agent.ts";
export { judgeExit } from "./agents/judge-end.ts";
export { sessionEnv } from "./agents/session-command.ts";
