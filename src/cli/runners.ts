// What runs for each verb: an operation, and the text of what came of it. Operations are loaded only when their verb is
// called, so that no verb pays for another at start; `status`, `list` and `log` are asked for most, and come at once.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { AnswerView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { shellWord } from "../core/written/commands.ts";
import {
  ANSWER_VERBS,
  type AnswerVerb,
  type AnswerVerbName,
} from "../operations/answers/answer-verbs.ts";
import type { OpenedEdit } from "../operations/edit.ts";
import { list, log, status } from "../operations/status.ts";
import type { System } from "../operations/system.ts";
import { answerText, deliverText, diffText } from "../report/decision-text.ts";
import { dispatchText, resultsText } from "../report/dispatch-text.ts";
import { branchEvidenceText } from "../report/branch-evidence-text.ts";
import { agentsText, cleanText, doctorText } from "../report/health-text.ts";
import { lintText, newText, planText } from "../report/manifest-text.ts";
import { listText, logText } from "../report/status/list-text.ts";
import { statusText } from "../report/status-text.ts";
import { sessionsText, verifyText } from "../report/verify-text.ts";
import { EXIT, exitCodeOfState } from "./exit-codes.ts";
import type { BareVerb } from "./bare-verbs.ts";
import { typedIteration, typedSettings } from "./run-options.ts";
import { tellAside } from "./terminal.ts";
import {
  isSet,
  optionCount,
  optionText,
  optionTexts,
  requiredWord,
  type VerbRunner,
  type ViewVerb,
  viewVerb,
} from "./verb.ts";

export type VerbName = keyof typeof RUNNERS | AnswerVerbName;

export async function runnerOf(name: VerbName): Promise<VerbRunner> {
  return isAnswer(name) ? await answering(name) : await RUNNERS[name]();
}

const RUNNERS = {
  async init() {
    const { init } = await import("../operations/init/init.ts");
    const { initText } = await import("../report/init-text.ts");
    return viewVerb({
      view: (system, call) => init(system, { words: call.arguments, print: isSet(call, "print") }),
      text: initText,
    });
  },
  async new() {
    const { newProject } = await import("../operations/new-project.ts");
    return viewVerb({
      view: (system, call) =>
        newProject(system, {
          manifest: call.arguments[0],
          as: optionText(call, "as"),
          workTree: optionText(call, "dir"),
        }),
      text: newText,
    });
  },
  async lint() {
    const { lint } = await import("../operations/lint.ts");
    return viewVerb({
      view: (system, call) =>
        lint(system, { manifests: call.arguments, workTree: optionText(call, "dir") }),
      text: lintText,
      exitCode: ({ files }) => (files.some(({ errors }) => errors > 0) ? EXIT.badInput : EXIT.done),
    });
  },
  async plan() {
    const { plan } = await import("../operations/plan.ts");
    return viewVerb({
      view: (system, call) => plan(system, { target: call.arguments[0], ...typedSettings(call) }),
      text: planText,
    });
  },
  async run() {
    staySmall();
    return await backgroundable(false);
  },
  async resume() {
    staySmall();
    return await backgroundable(true);
  },
  async iterate() {
    staySmall();
    return (await import("./run-verb.ts")).runIterate;
  },
  async config() {
    const { config } = await import("../operations/settings/config.ts");
    const { configText } = await import("../report/config-text.ts");
    return viewVerb({
      view: (system, call) =>
        config(system, { options: typedIteration(call), manifest: call.arguments[0] }),
      text: configText,
    });
  },
  watch: async () => (await import("./detached-verbs.ts")).runWatch,
  status: () =>
    viewVerb({
      view: (system, call) =>
        status(system, { project: call.arguments[0], all: isSet(call, "all") }),
      text: (view, paint, call) => statusText(view, paint, { verbose: isSet(call, "verbose") }),
      exitCode: (view, call) => (isSet(call, "exitCode") ? exitCodeOfState(view) : EXIT.done),
    }),
  async show() {
    const { show } = await import("../operations/look/show.ts");
    const { showText } = await import("../report/show-text.ts");
    return viewVerb({
      view: (system, call) => show(system, { words: call.arguments }),
      text: (view, paint, _, cwd) => showText(view, paint, cwd),
    });
  },
  async diff() {
    const { diff } = await import("../operations/diff.ts");
    return viewVerb({
      view: (system, { arguments: [item, project] }) => diff(system, { item, project }),
      text: diffText,
    });
  },
  async shell() {
    const { shell } = await import("../operations/shell.ts");
    return (system, call, terminal) => {
      if (call.json) {
        throw new StintError(
          "bad-input",
          "stint shell is interactive and cannot print JSON",
          "For a program: stint status --json, stint diff --json",
        );
      }
      const [task, project] = call.arguments;
      // What a command prints is its own: everything else goes beside it.
      const tell = (text: string): void => tellAside(terminal, text);
      return shell(system, { task, project, command: call.rest ?? null, tell });
    };
  },
  async edit() {
    const { beginEdit, beginSplit, edit } = await import("../operations/edit.ts");
    return answerVerbOf(async (system, call, tell) => {
      const split = optionText(call, "split");
      const file = optionText(call, "file");
      if (split !== undefined) {
        if (file !== undefined) throw splitWithFile(split, file);
        return await edit(system, await beginSplit(system, call.arguments[0], split, tell));
      }
      const editor = file === undefined ? editorOf(system) : undefined;
      const given = file === undefined ? undefined : resolve(system.cwd, file);
      const opened = await beginEdit(system, call.arguments[0], given);
      if (editor !== undefined) openEditor(editor, opened, system);
      return await edit(system, opened);
    });
  },
  async dispatch() {
    const { dispatch } = await import("../operations/dispatch.ts");
    const { isPersonsAct } = await import("../operations/in-session.ts");
    const { bareVerb: bare } = await import("./bare-verbs.ts");
    const persons = viewVerb({
      view: (system, call) => {
        const [act, ...words] = call.arguments;
        return dispatch(system, {
          act,
          words,
          to: optionText(call, "to"),
          returns: optionText(call, "returns"),
          look: optionText(call, "look"),
          deadline: optionText(call, "deadline"),
          reason: optionText(call, "reason"),
          failed: isSet(call, "failed"),
        });
      },
      text: dispatchText,
    });
    // Who it is given to, and by what it comes back, is what an agent says of the session in hand.
    return (system, call, terminal) => {
      const isBare = !isPersonsAct(call.arguments[0]) && optionText(call, "returns") !== undefined;
      return isBare ? bare("dispatch")(system, call, terminal) : persons(system, call, terminal);
    };
  },
  async results() {
    const { results } = await import("../operations/dispatch.ts");
    return viewVerb({
      view: (system, { arguments: [project] }) => results(system, { project }),
      text: resultsText,
    });
  },
  note: () => bareVerb("note"),
  ask: () => bareVerb("ask"),
  block: () => bareVerb("block"),
  propose: () => bareVerb("propose"),
  done: () => bareVerb("done"),
  brief: () => bareVerb("brief"),
  async deliver() {
    const { deliver } = await import("../operations/deliver.ts");
    return viewVerb({
      view: (system, call, tell) =>
        deliver(system, { project: call.arguments[0], into: optionText(call, "into"), tell }),
      text: deliverText,
      exitCode({ delivery, push }) {
        if (delivery?.kind === "waiting") return EXIT.waitingForPerson;
        return push.kind === "failed" ? EXIT.blocked : EXIT.done;
      },
    });
  },
  list: () =>
    viewVerb({
      view: list,
      text: (view, paint, call) =>
        isSet(call, "ids") ? view.projects.map(({ id }) => id) : listText(view, paint),
    }),
  log: () =>
    viewVerb({
      view: (system, call) =>
        log(system, { project: call.arguments[0], lines: optionCount(call, "lines", "-n 20") }),
      text: logText,
    }),
  async verify() {
    const { verify } = await import("../operations/verify.ts");
    const { verifyBranch } = await import("../operations/evidence/verify-branch.ts");
    const ofProject = viewVerb({
      async view(system, call, tell) {
        const [project] = call.arguments;
        if (!isSet(call, "fresh")) return await verify(system, { project });
        const { verifyFresh } = await import("../operations/run/verify-fresh.ts");
        return await verifyFresh(system, { project, tell });
      },
      text: (view, paint, call) =>
        isSet(call, "sessions") ? sessionsText(view, paint) : verifyText(view, paint),
      exitCode: ({ passed, proof }, call) => {
        if (!passed) return EXIT.stateBroken;
        if (!isSet(call, "fresh") || proof?.kind === "proven") return EXIT.done;
        return proof?.kind === "failed" ? EXIT.blocked : EXIT.workRemains;
      },
    });
    const ofBranch = viewVerb({
      view: (system, call) =>
        verifyBranch(system, {
          branch: optionText(call, "branch") ?? "",
          signers: optionText(call, "signers"),
        }),
      text: branchEvidenceText,
      exitCode: ({ passed }) => (passed ? EXIT.done : EXIT.workRemains),
    });
    return (system, call, terminal) =>
      (optionText(call, "branch") === undefined ? ofProject : ofBranch)(system, call, terminal);
  },
  async doctor() {
    const { doctor } = await import("../operations/doctor/doctor.ts");
    return viewVerb({
      view: (system, call) =>
        doctor(system, {
          project: call.arguments[0],
          repair: isSet(call, "repair"),
          adopt: isSet(call, "adopt"),
        }),
      text: doctorText,
      exitCode({ system, projects }) {
        const findings = [...system, ...projects.flatMap((project) => project.findings)];
        const isProblem = findings.some(({ severity }) => severity === "problem");
        return isProblem ? EXIT.stateBroken : EXIT.done;
      },
    });
  },
  async clean() {
    const { clean } = await import("../operations/clean.ts");
    return viewVerb({
      view: (system, call, tell) =>
        clean(system, { yes: isSet(call, "yes"), force: optionTexts(call, "force"), tell }),
      text: cleanText,
      exitCode({ items }) {
        const isFailed = items.some(({ outcome }) => outcome === "failed");
        return isFailed ? EXIT.stateBroken : EXIT.done;
      },
    });
  },
  watchdog: async () => (await import("./watchdog-verb.ts")).runWatchdog,
  async agents() {
    const { agents } = await import("../operations/doctor/doctor.ts");
    return viewVerb({ view: agents, text: agentsText });
  },
  async skills() {
    const { skills } = await import("../operations/skills.ts");
    const { skillsText } = await import("../report/skills-text.ts");
    return viewVerb({
      view: (system, call) =>
        skills(system, {
          act: requiredWord(call, 0),
          path: call.arguments[1],
          agents: optionTexts(call, "agent") ?? [],
          names: optionTexts(call, "as") ?? [],
          isForUser: isSet(call, "user"),
          isForProject: isSet(call, "project"),
        }),
      text: skillsText,
      exitCode({ installed, checked }) {
        if (checked.some(({ errors }) => errors > 0)) return EXIT.badInput;
        return installed.some(({ outcome }) => outcome === "left") ? EXIT.workRemains : EXIT.done;
      },
    });
  },
  mcp: async () => (await import("./mcp-verb.ts")).runMcp,
  demo: async () => (await import("./run-verb.ts")).runDemo,
  async completion() {
    const { completion } = await import("./completion.ts");
    return viewVerb({
      view: (_system, { arguments: [shell] }) => completion(shell),
      text: ({ script }) => [{ whole: script }],
    });
  },
} as const satisfies Readonly<Record<string, () => VerbRunner | Promise<VerbRunner>>>;

async function backgroundable(resumes: boolean): Promise<VerbRunner> {
  const { runVerb } = await import("./run-verb.ts");
  const { detachable } = await import("./detached-verbs.ts");
  return detachable(runVerb({ resumes }));
}

/** Where there is a session, `session-verbs.ts` has answered before the command line is loaded: here no run is above. */
async function bareVerb(name: BareVerb): Promise<VerbRunner> {
  return (await import("./bare-verbs.ts")).bareVerb(name);
}

function isAnswer(name: VerbName): name is AnswerVerbName {
  return Object.hasOwn(ANSWER_VERBS, name);
}

async function answering(name: AnswerVerbName): Promise<VerbRunner> {
  const { giveAnswer } = await import("../operations/answers/send-answer.ts");
  const { subject, text }: AnswerVerb = ANSWER_VERBS[name];
  return answerVerbOf((system, call) => {
    const words = [...call.arguments];
    return giveAnswer(system, name, {
      subject: subject && words.shift(),
      text: text && words.shift(),
      project: words.shift(),
      reason: optionText(call, "reason"),
      now: isSet(call, "now"),
    });
  });
}

function answerVerbOf(view: ViewVerb<AnswerView>["view"]): VerbRunner {
  return viewVerb({
    view,
    text: answerText,
    exitCode: ({ outcome }) => (outcome === "left" ? EXIT.workRemains : EXIT.done),
  });
}

/**
 * A run stands beside an agent for hours and mostly waits: it keeps its heap small rather than collect it seldom, and
 * optimises only what takes whole seconds. The first function that is optimised, however small, brings the optimising
 * compiler into memory: about 4 MiB. So this comes before its code is loaded.
 */
function staySmall(): void {
  const [major = ""] = process.versions.node.split(".");
  for (const flag of SMALL[major] ?? []) setFlagsFromString(flag);
}

/**
 * By major version of Node, as far as they were tried: a flag that its engine does not know is complained about on the
 * terminal, and nothing tells beforehand which it knows.
 */
const SMALL: Readonly<Record<string, readonly string[]>> = {
  20: [
    "--semi-space-growth-factor=1",
    "--interrupt-budget=30000000",
    "--max-bytecode-size-for-early-opt=0",
  ],
  22: ["--semi-space-growth-factor=1"],
  24: ["--semi-space-growth-factor=1"],
};

function splitWithFile(task: string, file: string): StintError {
  return new StintError(
    "bad-input",
    "--split and --file cannot be given together: --split changes the manifest as it is, --file replaces it",
    `Give one of them: stint edit --split ${shellWord(task)}, or stint edit --file ${shellWord(file)}`,
  );
}

function editorOf({ env }: System): string {
  const editor = [env["VISUAL"], env["EDITOR"]].find((each) => (each ?? "").trim() !== "");
  if (editor !== undefined) return editor;
  throw new StintError(
    "bad-input",
    "no editor is set: neither VISUAL nor EDITOR",
    "Set one: EDITOR=nano stint edit; or give the text: stint edit --file new.md",
  );
}

/** As git does it: the variable is the person's own shell text, the file an argument of its own. */
function openEditor(editor: string, { copy, project }: OpenedEdit, { env, cwd }: System): void {
  const words = ["-c", `${editor} "$@"`, editor, copy];
  const { status: code, signal, error } = spawnSync("sh", words, { cwd, env, stdio: "inherit" });
  if (error === undefined && code === 0) return;
  const why = error?.message ?? signal ?? `exit code ${code}`;
  throw new StintError(
    "bad-input",
    `the editor failed (${why}); nothing was adopted`,
    `Your text is kept; to use it anyway: stint edit ${project} --file ${shellWord(copy)}`,
  );
}
