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

const OF_PROJECT = { arguments: "[project]", argumentHelp: { project: PROJECT } };

const REASON: VerbOption = { flags: "--reason <text>", description: "why; kept for good" };

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
  "For an agent. In a session of a run it is kept for that session, and carried out\nwhen that has ended. Without a run it is about the session in hand: stint brief.";

/** What an agent says; `status` and `dispatch` mean another thing in a session. */
const SESSION_VERBS: readonly OwnVerb[] = [
  {
    name: "brief",
    arguments: "[target]",
    argumentHelp: { target: "without a run: manifest, or project by id, slug or manifest" },
    summary: "for an agent: begin the next task by hand, or print its brief again",
    details:
      "In a session of a run: prints its brief again. Without a run: hands out the\nnext task, to be worked on in this checkout, which has to be clean. Creates the\nproject if there is none; runs the checks of the task once before, and only what\na person has approved: where nobody has, it says so with exit code 3. Asked\nagain while a session is in hand it prints the same and changes nothing.",
    examples: [
      ["stint brief prompt.md", "the first task; its brief says how to end"],
      ["stint brief", "the same again, or the next task"],
    ],
  },
  {
    name: "done",
    arguments: "[task]",
    argumentHelp: { task: "the one in hand; in a session of a run: words that are kept" },
    summary: "for an agent: say that the task is finished; its checks decide",
    details: `In a session of a run: says which checks Stint will run. Without a run: runs\nthem now. They pass: the work is committed, and another session may begin. They\nfail: exit code 1 with what was seen, and the next attempt has begun with the\nfiles as they are. No attempt is left: exit code 4.`,
    options: [WHICH],
    examples: [["stint done t1", "when its brief is fulfilled"]],
  },
  {
    name: "note",
    arguments: "<text...>",
    argumentHelp: { text: "what the next session should know; - reads standard input" },
    summary: "for an agent: leave a note for the next session",
    details: `${OF_SESSION}\nIt is written below Notes of the manifest and stands in the next brief.`,
    options: [WHICH],
    examples: [['stint note "the tests need port 8080"', "the next session's brief has it"]],
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
    summary: "for an agent: say why the task cannot be fulfilled",
    details: `${OF_SESSION}\nThe same as reason: in the marker. Without a run it ends the session.`,
    options: [WHICH],
    examples: [['stint block "there is no network in here"', "then stop"]],
  },
  {
    name: "propose",
    arguments: "[step...]",
    argumentHelp: { step: "one more step, as a manifest has it; - reads standard input" },
    summary: "for an agent: propose a change of the manifest",
    details: `${OF_SESSION}\nA person decides, as about any change that a session makes to its manifest.`,
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
      goal: "what is to be reached, in one sentence; may stand alone",
    },
    summary: "write a manifest to start from, with the checks this repository has",
    details:
      "Looks for the commands that test, lint and build this repository (package.json\nand its lock file, pyproject.toml, Cargo.toml, go.mod, Makefile and the like),\nfrom the folder you are in up to the root, and says which file told of each.\nWhat makes a fresh copy ready, as npm ci, becomes setup:. Executes nothing and\nnever writes over a file.\n\nThe two tasks in it are placeholders. Give each a check that fails today and\npasses once the work is done.",
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
    arguments: "<manifest>",
    argumentHelp: { manifest: "Markdown file with a Goal and a list of Steps" },
    summary: "create a project from a manifest",
    details:
      "Reads the manifest, reports every problem at once and creates the project folder\nagents/<owner>/projects/<slug>/ in the work tree. Nothing is executed.\n\nA manifest to start from:\n  ## Goal\n  Say hello in two languages.\n\n  ## Steps\n  - [ ] english - Write hello.txt\n    - check: `grep -q Hello hello.txt`\n  - [ ] german - Write hallo.txt",
    options: [
      { flags: "--as <owner>", description: "identity of the orchestrator (default: stint)" },
      WORK_TREE,
    ],
    examples: [
      ["stint new prompt.md", "create a project for prompt.md"],
      ["stint new docs/move.md --as night", "owned by another orchestrator"],
    ],
  },
  {
    name: "lint",
    arguments: "<manifests...>",
    argumentHelp: { manifests: "Markdown files to check" },
    summary: "check manifests and show how to mend them",
    details:
      "Exit code 0 with warnings, 2 with errors. Nothing is written. A review log\n(docs/_feedback.md, or iteration.review_log) is explained instead: its items,\nand by what each is resolved.",
    options: [WORK_TREE],
    examples: [
      ["stint lint prompt.md", "every problem with its line"],
      ["stint lint docs/_feedback.md", "which review items are open, which resolved"],
      ["stint lint tasks/*.md --json", "for a program"],
    ],
  },
  {
    name: "plan",
    arguments: "[target]",
    argumentHelp: { target: "manifest, or project by id, slug or manifest" },
    summary: "show what would be done, before anything is",
    details:
      "Where sessions would work and what they would find there, tasks with their\nchecks, limits, how many sessions it may take, what you will be asked, and every\ncommand that Stint may execute. A workflow is shown as a tree, with what is\nplanned, used and left of its bounds. Creates the project if there is\nnone; executes nothing. With plan: review in the manifest's front matter nothing\nis started before you say so: stint approve plan. Options of run that change\nany of it are taken here too.",
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
    argumentHelp: { target: "manifest, or project by id, slug or manifest" },
    summary: "take a manifest to verified Done",
    details:
      "Creates the project if there is none, approves the manifest as it stands, and\nstarts one fresh agent session after another until every task is verified by\nits checks. Ends with what happened and the command that goes on from there.\nSessions work in a copy of the last commit: your checkout and what you have not\ncommitted stay as they are.\n\nWhere the provider refuses (usage limit, overload), it says until when, sleeps\nwithout holding anything, and goes on by itself; Ctrl-C leaves at any time.",
    options: [
      AGENT,
      {
        flags: "--approve-plan",
        description: "say yes to the plan also where it asks for an explicit word",
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
      ["stint run prompt.md --include-changes", "from your uncommitted changes, not only commits"],
      ["stint run prompt.md --in-place", "in the checkout itself, as without git"],
      ["stint run ~/notes/move.md --dir ~/shop", "a manifest that lies outside of the repository"],
      ["stint run prompt.md --detach", "in the background; stint watch shows it"],
      ["stint run prompt.md --sessions 1", "one session, then pause and look"],
      ["stint run prompt.md --no-wait", "from a scheduler: exit code 1 where it would wait"],
    ],
  },
  {
    name: "resume",
    ...OF_PROJECT,
    summary: "go on with a project, by its id alone, from any folder",
    details:
      "First ends what a killed run left, then verifies that everything done before is\nstill there, and only then goes on. Nothing that is done is done again. Agent,\nsession policy, isolation, kind of workspace, delivery and push stay as they\nwere, unless others are given.",
    options: [
      { flags: "--agent <agent>", description: "as for run" },
      DETACH,
      {
        flags: "--unattended <why>",
        description: "nobody is there: pass no gate, lift no limit; why is kept for good",
      },
      ...RUN_OPTIONS,
    ],
    examples: [
      ["stint resume", "the project of this work tree"],
      ["stint resume p-4k2j9x", "from any folder, also after kill -9"],
      ["stint resume p-4k2j9x --retry", "after what blocked it was mended"],
      ["stint resume p-4k2j9x --now", "although its agent's limit is not over yet"],
      ["stint resume p-4k2j9x --grant sessions=10", "when its budget is used up"],
      ["stint resume p-4k2j9x --unattended 'the machine restarted'", "from a script of yours"],
    ],
  },
  {
    name: "iterate",
    arguments: "<request>",
    argumentHelp: {
      request: 'what is to be done; "iteration": the open items of the review log',
    },
    summary: "take one request to Done within its bounds, or make a workflow of it",
    details:
      "A request that is one piece of bounded work becomes an iteration and runs at\nonce, as run would. One that spans several pieces, or would break a bound,\nbecomes a workflow: it says which bound, shows the steps and ends with exit\ncode 3; nothing of it is done before you approve it. Both are manifests in\n<workflow dir>/<task id>/, outside of the repository, and neither is written\nover another text: the same request goes on with what is there, and\nthat for the review log with what is unfinished. What it works by: stint config.",
    options: [AGENT, ...ITERATION_OPTIONS, ...RUN_OPTIONS.filter(({ flags }) => !isReport(flags))],
    examples: [
      ['stint iterate "fix the parser"', "one iteration, at once"],
      ["stint iterate iteration", "the open items of docs/_feedback.md"],
      [
        'stint iterate "add tests, migrate the config and update the docs" --task-id tidy',
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
      "Each value comes from an option, from the front matter of the manifest that you\nname, from stint.config.yaml, from the environment, from the repository, or is\nthe default. Changes nothing. What each setting means: docs/configuration.md.",
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
    summary: "watch a run that is at work, and leave again",
    details:
      "Shows what run would show: a live view on a terminal, plain lines in a pipe,\nfrom the last ten lines on. Ctrl-C leaves, and the run goes on. It may be in the\nbackground (stint run --detach) or in another terminal; of that one the lines of\nthe journal are shown. Ends with the run, and with its exit code.",
    options: [{ flags: "--plain", description: "plain lines, also on a terminal" }],
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
      "Where it stands, what waits for you, what is next and what it cost; then the\ntasks. Reads the last durable revision. Takes no lock and waits for nobody. A\nworkflow is shown as a tree, with what is planned, used and left of its bounds.\n\nIn the shell of a session it says in two lines where the session's own project\nstands; with an option it is as everywhere.",
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
      ["stint status p-4k2j9x --json", "by the beginning of its id, for a program"],
    ],
  },
  {
    name: "show",
    arguments: "<what> [words...]",
    argumentHelp: {
      what: "a task by id or name, or a session: s3, or session 3",
      words: `which project (${PROJECT})`,
    },
    summary: "show all that is known of one task or session, in one place",
    details:
      "What it was told (the brief), what it changed, how it ended and its last words,\nits checks with the end of their output and where the evidence lies, its labels,\nand why it failed. Of a task: every attempt, newest first. Reads files only,\nalso beside a live run.",
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
    summary: "show what was planned against what is there, or what an approval is about",
    details:
      "Without an item: the manifest as it was approved against the file as it is. With\none: exactly what your yes would be bound to, and whether that is still there.",
    examples: [
      ["stint diff", "what changed in the manifest since it was approved"],
      ["stint diff a1", "what approval a1 is about"],
    ],
  },
  {
    name: "shell",
    arguments: "[task] [project]",
    rest: "[-- command...]",
    argumentHelp: {
      task: "id or name; its unfinished work is laid there first",
      project: PROJECT,
    },
    summary: "look into the workspace: a shell there, or one command",
    details:
      "Opens $SHELL where sessions work, as they find it: at the path of the repository\nwhere that is possible, with the same isolation. Your checkout is not touched.\nWith a task that is not done, what you change there counts as work on it: its\nnext attempt goes on from it. Otherwise it is thrown away when you leave, and\nnamed; files that git ignores stay. Needs that no run is live: stint pause.\nThe exit code is that of the command; 0 of a shell.",
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
    summary: "change the manifest, also while a session is at work",
    details:
      "Opens $VISUAL or $EDITOR on a copy. What you changed, and nothing else, goes\ninto the file and is yours, whatever a session does to it meanwhile. Where both\ntouched the same lines nothing is written and your text is kept. A new command\nstill needs your yes before it is executed.",
    options: [
      { flags: "--file <path>", description: "take the whole text from a file instead" },
      {
        flags: "--split <task>",
        description: "make one task of each piece of work that this one names; not with --file",
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
      words: "a task or a dispatch, what came of it, and which project",
    },
    words: ["list", "send", "cancel", "return", "adopt"],
    summary: "give work to somebody else, see who has what, and bring it back",
    details:
      "list [project]             what is out, with its next look and deadline\nsend <task> [project]      to somebody outside: --to and --returns say who does\n                           it and by what it is known to be back\ncancel <dispatch> [project]\n                           no longer wait for it; its task is blocked until\n                           stint retry\nreturn <dispatch> <words> [project]\n                           what came of it, from whoever did it; its checks\n                           decide whether it is done\nadopt [project]            what the session at work leaves running may go on,\n                           for an hour or --deadline, before it is ended\n\n--returns is message, file <path>, a command in backticks, or GET <address>\n<status>, as returns: in a manifest. Without --look it is looked at every 5\nminutes, without --deadline it is given up after 24 hours and sent again while\nattempts remain. Works while a run is live and when none is.\n\nFor an agent, stint dispatch <owner> --returns <condition> gives the task of its\nsession to somebody outside, as delegate: in the marker does, in a session of a\nrun and without one; what only a person may do is refused there.",
    options: [
      { flags: "--to <owner>", description: "who does it" },
      { flags: "--returns <condition>", description: "by what it is known to be back" },
      { flags: "--look <duration>", description: "how often it is looked at, as 30m" },
      { flags: "--deadline <duration>", description: "when it is given up, as 3d" },
      { flags: "--failed", description: "of return: it could not be done" },
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
        "in a session: its own task, once it exits",
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
      "Every dispatch with its owner, by what it comes back, where it stands and what\ncame of it. Reads only.",
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
      "Into the branch that the project was started on, also where deliver: keeps it\nwaiting, as for the shared default branch. Nothing of yours is overwritten: what\nis in the way is named, with what to do about it (exit code 3). Where you are on\nanother branch, that one alone moves and your checkout stays as it is. Pushed as\nthe project says. Completes a delivery that was interrupted. Needs that no run\nis live: stint pause.",
    options: [
      {
        flags: "--into <branch>",
        description: "a local branch that the work goes to instead, from now on",
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
      "Recomputes from the files alone whether what was done is still there: the id is\nthe same everywhere; every done task has its evidence, box and commit; the\nsessions follow each other without a gap or a repetition. Says what is proven\nand by which evidence. Changes nothing. Exit code 0 when it is intact, also\nwhile work remains; 5 when it is not.\n--fresh proves what is committed in a fresh clone now and records the answer: 4\nwhen a check fails there, 1 when it could not be asked.\n\n--branch asks another question, in any clone and without the project: what the\nnotes of refs/notes/stint say of each task on that branch. Exit code 0 when\nevery task is verified, else 1. With --signers only what one of them signed\ncounts.",
    options: [
      { flags: "--fresh", description: "prove what is committed in a fresh clone first" },
      {
        flags: "--sessions",
        description: "answer as the multi-session method asks: proper cross-session persistence?",
      },
      { flags: "--branch <branch>", description: "judge a branch by its notes alone" },
      {
        flags: "--signers <file>",
        description: "whose signatures count: a file of allowed signers (ssh)",
      },
    ],
    examples: [
      ["stint verify", "the project of this work tree"],
      ["stint verify --fresh", "does a clone of it pass?"],
      ["stint verify --branch main", "the tasks on a branch, in any clone"],
      ["stint verify p-4k2j9x --json", "for a program"],
    ],
  },
  {
    name: "doctor",
    ...OF_PROJECT,
    summary: "look for damage, repair it, adopt a project from elsewhere",
    details:
      "Without a flag nothing is changed. Exit code 5 while a problem is left.\n--repair rebuilds state and journal from every copy there is and says what it\ninferred.\n--adopt trusts the project folders of this work tree that this machine has no\nrecord of.",
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
    summary: "show what nothing needs any more, and remove it",
    details:
      "Workspaces of projects that are over or gone, what killed processes left, and\nentries of checkouts that are gone. Without --yes nothing is removed. What is\nthe only copy of something stays unless --force names its project; nothing of\na project that a run holds is touched. Exit code 5 when something could not be\nremoved.",
    options: [
      { flags: "--yes", description: "remove what is shown" },
      {
        flags: "--force <id>",
        description: "also the only copies of this project; again for another one",
        repeatable: true,
      },
    ],
    examples: [
      ["stint clean", "see what could go, and how much it takes"],
      ["stint clean --yes", "remove it"],
      ["stint clean --yes --force p-4k2j9x8m1q", "with unfinished work of that project"],
    ],
  },
  {
    name: "watchdog",
    arguments: "<action> [project]",
    argumentHelp: {
      action: "tick, install, remove or status",
      project: "of tick: this one alone; default: every one",
    },
    words: ["tick", "install", "remove", "status"],
    summary: "resume by itself what was killed, paused until now, or answered",
    details:
      "tick is one pass over every project. It resumes in the background, by stint\nresume --unattended, a project whose run was killed, whose limit is over, whose\nanswer nobody has taken up, or whose delegated work is due. After two times\nwithout progress the project is paused and you are told, once. It starts nothing\nthat you have not started, passes no gate, and is silent when there is nothing.\n\ninstall has the machine tick every 5 minutes: a timer of systemd, an agent of\nlaunchd, a line of the crontab, or a small process; remove takes it away again,\nand status shows it. Also without it, stint run --watchdog has a process beside\nthe run that resumes it where it is killed. watchdog: off in stint.config.yaml\nturns all of it off.",
    options: [
      { flags: "--kind <kind>", description: "of install: systemd, launchd, cron or process" },
      {
        flags: "--wait",
        description: "of tick with a project: stay until nothing of it would come due by itself",
      },
    ],
    examples: [
      ["stint watchdog tick", "one pass, from a scheduler of your own"],
      ["stint watchdog install", "every 5 minutes, by what this machine has"],
      ["stint watchdog status", "what ticks, when it did last, what it watches"],
      ["stint watchdog remove", "without a trace"],
    ],
  },
  {
    name: "agents",
    summary: "which coding agents are installed, and how they would run",
    details:
      "Asks each program for its version and, where it has a command for that, whether\nsomebody is logged in. Starts no session and sends no prompt.",
    examples: [
      ["stint agents", "what can be given to --agent here"],
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
    summary: "teach agents to work with Stint, and check skills, also your own",
    details:
      "A skill is a text that an agent reads when it needs it. install puts Stint's\ninto .claude/skills (Claude Code) and .agents/skills (all others) of the work\ntree, or of your home folder. What you edited or put there yourself is left and\nnamed, no link is followed, and remove takes away what install made, folders\nincluded.\ncheck judges any skill: a description that says what, when and when not; nothing\nneeded from outside its folder; detail in references; rules in tags.\nExit code 1 when something was left, 2 when check finds errors.",
    options: [
      {
        flags: "--agent <agent>",
        description: "only where this agent reads; again for another one (default: all)",
        repeatable: true,
      },
      {
        flags: "--as <name>",
        description:
          "by a name that you know it by, instead of stint: cross-session-iterative, multi-session-orchestrator, iteration, project-loop or long-task-coordinator; again for another one",
        repeatable: true,
      },
      { flags: "--project", description: "in this work tree (default; list shows both)" },
      { flags: "--user", description: "in your home folder, for all your work" },
    ],
    examples: [
      ["stint skills install", "for every agent that works in this repository"],
      ["stint skills install --user --agent claude", "for Claude Code, wherever you work"],
      ["stint skills install --as iteration", "to be called by that name"],
      ["stint skills list", "what is installed, and whether it is current"],
      ["stint skills check .claude/skills/my-skill", "what is wrong with a skill, by line"],
      ["stint skills remove", "without a trace"],
    ],
  },
  {
    name: "mcp",
    arguments: "[act]",
    words: ["install", "remove", "list"],
    argumentHelp: {
      act: "install, remove or list; without it, it serves the agent that started it",
    },
    summary: "an MCP server for agents, and its place in their settings",
    details:
      "Without a word it speaks the Model Context Protocol on standard input and\noutput with the agent that started it, and ends with it. In a session of a run\nits tools are brief, report, ask, block, propose, dispatch and results, the same\nas the verbs there; without a run these work as the verbs do then, and there are\ncreate, status, log and questions. No tool approves, answers, skips or accepts\nanything.\ninstall writes it into the settings of an agent, remove takes it out again.\nEvery other byte of the file stays, an entry stint that is not as Stint writes\nit is left and named, and no link is followed. Exit code 2 when something was\nleft.",
    options: [
      {
        flags: "--agent <agent>",
        description:
          "claude, codex, gemini, opencode, copilot, qwen, cline, kimi, qodercli or auggie; again for another one (default of remove and list: all)",
        repeatable: true,
      },
      { flags: "--project", description: "in this work tree (default; list shows both)" },
      { flags: "--user", description: "in your home folder, for all your work" },
    ],
    examples: [
      ["stint mcp install --agent claude", "in .mcp.json of this work tree"],
      ["stint mcp install --user --agent codex --agent gemini", "for all your work"],
      ["stint mcp list", "in which settings it is"],
      ["stint mcp remove", "from this work tree, without a trace"],
      ["stint mcp", "what agents start"],
    ],
  },
  {
    name: "demo",
    summary: "watch a list survive from one process to the next",
    details:
      "Plays a three-task migration in a scratch repository with the scripted agent, in\ntwo separate processes: the first does one task and ends, the second is given\nonly the id. Each prints its report from what is persisted. Needs git, no agent\nand no credentials. Exit code 0 when the three criteria of stint verify hold,\nelse 5, and the scratch folder is kept.",
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
    argumentHelp: { shell: "bash, zsh or fish" },
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
