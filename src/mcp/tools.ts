// Every tool of the MCP server in one table: what it takes, and what answers it in a session and outside of one. A tool
// that has no answer for a place is not offered there. None of them approves, answers, skips or accepts: what only a
// person may do has no tool.
import { createColors } from "picocolors";
import {
  askInput,
  blockInput,
  briefInput,
  createInput,
  dispatchInput,
  jsonSchemaOf,
  logInput,
  ofProjectInput,
  proposeInput,
  readInput,
  reportInput,
  type ToolSchema,
} from "../core/schema/tool-inputs.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { StatusView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import type { BareAnswer } from "../operations/bare-session.ts";
import { projectOfSession, type Saying, speakInSession } from "../operations/in-session.ts";
import { results, resultsIn } from "../operations/dispatch.ts";
import { log, status } from "../operations/status.ts";
import type { System } from "../operations/system.ts";
import { resultsText } from "../report/dispatch-text.ts";
import { type Block, layOut } from "../report/layout.ts";
import { newText } from "../report/manifest-text.ts";
import { logText } from "../report/status/list-text.ts";
import { statusText } from "../report/status-text.ts";
import { visibleLine } from "../report/visible.ts";
import { createFromTool } from "./create.ts";

/** In the session that the environment names, or beside a person who started their agent themselves. */
export type Place = "session" | "outside";

export interface Said {
  readonly text: string;
  /** Whether it came to something else than what was asked for. */
  readonly isError: boolean;
}

type Answering<T> = (system: System, input: T) => string | Said | Promise<string | Said>;

export interface Tool {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether it leaves everything as it is. */
  readonly readsOnly: boolean;
  readonly where: Place | "both";
  readonly description: (place: Place) => string;
  /** @throws StintError for what is wrong with the arguments or cannot be done; nothing was changed */
  readonly answer: (place: Place, system: System, given: unknown) => Promise<Said>;
}

const PLAIN = createColors(false);
const DEFAULT_LINES = 20;

/** Loaded when a session without a run is asked for: the whole engine comes with it. */
const bare = async () => await import("../operations/bare-session.ts");

export const TOOLS: readonly Tool[] = [
  tool("brief", briefInput, {
    description: {
      session: "The brief of this session again: the task, its checks, what was tried before.",
      outside:
        "Begins the next session of a project in this checkout and returns its brief: one task, and the checks that decide it. While a session is open, returns its brief again.",
    },
    session: (system, input) => spoken(system, input, { verb: "brief" }),
    outside: async (system, { project }) =>
      handed(await (await bare()).bareBrief(system, { target: project })),
  }),
  tool("report", reportInput, {
    description: {
      session:
        "Reports on the task. kind note: what the next session should know. kind done: the task is finished; answers which checks will decide that. It decides nothing by itself.",
      outside:
        "Reports on the open task. kind note: what the next session should know. kind done: runs its checks, and answers whether it is done or what failed.",
    },
    session: (system, input) => spoken(system, input, { verb: input.kind, text: input.text ?? "" }),
    outside: async (system, { kind, text = "", task, project }) => {
      const { bareDone, bareNote } = await bare();
      if (kind === "note") return handed(await bareNote(system, { text, project }));
      if (text !== "") await bareNote(system, { text, project });
      return handed(await bareDone(system, { task, project }));
    },
  }),
  tool("ask", askInput, {
    description: {
      session:
        "Asks a person a question that only they can decide; five at most. Nobody answers while the session runs: end it, and the next brief has the answer.",
      outside:
        "Asks a person a question that only they can decide, and ends the open session: the next brief has the answer.",
    },
    session: (system, input) => spoken(system, input, { verb: "ask", text: input.question }),
    outside: async (system, { question, project }) =>
      handed(await (await bare()).bareAsk(system, { text: question, project })),
  }),
  tool("block", blockInput, {
    description: {
      session: "Says why the task cannot be done. Then end the session.",
      outside: "Says why the open task cannot be done, and ends its session.",
    },
    session: (system, input) => spoken(system, input, { verb: "block", text: input.reason }),
    outside: async (system, { reason, project }) =>
      handed(await (await bare()).bareBlock(system, { text: reason, project })),
  }),
  tool("propose", proposeInput, {
    description:
      "Proposes one more step, or the whole manifest as it should be. A person decides; until then it stays as it is.",
    session: (system, input) => spoken(system, input, { verb: "propose", ...proposalIn(input) }),
    outside: async (system, input) => {
      proposalIn(input);
      return handed(await (await bare()).barePropose(system, input));
    },
  }),
  tool("dispatch", dispatchInput, {
    description: {
      session:
        "Gives the task of this session to somebody outside, with a condition that tells when it is back. Then end the session.",
      outside:
        "Gives the open task to somebody outside, with a condition that tells when it is back, and ends its session.",
    },
    session: (system, { project, ...terms }) =>
      spoken(system, { project }, { verb: "dispatch", ...terms }),
    outside: async (system, input) => handed(await (await bare()).bareDispatch(system, input)),
  }),
  tool("create", createInput, {
    description:
      "Creates a Stint project from a Markdown manifest (a Goal, and Steps with a check each). Nothing is executed and nothing approved: a person starts it with stint run.",
    outside: async (system, input) => shown(newText(await createFromTool(system, input), PLAIN)),
  }),
  tool("status", ofProjectInput, {
    description: "Where a project stands: its tasks, what blocks it, what waits for a person.",
    readsOnly: true,
    outside: async (system, input) =>
      shown(statusText(await status(system, input), PLAIN, { verbose: true })),
  }),
  tool("log", logInput, {
    description: "The last lines of the journal of a project.",
    readsOnly: true,
    outside: async (system, { project, lines = DEFAULT_LINES }) =>
      shown(logText(await log(system, { project, lines }), PLAIN)),
  }),
  tool("results", ofProjectInput, {
    description: "What was delegated, to whom, and what came back.",
    readsOnly: true,
    session: (system, input) => shown(resultsText(resultsIn(ownState(system, input)), PLAIN)),
    outside: async (system, { project }) =>
      shown(resultsText(await results(system, { project }), PLAIN)),
  }),
  tool("questions", ofProjectInput, {
    description:
      "What waits for a person: open questions and approvals, to read. Only a person answers, with the command that is shown.",
    readsOnly: true,
    outside: async (system, input) => questionsText(await status(system, input)),
  }),
];

/** Those that are offered in a place. */
export function toolsIn(place: Place): readonly Tool[] {
  return TOOLS.filter(({ where }) => where === "both" || where === place);
}

interface ToolWords<T> {
  readonly description: string | Readonly<Record<Place, string>>;
  readonly readsOnly?: true;
  readonly session?: Answering<T>;
  readonly outside?: Answering<T>;
}

function tool<T>(name: string, schema: ToolSchema<T>, words: ToolWords<T>): Tool {
  const { description, readsOnly = false, session, outside } = words;
  const inputSchema = jsonSchemaOf(schema);
  return {
    name,
    inputSchema,
    readsOnly,
    where: session === undefined ? "outside" : outside === undefined ? "session" : "both",
    description: (place) => (typeof description === "string" ? description : description[place]),
    async answer(place, system, given) {
      const read = readInput(schema, given ?? {});
      if (!read.ok) throw wrongArguments(name, read.wrong, inputSchema);
      const answering = place === "session" ? session : outside;
      if (answering === undefined) throw new Error(`${name} is not available ${place}`);
      const said = await answering(system, read.input);
      return typeof said === "string" ? { text: said, isError: false } : said;
    },
  };
}

function wrongArguments(
  name: string,
  wrong: readonly string[],
  schema: Readonly<Record<string, unknown>>,
): StintError {
  const properties = Object.keys((schema["properties"] as object | undefined) ?? {});
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  const takes = properties.map((each) => (required.includes(each) ? each : `${each} (optional)`));
  return new StintError(
    "bad-input",
    `nothing was done: ${wrong.join("; ")}`,
    `${name} takes ${takes.length === 0 ? "no arguments" : takes.join(", ")}. Call it again with these.`,
  );
}

interface Meant {
  readonly project?: string | undefined;
  readonly task?: string | undefined;
}

function spoken(system: System, meant: Meant, saying: Saying): string {
  ownState(system, meant);
  return speakInSession(saying, system.env);
}

/** @throws where another project or task is meant than that of the session */
function ownState({ env }: System, { project, task }: Meant): ProjectState {
  const { state, task: own } = projectOfSession(env);
  const isOther =
    project !== undefined && ![state.project_id, state.slug].some((each) => each === project);
  if (isOther || (task !== undefined && task !== own)) {
    throw new StintError(
      "refused",
      `this is a session of ${state.project_id} about ${own}, and cannot speak for another`,
      "Call it without a project and a task.",
    );
  }
  return state;
}

/** Of a session that no run has started. */
function handed({ text, exitCode, notices }: BareAnswer): Said {
  return { text: [text, ...notices].join("\n"), isError: exitCode !== 0 };
}

function proposalIn({
  step,
  manifest,
}: {
  readonly step?: string | undefined;
  readonly manifest?: string | undefined;
}): { readonly text: string; readonly isWhole: boolean } {
  if (step !== undefined && manifest === undefined) return { text: step, isWhole: false };
  if (manifest !== undefined && step === undefined) return { text: manifest, isWhole: true };
  throw new StintError(
    "bad-input",
    `nothing was done: ${step === undefined ? "neither step nor manifest was" : "both step and manifest were"} given`,
    "Give one of them: step for one more step, manifest for any other change.",
  );
}

function questionsText({ project, waiting_for_a_person: items }: StatusView): string {
  if (items.length === 0) return `Nothing of ${project.id} waits for a person.`;
  const lines = items.flatMap(({ id, kind, what, asked_at, look, yes }) => [
    `${id} (${kind}, since ${asked_at}): ${visibleLine(what)}`,
    ...(look === null ? [] : [`  Shown by: ${look}`]),
    `  For a person, in their own terminal: ${yes}`,
  ]);
  return shown(lines);
}

function shown(blocks: readonly Block[]): string {
  return layOut(blocks, undefined);
}
