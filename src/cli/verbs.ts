// Every verb, in the order a person meets them: its words, its options, its help. What runs stands in runners.ts.
import {
  ANSWER_VERBS,
  type AnswerVerb,
  type AnswerVerbName,
} from "../operations/answers/answer-verbs.ts";
import {
  AGENT,
  DETACH,
  ITERATION_OPTIONS,
  PLACE_OPTIONS,
  RUN_OPTIONS,
  SESSION_OPTIONS,
  WORK_TREE,
} from "./run-options.ts";
import type { VerbName } from "./runners.ts";
import { PROJECT, type Verb, type VerbOption } from "./verb.ts";

/** Of a manifest or target. */
const WITHOUT_IT = " (default: the project of this work tree, or prompt.md)";

const OF_PROJECT = { arguments: "[project]", argumentHelp: { project: PROJECT } };

const REASON: VerbOption = {
  flags: "--reason <text>",
  description: "why; it is kept in the journal",
};

/** A request is told as what it became, not as one session of a list. */
function isReport(flags: string): boolean {
  return flags.startsWith("--report ");
}

/** One that the command line has, with what runs. */
export type OwnVerb = Verb & { readonly name: VerbName };

/** Which project it is about, where no run has started the session. */
const WHICH: VerbOption = {
  flags: "--project <project>",
  description: "without a run: which project; default: the one of this work tree",
};

const OF_SESSION =
  "For an agent. In a session of a run it is applied when the session has ended.\nWithout a run it is about the open session: stint brief.";

/** What an agent says; `status` and `dispatch` mean another thing in a session. */
const SESSION_VERBS: readonly OwnVerb[] = [
  {
    name: "brief",
    arguments: "[target]",
    argumentHelp: { target: "without a run: manifest, or project by id, slug or manifest" },
    summary: "for an agent: start the next task yourself, or print its brief again",
    details:
      "In a session of a run: prints its brief again. Without a run: starts a session\non the next task, in this checkout, which must be clean. Creates the project if\nthere is none. Runs the checks of the task once first, but only if a person has\napproved them; if not, it says so with exit code 3. While a session is open it\nprints the same brief and changes nothing.",
    examples: [
      ["stint brief prompt.md", "the first task; its brief says how to end"],
      ["stint brief", "the same again, or the next task"],
    ],
  },
  {
    name: "done",
    arguments: "[task]",
    argumentHelp: { task: "the open task (default); in a session of a run: a text that is kept" },
    summary: "for an agent: say that the task is finished; its checks decide",
    details: `In a session of a run: says which checks Stint will run. Without a run: runs\nthem now. If they pass, the work is committed, and another session may begin. If\nthey fail, exit code 1 with their output; the next attempt has started with the\nfiles as they are. If no attempt is left, exit code 4.`,
    options: [WHICH],
    examples: [["stint done t1", "when you have done what the brief says"]],
  },
  {
    name: "note",
    arguments: "<text...>",
    argumentHelp: { text: "what the next session should know; - reads standard input" },
    summary: "for an agent: leave a note for the next session",
    details: `${OF_SESSION}\nIt is written below Notes of the manifest and is in the next brief.`,
    options: [WHICH],
    examples: [['stint note "the tests need port 8080"', "it is in the next session's brief"]],
  },
  {
    name: "ask",
    arguments: "<question...>",
    argumentHelp: { question: "what only a person can decide; - reads standard input" },
    summary: "for an agent: ask a person",
    details: `${OF_SESSION}\nThe same as question: in the marker. Five at most in one session of a run;\nwithout a run it ends the session.`,
    options: [WHICH],
    examples: [['stint ask "Which colour, red or blue?"', "then stop: the next brief answers"]],
  },
  {
    name: "block",
    arguments: "<reason...>",
    argumentHelp: { reason: "what was tried, and what is missing; - reads standard input" },
    summary: "for an agent: say why the task cannot be done",
    details: `${OF_SESSION}\nThe same as reason: in the marker. Without a run it ends the session.`,
    options: [WHICH],
    examples: [['stint block "there is no network in here"', "then stop"]],
  },
  {
    name: "propose",
    arguments: "[step...]",
    argumentHelp: { step: "one more step, written as in a manifest; - reads standard input" },
    summary: "for an agent: propose a change of the manifest",
    details: `${OF_SESSION}\nA person decides about it.`,
    options: [{ flags: "--file <path>", description: "the whole manifest as it should be" }, WHICH],
    examples: [
      ['stint propose "french - Write salut.txt"', "one more step"],
      ["stint propose --file /tmp/prompt.md", "any other change"],
    ],
  },
];

export const VERBS: readonly OwnVerb[] = [
  {
    name: "init",
    arguments: "[path] [goal]",
    argumentHelp: {
      path: "the file to write, ending in .md, or a folder for it (default: prompt.md)",
      goal: "the goal, in one sentence; you may leave out the path",
    },
    summary: "write a manifest to start from, with the checks this repository has",
    details:
      "Looks for the commands that test, lint and build this repository, and says in\nwhich file it found each. It reads package.json and its lock file,\npyproject.toml, Cargo.toml, go.mod, Makefile and the like, from the current\nfolder up to the root. A command that prepares a fresh copy, such as npm ci,\nbecomes setup:. Executes nothing and never overwrites a file.\n\nThe two tasks in it are placeholders: stint lint names what you have not\nreplaced yet. Give each task a check that fails today and passes when the work\nis done.",
    options: [{ flags: "--print", description: "print the text and write nothing" }],
    examples: [
      ["stint init", "write prompt.md"],
      ['stint init "Move to Postgres"', "with a goal"],
      ['stint init docs/move.md "Move to Postgres"', "into another file"],
      ["stint init --print", "see it first"],
    ],
  },
  {
    name: "new",
    arguments: "[manifest]",
    argumentHelp: {
      manifest: "Markdown file with a Goal and a list of Steps (default: prompt.md)",
    },
    summary: "create a project from a manifest",
    details:
      "Reads the manifest, reports every problem at once and creates the project folder\nagents/<owner>/projects/<slug>/ in the work tree. Nothing is executed.\n\nA manifest to start from:\n  ## Goal\n  Say hello in two languages.\n\n  ## Steps\n  - [ ] english - Write hello.txt\n    - check: `grep -q Hello hello.txt`\n  - [ ] german - Write hallo.txt",
    options: [
      {
        flags: "--as <owner>",
        description: "the name under which Stint owns the project (default: stint)",
      },
      WORK_TREE,
    ],
    examples: [
      ["stint new prompt.md", "create a project for prompt.md"],
      ["stint new docs/move.md --as night", "owned by another orchestrator"],
    ],
  },
  {
    name: "lint",
    arguments: "[manifests...]",
    argumentHelp: { manifests: `Markdown files to check${WITHOUT_IT}` },
    summary: "check manifests and show how to fix them",
    details:
      "Exit code 0 with warnings, 2 with errors. Nothing is written. A review log\n(docs/_feedback.md, or iteration.review_log) is explained instead: its items,\nand what resolves each.",
    options: [WORK_TREE],
    examples: [
      ["stint lint prompt.md", "every problem with its line"],
      ["stint lint docs/_feedback.md", "which review items are open, and which are resolved"],
      ["stint lint tasks/*.md --json", "for a program"],
    ],
  },
  {
    name: "plan",
    arguments: "[target]",
    argumentHelp: { target: `manifest, or project by id, slug or manifest${WITHOUT_IT}` },
    summary: "show what would be done, before doing it",
    details:
      "Shows where sessions would work and what they would find there, the tasks with\ntheir checks, the limits, and every command that Stint may execute. Also shows\nhow many sessions it may take and what you will be asked. Creates the project if\nthere is none; executes nothing.\n\nA workflow is shown as a tree, with what is planned, used and left of its\nlimits. With plan: review in the manifest's front matter nothing starts before\nyou say so: stint approve plan. It takes the options of run that change any of\nthis.",
    options: [AGENT, ...SESSION_OPTIONS, ...PLACE_OPTIONS, WORK_TREE],
    examples: [
      ["stint plan prompt.md", "look before the first run"],
      ["stint plan prompt.md --agent codex --in-place", "as it would be with these options"],
      ["stint plan p-4k2j9x --json", "for a program"],
    ],
  },
  {
    name: "run",
    arguments: "[target]",
    argumentHelp: { target: `manifest, or project by id, slug or manifest${WITHOUT_IT}` },
    summary: "take a manifest to verified Done",
    details:
      "Creates the project if there is none, approves the manifest as it is, and starts\none fresh agent session after another until every task is verified by its\nchecks. Ends with what happened and the command that continues from there.\nSessions work in a copy of the last commit: your checkout and your uncommitted\nchanges stay as they are.\n\nIf the provider refuses (usage limit, overload), it says until when, sleeps\nwithout holding anything, and then continues; Ctrl-C leaves at any time.",
    options: [
      AGENT,
      {
        flags: "--approve-plan",
        description: "approve the plan, even if the manifest says plan: review",
      },
      DETACH,
      WORK_TREE,
      ...RUN_OPTIONS,
    ],
    examples: [
      ["stint run prompt.md", "with Claude Code"],
      ["stint run prompt.md --agent codex", "with Codex"],
      ["stint run prompt.md --agent 'command:./agent.sh --fast'", "with any program"],
      ["stint run prompt.md --agent claude --fallback codex", "Codex while Claude is limited"],
      ["stint run prompt.md --max-cost 20 --max-wall 8h", "overnight, for at most $20"],
      ["stint run prompt.md --include-changes", "start from your uncommitted changes"],
      ["stint run prompt.md --in-place", "in the checkout itself, as without git"],
      ["stint run ~/notes/move.md --dir ~/shop", "a manifest outside the repository"],
      ["stint run prompt.md --detach", "in the background; stint watch shows it"],
      ["stint run prompt.md --sessions 1", "one session, then pause and look"],
      ["stint run prompt.md --no-wait", "from a scheduler: exit code 1 instead of waiting"],
    ],
  },
  {
    name: "resume",
    ...OF_PROJECT,
    summary: "continue a project by its id, from any folder",
    details:
      "First ends what a killed run left running, then verifies that everything done\nbefore is still there, and only then continues. Nothing that is done is done\nagain. Agent, session policy, isolation, kind of workspace, delivery and push\nstay as they were, unless you give others.",
    options: [
      { flags: "--agent <agent>", description: "as for run" },
      DETACH,
      {
        flags: "--unattended <why>",
        description: "for scripts: pass no gate, lift no limit; the reason is kept in the journal",
      },
      ...RUN_OPTIONS,
    ],
    examples: [
      ["stint resume", "the project of this work tree"],
      ["stint resume p-4k2j9x", "from any folder, also after kill -9"],
      ["stint resume p-4k2j9x --retry", "after you fixed what blocked it"],
      ["stint resume p-4k2j9x --now", "even if its agent's limit is not over yet"],
      ["stint resume p-4k2j9x --grant sessions=10", "when its budget is used up"],
      ["stint resume p-4k2j9x --unattended 'the machine restarted'", "from your own script"],
    ],
  },
  {
    name: "iterate",
    arguments: "<request>",
    argumentHelp: {
      request: 'what is to be done; "iteration": the open items of the review log',
    },
    summary: "do one small request at once, or make a workflow of a larger one",
    details:
      'A request that is one small piece of work becomes an iteration and runs at once,\nlike run. A request with several pieces, or one that would break a limit,\nbecomes a workflow. Then Stint says which limit, shows the steps and ends with\nexit code 3; nothing is done before you approve it.\n\nBoth are manifests in <workflow dir>/<task id>/, outside the repository, and\nnever overwrite another text. The same request continues what is there, and\n"iteration" continues what is unfinished. The settings: stint config.',
    options: [AGENT, ...ITERATION_OPTIONS, ...RUN_OPTIONS.filter(({ flags }) => !isReport(flags))],
    examples: [
      ['stint iterate "fix the parser"', "one iteration, at once"],
      ["stint iterate iteration", "the open items of docs/_feedback.md"],
      [
        'stint iterate "add tests, migrate the config and update docs" --task-id tidy',
        "a workflow of three steps, which waits for your yes",
      ],
    ],
  },
  {
    name: "config",
    arguments: "[manifest]",
    argumentHelp: { manifest: "its front matter wins over the settings of the repository" },
    summary: "show every setting, its value and where it comes from",
    details:
      "Each value comes from an option, the front matter of the manifest that you name,\nstint.config.yaml, the environment, the repository, or is the default. Changes\nnothing. What each setting means: docs/configuration.md.",
    options: ITERATION_OPTIONS,
    examples: [
      ["stint config", "the settings of this work tree"],
      ["stint config prompt.md", "as they are for this manifest"],
      ["stint config --task-id big-change --json", "as they would be, for a program"],
    ],
  },
  {
    name: "watch",
    ...OF_PROJECT,
    summary: "watch a live run, and leave again",
    details:
      "Shows what run would show: a live view on a terminal, plain lines in a pipe,\nstarting with the last ten lines. Ctrl-C leaves, and the run continues. The run\nmay be in the background (stint run --detach) or in another terminal; for the\nlatter the lines of the journal are shown. Ends with the run and its exit code.",
    options: [{ flags: "--plain", description: "plain lines, even on a terminal" }],
    examples: [
      ["stint run prompt.md --detach", "start it in the background"],
      ["stint watch", "look at it; Ctrl-C leaves"],
      ["stint stop", "end it"],
    ],
  },
  {
    name: "status",
    ...OF_PROJECT,
    summary: "show where a project stands",
    details:
      "Where it stands, what waits for you, what is next and what it cost; then the\ntasks. Reads the last durable revision. Takes no lock and waits for nobody. A\nworkflow is shown as a tree, with what is planned, used and left of its limits.\n\nIn the shell of a session it says in two lines where the session's own project\nstands; with an option it prints the usual text, unless isolation hides Stint's\nstate from the session.",
    options: [
      { flags: "--all", description: "every task, not only those around the current one" },
      {
        flags: "--verbose",
        description: "also the goal, roles, evidence, revision and workspace",
      },
      {
        flags: "--exit-code",
        description: "exit 0 done, 1 work remains, 3 waits for you, 4 blocked",
      },
    ],
    examples: [
      ["stint status", "the project of this work tree"],
      ["stint status p-4k2j9x --json", "by the start of its id, for a program"],
    ],
  },
  {
    name: "show",
    arguments: "<what> [words...]",
    argumentHelp: {
      what: "a task by id or name, or a session: s3, or session 3",
      words: `which project (${PROJECT})`,
    },
    summary: "show everything about one task or session",
    details:
      "Shows what it changed, how it ended and its last words, its checks with the end\nof their output and the path of the evidence, its labels, and why it failed. For\na task: every attempt, newest first, with the paths of its brief and its log.\nFor a session: also its whole brief. Only reads files, also while a run is live.",
    examples: [
      ["stint show t2", "a task, with all its attempts"],
      ["stint show s3", "the third session, with its brief"],
      ["stint show session 3 p-4k2j9x --json", "of another project, for a program"],
    ],
  },
  {
    name: "diff",
    arguments: "[item] [project]",
    argumentHelp: {
      item: "an approval, as status names it; default: the manifest",
      project: PROJECT,
    },
    summary: "compare the plan with what is there, or show what an approval is about",
    details:
      "Without an item: compares the approved manifest with the file as it is. With an\nitem: shows exactly what your yes would cover, and whether that is still there.",
    examples: [
      ["stint diff", "what changed in the manifest since it was approved"],
      ["stint diff a1", "what approval a1 is about"],
    ],
  },
  {
    name: "shell",
    arguments: "[task] [project]",
    rest: "[-- command...]",
    isInteractive: true,
    argumentHelp: {
      task: "id or name; its unfinished work is put there first",
      project: PROJECT,
    },
    summary: "look into the workspace: a shell there, or one command",
    details:
      "Opens $SHELL where sessions work, as they see it: at the path of the repository\nif possible, with the same isolation. Your checkout is not touched. No run may\nbe live: stint pause.\n\nIf you name a task that is not done, your changes count as work on it, and its\nnext attempt continues from them. Otherwise they are listed and discarded when\nyou leave; ignored files stay.\nThe exit code is that of the command, or 0 for a shell.",
    examples: [
      ["stint shell", "look around, as the last session left it"],
      ["stint shell t2", "with the unfinished work of t2, and change it"],
      ["stint shell t2 -- npm test", "one command, with its exit code"],
    ],
  },
  answerVerb("approve"),
  answerVerb("deny"),
  answerVerb("answer"),
  answerVerb("accept"),
  {
    name: "edit",
    ...OF_PROJECT,
    summary: "change the manifest, also during a session",
    details:
      "Opens $VISUAL or $EDITOR on a copy. Exactly your changes go into the file,\nwhatever a session does to it meanwhile. If both changed the same lines, nothing\nis written and your text is kept. A new command still needs your yes before it\nis executed.",
    options: [
      { flags: "--file <path>", description: "take the whole text from a file instead" },
      {
        flags: "--split <task>",
        description: "split this task into one task for each piece of work; not with --file",
      },
    ],
    examples: [
      ["stint edit", "the manifest of this work tree"],
      ["EDITOR='code --wait' stint edit p-4k2j9x", "with an editor of your choice"],
      ["stint edit --split t3", "t3 has two verbs: two tasks, as lint writes them"],
    ],
  },
  {
    name: "dispatch",
    arguments: "<act> [words...]",
    argumentHelp: {
      act: "list, send, cancel, return or adopt",
      words: "a task or a dispatch, its result, and which project",
    },
    words: ["list", "send", "cancel", "return", "adopt"],
    summary: "give work to somebody else, see who has it, and take it back",
    details:
      "list [project]             work that is out, with its next look and deadline\nsend <task> [project]      to somebody outside: --to says who does it, --returns\n                           how Stint knows that it is back\ncancel <dispatch> [project]\n                           no longer wait for it; its task is blocked until\n                           stint retry\nreturn <dispatch> <words> [project]\n                           the result, from whoever did it; its checks decide\n                           whether it is done\nadopt [project]            let processes that the current session leaves running\n                           finish, for an hour or --deadline\n\n--returns is message, file <path>, a command in backticks, or GET <address>\n<status>, like returns: in a manifest. Without --look Stint looks every 5\nminutes; without --deadline it gives up after 24 hours and sends the task again\nwhile attempts remain. Works with and without a live run.\n\nFor an agent, stint dispatch <owner> --returns <condition> gives the task of its\nsession to somebody outside, like delegate: in the marker, in a session of a run\nand without one. What only a person may do is refused there.",
    options: [
      { flags: "--to <owner>", description: "who does it" },
      { flags: "--returns <condition>", description: "how Stint knows that it is back" },
      { flags: "--look <duration>", description: "how often Stint looks, for example 30m" },
      { flags: "--deadline <duration>", description: "when Stint gives up, for example 3d" },
      { flags: "--failed", description: "for return: it could not be done" },
      REASON,
      WHICH,
    ],
    examples: [
      ["stint dispatch list", "who has what"],
      [
        'stint dispatch send t3 --to "the design team" --returns "file design/logo.svg"',
        "t3 is back when the file is in your checkout",
      ],
      [
        'stint dispatch "the design team" --returns "file logo.svg"',
        "in a session: its own task, when it exits",
      ],
      [
        "stint dispatch send t4 --to ci --returns '`gh run view 7 --exit-status`' --look 10m",
        "t4 is back when the command succeeds",
      ],
      ['stint dispatch return d1 "merged as #42"', "from whoever did it"],
      ['stint dispatch return d1 "nobody has the fonts" --failed', "it is sent again"],
      ['stint dispatch cancel d1 --reason "we bought one"', "no longer wait for it"],
      ["stint dispatch adopt --deadline 30m", "let what the session leaves running finish"],
    ],
  },
  {
    name: "results",
    ...OF_PROJECT,
    summary: "what was delegated, to whom, and what came back",
    details:
      "Shows every dispatch with its owner, its return condition, its status and its\nresult. Only reads.",
    examples: [
      ["stint results", "the project of this work tree"],
      ["stint results p-4k2j9x --json", "for a program"],
    ],
  },
  ...SESSION_VERBS,
  {
    name: "deliver",
    ...OF_PROJECT,
    summary: "bring verified work that waits into your branch",
    details:
      "Brings it into the branch that the project was started on, even if deliver:\nmakes it wait, and even into the shared default branch. Nothing of yours is\noverwritten: Stint names what is in the way and how to fix it (exit code 3).\n\nIf you are on another branch, only the project's branch moves and your checkout\nstays as it is. Pushes as the project says. Completes an interrupted delivery.\nNo run may be live: stint pause.",
    options: [
      {
        flags: "--into <branch>",
        description: "another local branch; the work belongs there from now on",
      },
    ],
    examples: [
      ["stint deliver", "the project of this work tree"],
      ["stint deliver --into release p-4k2j9x", "into another branch, from any folder"],
    ],
  },
  answerVerb("skip"),
  answerVerb("retry"),
  answerVerb("reopen"),
  answerVerb("pause"),
  answerVerb("stop"),
  answerVerb("abandon"),
  {
    name: "list",
    summary: "list all projects, from any folder",
    options: [{ flags: "--ids", description: "only the ids, one per line, for scripts" }],
    examples: [
      ["stint list", "one line per project"],
      ["stint list --ids", "ids alone"],
    ],
  },
  {
    name: "log",
    ...OF_PROJECT,
    summary: "show the journal of a project",
    details: "One line per revision. The whole journal is verified before a line is shown.",
    options: [{ flags: "-n, --lines <count>", description: "only the last lines" }],
    examples: [
      ["stint log -n 20", "the last twenty revisions"],
      ["stint log --json | jq .lines[].kind", "for a program"],
    ],
  },
  {
    name: "verify",
    ...OF_PROJECT,
    summary: "is the work intact, what is proven, what rests on somebody's word",
    details:
      "Computes from the files alone whether the evidence, boxes and commits of what\nwas done are still there, and says what is proven and by which evidence. The id\nmust be the same everywhere. Every done task needs its evidence, box and commit.\nThe sessions must follow each other without a gap or a repetition. Later commits\nthat changed files of a task are named: nothing proves them. Changes nothing.\n\nExit code 0 if it is intact, also while work remains; 5 if not.\n\nWith --fresh it proves what is committed by now in a fresh clone and records the\nresult. Exit code 4 if a check fails there, 1 if the proof could not be made.\n\nWith --branch it works in any clone and without the project: it shows what the\nnotes of refs/notes/stint say about each task on that branch. Exit code 0 if\nevery task is verified, else 1, also if the clone does not have the whole\nhistory. With --signers only signatures of these people count.",
    options: [
      { flags: "--fresh", description: "prove what is committed in a fresh clone first" },
      {
        flags: "--sessions",
        description: "answer in the words of the multi-session method",
      },
      { flags: "--branch <branch>", description: "judge a branch only by its notes" },
      {
        flags: "--signers <file>",
        description: "whose signatures count: a file of allowed signers (ssh)",
      },
    ],
    examples: [
      ["stint verify", "the project of this work tree"],
      ["stint verify --fresh", "do the checks pass in a fresh clone?"],
      ["stint verify --branch main", "the tasks on a branch, in any clone"],
      ["stint verify p-4k2j9x --json", "for a program"],
    ],
  },
  {
    name: "doctor",
    ...OF_PROJECT,
    summary: "look for damage, repair it, or adopt a project from elsewhere",
    details:
      "Without an option nothing is changed. Exit code 5 while a problem is left.\nWith --repair it rebuilds state and journal from all copies and says what it\ninferred.\nWith --adopt it trusts project folders of this work tree that this machine has\nno record of.",
    options: [
      { flags: "--repair", description: "repair what is damaged" },
      { flags: "--adopt", description: "trust the project folders of this work tree" },
    ],
    examples: [
      ["stint doctor", "look at this work tree"],
      ["stint doctor p-4k2j9x --repair", "repair one project"],
    ],
  },
  {
    name: "clean",
    summary: "show what is no longer needed, and remove it",
    details:
      "Finds workspaces of projects that are over or gone, leftovers of killed\nprocesses, and entries of checkouts that are gone. Without --yes nothing is\nremoved. The only copy of something stays unless --force names its project.\nProjects that a run holds are not touched. Exit code 5 if something could not be\nremoved.",
    options: [
      { flags: "--yes", description: "remove what is shown" },
      {
        flags: "--force <id>",
        description: "also remove the only copies of this project; repeat it for another one",
        repeatable: true,
      },
    ],
    examples: [
      ["stint clean", "see what could be removed, and how much space it takes"],
      ["stint clean --yes", "remove it"],
      ["stint clean --yes --force p-4k2j9x8m1q", "including unfinished work of that project"],
    ],
  },
  {
    name: "watchdog",
    arguments: "<action> [project]",
    argumentHelp: {
      action: "tick, install, remove or status",
      project: "for tick: only this one; default: every one",
    },
    words: ["tick", "install", "remove", "status"],
    summary: "resume projects that can continue without you",
    details:
      "tick is one pass over every project. It resumes a project in the background, by\nstint resume --unattended, if its run was killed, its limit is over, an answer\nof yours waits, or its delegated work is due. After two times without progress\nit pauses the project and tells you, once. It starts nothing that you have not\nstarted, passes no gate, and is silent if there is nothing to do.\n\ninstall makes the machine tick every 5 minutes: a systemd timer, a launchd\nagent, a line of the crontab, or a small process. remove removes it, and status\nshows it.\n\nWithout it, stint run --watchdog starts a small process that resumes the run if\nit is killed. watchdog: off in stint.config.yaml turns all of this off.",
    options: [
      { flags: "--kind <kind>", description: "for install: systemd, launchd, cron or process" },
      {
        flags: "--wait",
        description: "for tick with a project: stay until it no longer needs a watchdog",
      },
    ],
    examples: [
      ["stint watchdog tick", "one pass, from your own scheduler"],
      ["stint watchdog install", "every 5 minutes, by the machine's own scheduler"],
      ["stint watchdog status", "what ticks, when it last ticked, what it watches"],
      ["stint watchdog remove", "leaves nothing behind"],
    ],
  },
  {
    name: "agents",
    summary: "which coding agents are installed, and how they would run",
    details:
      "Asks each program for its version and, if it has a command for that, whether\nsomebody is logged in. Starts no session and sends no prompt.",
    examples: [
      ["stint agents", "what you can give to --agent here"],
      ["stint agents --json", "for a program"],
    ],
  },
  {
    name: "skills",
    arguments: "<act> [path]",
    words: ["install", "list", "check", "remove"],
    argumentHelp: {
      act: "install, list, check or remove",
      path: "for check: a skill's folder, or a folder of skills (default: those of this work tree)",
    },
    summary: "teach agents to work with Stint, and check any skill",
    details:
      "A skill is a text that an agent reads when it needs it.\n\ninstall puts Stint's skill into .claude/skills (Claude Code) and .agents/skills\n(all others) of the work tree or of your home folder. What you edited or put\nthere yourself stays and is named. No link is followed. remove removes what\ninstall made, folders included. Exit code 1 if something was left.\n\ncheck judges any skill: a description that says what, when and when not; nothing\nneeded from outside its folder; details in references; rules in tags. Exit code\n2 if it finds errors.",
    options: [
      {
        flags: "--agent <agent>",
        description: "only for this agent; repeat it for another one (default: all)",
        repeatable: true,
      },
      {
        flags: "--as <name>",
        description:
          "under another known name instead of stint: cross-session-iterative, multi-session-orchestrator, iteration, project-loop or long-task-coordinator; repeat it for another one",
        repeatable: true,
      },
      { flags: "--project", description: "in this work tree (default; list shows both)" },
      { flags: "--user", description: "in your home folder, for all your work" },
    ],
    examples: [
      ["stint skills install", "for every agent that works in this repository"],
      ["stint skills install --user --agent claude", "for Claude Code, wherever you work"],
      ["stint skills install --as iteration", "under that name"],
      ["stint skills list", "what is installed, and whether it is current"],
      ["stint skills check .claude/skills/my-skill", "what is wrong with a skill, line by line"],
      ["stint skills remove", "leaves nothing behind"],
    ],
  },
  {
    name: "mcp",
    arguments: "[act]",
    words: ["install", "remove", "list"],
    argumentHelp: {
      act: "install, remove or list; without it, serve the agent that started it",
    },
    summary: "an MCP server for agents, and its entry in their settings",
    details:
      'Without an action it speaks the Model Context Protocol on standard input and\noutput with the agent that started it, and ends with it. In a session of a run\nits tools are brief, report, ask, block, propose, dispatch and results, like the\nverbs there. Without a run these work like the verbs without a run, and there\nare also create, status, log and questions. No tool approves, answers, skips or\naccepts anything.\n\ninstall writes an entry into the settings of an agent, remove takes it out.\nEvery other byte of the file stays. An entry "stint" that Stint did not write\nstays and is named, and no link is followed. Exit code 2 if something was left.',
    options: [
      {
        flags: "--agent <agent>",
        description:
          "claude, codex, gemini, opencode, copilot, qwen, cline, kimi, qodercli or auggie; repeat it for another one (default of remove and list: all)",
        repeatable: true,
      },
      { flags: "--project", description: "in this work tree (default; list shows both)" },
      { flags: "--user", description: "in your home folder, for all your work" },
    ],
    examples: [
      ["stint mcp install --agent claude", "in .mcp.json of this work tree"],
      ["stint mcp install --user --agent codex --agent gemini", "for all your work"],
      ["stint mcp list", "in which settings it is"],
      ["stint mcp remove", "from this work tree; leaves nothing behind"],
      ["stint mcp", "this is what agents start"],
    ],
  },
  {
    name: "demo",
    summary: "watch one process continue the list of another",
    details:
      "Plays a three-task migration in a scratch repository with the scripted agent, in\ntwo separate processes: the first does one task and ends, the second gets only\nthe id. Each prints its report from the saved state. Needs git, but no agent and\nno credentials. Exit code 0 if the three criteria of stint verify hold, else 5,\nand then the scratch folder is kept.",
    options: [{ flags: "--keep", description: "keep the scratch folder and say where it is" }],
    examples: [
      ["stint demo", "about ten seconds"],
      ["stint demo --keep", "and look around afterwards"],
    ],
  },
  {
    name: "completion",
    arguments: "<shell>",
    words: ["bash", "zsh", "fish", "powershell"],
    argumentHelp: { shell: "bash, zsh, fish or powershell" },
    summary: "print a completion script for your shell",
    details:
      "It completes verbs, options and files, and asks Stint for what is open:\napprovals and questions to answer, tasks, sessions, agents and projects.",
    examples: [
      ["stint completion bash > ~/.local/share/bash-completion/completions/stint", "bash"],
      ["stint completion zsh > ~/.zfunc/_stint", "zsh, with ~/.zfunc in $fpath"],
      ["stint completion fish > ~/.config/fish/completions/stint.fish", "fish"],
      ["stint completion powershell >> $PROFILE", "PowerShell"],
    ],
  },
];

/** As the list of answers says it. */
function answerVerb(name: AnswerVerbName): OwnVerb {
  const verb: AnswerVerb = ANSWER_VERBS[name];
  const { subject, text, reason, now, summary, details, examples } = verb;
  return {
    name,
    arguments: [subject && `<${subject[0]}>`, text && "<text>", "[project]"]
      .filter(Boolean)
      .join(" "),
    argumentHelp: {
      ...(subject && { [subject[0]]: subject[1] }),
      ...(text !== undefined && { text }),
      project: PROJECT,
    },
    summary,
    ...(details !== undefined && { details }),
    options: [
      ...(reason === undefined ? [] : [REASON]),
      ...(now === undefined ? [] : [{ flags: "--now", description: now }]),
    ],
    examples,
  };
}
