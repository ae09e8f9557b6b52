// Every verb, in the order a person meets them.
import { staySmall } from "./stay-small.ts";
import type { Verb, VerbOption } from "./verb.ts";
import { run as list } from "./verbs/list.ts";
import { run as log } from "./verbs/log.ts";
import { run as status } from "./verbs/status.ts";

const PROJECT = "id, beginning of an id, slug or manifest; default: the project of this work tree";

/** What run and resume share. */
const RUN_OPTIONS: readonly VerbOption[] = [
  {
    flags: "--fallback <agent>",
    description: "takes over while the agent is refused; again for a third one",
    repeatable: true,
  },
  { flags: "--session <policy>", description: "one-task, batch:N or until-gate" },
  { flags: "--sessions <n>", description: "pause after so many sessions of this run" },
  { flags: "--retry", description: "give every blocked task another attempt" },
  { flags: "--max-cost <usd>", description: "the most the project may cost, in US dollars" },
  { flags: "--max-tokens <n>", description: "the most tokens the project may use" },
  { flags: "--max-sessions <n>", description: "the most sessions the project may have" },
  { flags: "--max-wall <duration>", description: "the longest its sessions may take, as 8h" },
  { flags: "--grant <budget>", description: "add to the budgets: sessions=10,hours=5,usd=20" },
  { flags: "--now", description: "try limited agents at once instead of waiting first" },
  { flags: "--no-wait", description: "end, paused, where every agent is limited" },
  { flags: "--unverified", description: "go on although what was done cannot be verified" },
  { flags: "--report <kind>", description: "sessions: tell the run as one session of a list" },
  { flags: "--plain", description: "plain lines, also on a terminal" },
  {
    flags: "--include-changes",
    description: "start from your uncommitted changes: they become a first commit in your name",
  },
  { flags: "--in-place", description: "work in the checkout itself instead of a copy" },
  {
    flags: "--workspace <kind>",
    description: "copy, in-place or own-path (a copy that sessions see at its own path)",
  },
  {
    flags: "--deliver <mode>",
    description: "auto, checkout, branch or ask: whether work goes into your branch by itself",
  },
  { flags: "--push <policy>", description: "auto, ask or never" },
  { flags: "--no-push", description: "push nothing; the same as --push never" },
  { flags: "--isolation <kind>", description: "auto, on or off" },
  { flags: "--model <name>", description: "the model, as the agent calls it" },
  {
    flags: "--permission <mode>",
    description: "default, read-only or dangerous: what a session may do (stint agents)",
  },
];

const REASON: VerbOption = { flags: "--reason <text>", description: "why; kept for good" };

export const VERBS: readonly Verb[] = [
  {
    name: "new",
    arguments: "<manifest>",
    argumentHelp: { manifest: "Markdown file with a Goal and a list of Steps" },
    summary: "create a project from a manifest",
    details:
      "Reads the manifest, reports every problem at once and creates the project folder\nagents/<owner>/projects/<slug>/ in the work tree. Nothing is executed.\n\nA manifest to start from:\n  ## Goal\n  Say hello in two languages.\n\n  ## Steps\n  - [ ] english - Write hello.txt\n    - check: `grep -q Hello hello.txt`\n  - [ ] german - Write hallo.txt",
    options: [
      { flags: "--as <owner>", description: "identity of the orchestrator (default: stint)" },
    ],
    examples: [
      ["stint new prompt.md", "create a project for prompt.md"],
      ["stint new docs/move.md --as night", "owned by another orchestrator"],
    ],
    load: async () => (await import("./verbs/new.ts")).run,
  },
  {
    name: "lint",
    arguments: "<manifests...>",
    argumentHelp: { manifests: "Markdown files to check" },
    summary: "check manifests and show how to mend them",
    details: "Exit code 0 with warnings, 2 with errors. Nothing is written.",
    examples: [
      ["stint lint prompt.md", "every problem with its line"],
      ["stint lint tasks/*.md --json", "for a program"],
    ],
    load: async () => (await import("./verbs/lint.ts")).run,
  },
  {
    name: "plan",
    arguments: "[target]",
    argumentHelp: { target: "manifest, or project by id, slug or manifest" },
    summary: "show what would be done, before anything is",
    details:
      "Where sessions would work and what they would find there, tasks with their\nchecks, limits, how many sessions it may take, what you will be asked, and every\ncommand that Stint may execute. Creates the project if there is\nnone; executes nothing. With plan: review in the manifest's front matter nothing\nis started before you say so: stint approve plan.",
    examples: [
      ["stint plan prompt.md", "look before the first run"],
      ["stint plan p-4k2j9x --json", "for a program"],
    ],
    load: async () => (await import("./verbs/plan.ts")).run,
  },
  {
    name: "run",
    arguments: "[target]",
    argumentHelp: { target: "manifest, or project by id, slug or manifest" },
    summary: "take a manifest to verified Done",
    details:
      "Creates the project if there is none, approves the manifest as it stands, and\nstarts one fresh agent session after another until every task is verified by\nits checks. Ends with what happened and the command that goes on from there.\nSessions work in a copy of the last commit: your checkout and what you have not\ncommitted stay as they are.\n\nWhere the provider refuses (usage limit, overload), it says until when, sleeps\nwithout holding anything, and goes on by itself; Ctrl-C leaves at any time.",
    options: [
      {
        flags: "--agent <agent>",
        description:
          "a name that stint agents lists, command:<program>, scripted:<script> (default: claude)",
      },
      {
        flags: "--approve-plan",
        description: "say yes to the plan also where it asks for an explicit word",
      },
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
      ["stint run prompt.md --sessions 1", "one session, then pause and look"],
      ["stint run prompt.md --no-wait", "from a scheduler: exit code 1 where it would wait"],
    ],
    load: async () => {
      staySmall();
      return (await import("./verbs/run.ts")).run;
    },
  },
  {
    name: "resume",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "go on with a project, by its id alone, from any folder",
    details:
      "First ends what a killed run left, then verifies that everything done before is\nstill there, and only then goes on. Nothing that is done is done again. Agent,\nsession policy, isolation, kind of workspace, delivery and push stay as they\nwere, unless others are given.",
    options: [{ flags: "--agent <agent>", description: "as for run" }, ...RUN_OPTIONS],
    examples: [
      ["stint resume", "the project of this work tree"],
      ["stint resume p-4k2j9x", "from any folder, also after kill -9"],
      ["stint resume p-4k2j9x --retry", "after what blocked it was mended"],
      ["stint resume p-4k2j9x --now", "although its agent's limit is not over yet"],
      ["stint resume p-4k2j9x --grant sessions=10", "when its budget is used up"],
    ],
    load: async () => {
      staySmall();
      return (await import("./verbs/run.ts")).resume;
    },
  },
  {
    name: "status",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "show where a project stands",
    details: "Reads the last durable revision. Takes no lock and waits for nobody.",
    options: [
      { flags: "--all", description: "every task, not only those around the current one" },
      {
        flags: "--exit-code",
        description: "exit 0 done, 1 work remains, 3 waits for you, 4 blocked",
      },
    ],
    examples: [
      ["stint status", "the project of this work tree"],
      ["stint status p-4k2j9x --json", "by the beginning of its id, for a program"],
    ],
    load: () => status,
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
    load: async () => (await import("./verbs/diff.ts")).run,
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
    load: async () => (await import("./verbs/shell.ts")).run,
  },
  {
    name: "approve",
    arguments: "<item> [project]",
    argumentHelp: { item: 'an approval, as status names it, or "plan"', project: PROJECT },
    summary: "say yes to exactly what an approval shows",
    details:
      "Your name, the time and the digest of what you approved are recorded. When what\nis there is no longer what was shown, the answer is refused. A yes counts for\none item and never for another; given twice it says so. Works while a run is\nlive, when none is, and days later.",
    examples: [
      ["stint diff a1", "look first"],
      ["stint approve a1", "then say yes"],
      ["stint approve plan", "to the plan as it stands"],
    ],
    load: async () => (await import("./verbs/approve.ts")).run,
  },
  {
    name: "deny",
    arguments: "<item> [project]",
    argumentHelp: { item: "an approval, as status names it", project: PROJECT },
    summary: "say no to an approval, with the reason",
    details:
      "The task is blocked. stint retry has it worked on again with your reason in the\nbrief; its checks run again before you are asked again.",
    options: [REASON],
    examples: [
      ['stint deny a1 --reason "keep the old names"', "the next session reads the reason"],
      ["stint retry t2", "have it worked on again"],
    ],
    load: async () => (await import("./verbs/deny.ts")).run,
  },
  {
    name: "answer",
    arguments: "<question> <text> [project]",
    argumentHelp: {
      question: "as status names it",
      text: "the answer, in quotes",
      project: PROJECT,
    },
    summary: "answer what a session asked",
    details: "The next session reads your words exactly as they are.",
    examples: [
      ['stint answer q1 "PostgreSQL 16, and keep the old port"', "answer the question q1"],
    ],
    load: async () => (await import("./verbs/answer.ts")).run,
  },
  {
    name: "accept",
    arguments: "<proposal> [project]",
    argumentHelp: {
      proposal: "an approval about the manifest, or session-<n>, as it was told",
      project: PROJECT,
    },
    summary: "take over a change to the manifest that was set aside",
    details:
      "The change goes into the file beside whatever you changed there since. Where\nboth touched the same lines nothing is written, and you are told.",
    examples: [
      ["stint diff a2", "look first"],
      ["stint accept a2", "then take it over"],
      ["stint accept session-3", "what was set aside after session 3"],
    ],
    load: async () => (await import("./verbs/accept.ts")).run,
  },
  {
    name: "edit",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "change the manifest, also while a session is at work",
    details:
      "Opens $VISUAL or $EDITOR on a copy. What you changed, and nothing else, goes\ninto the file and is yours, whatever a session does to it meanwhile. Where both\ntouched the same lines nothing is written and your text is kept. A new command\nstill needs your yes before it is executed.",
    options: [{ flags: "--file <path>", description: "take the whole text from a file instead" }],
    examples: [
      ["stint edit", "the manifest of this work tree"],
      ["EDITOR='code --wait' stint edit p-4k2j9x", "with an editor of your choice"],
    ],
    load: async () => (await import("./verbs/edit.ts")).run,
  },
  {
    name: "deliver",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
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
    load: async () => (await import("./verbs/deliver.ts")).run,
  },
  {
    name: "skip",
    arguments: "<task> [project]",
    argumentHelp: { task: "id or name", project: PROJECT },
    summary: "leave a task out",
    details: "What depends on it goes on as if it were done. Its session, if any, is ended\nfirst.",
    options: [REASON],
    examples: [['stint skip t3 --reason "done by hand"', "go on without t3"]],
    load: async () => (await import("./verbs/skip.ts")).run,
  },
  {
    name: "retry",
    arguments: "<task> [project]",
    argumentHelp: { task: "id or name", project: PROJECT },
    summary: "give a blocked task another attempt, or take a skip back",
    examples: [
      ["stint retry t2", "after what blocked it was mended"],
      ["stint resume", "and go on, if no run is live"],
    ],
    load: async () => (await import("./verbs/retry.ts")).run,
  },
  {
    name: "reopen",
    arguments: "<task> [project]",
    argumentHelp: { task: "id or name", project: PROJECT },
    summary: "have a task of a finished project done again",
    details:
      "Its session is told why, and has to change something, also where the checks\nof the task pass. While a project is under way, unchecking the box of the task\nin the manifest does the same.",
    options: [REASON],
    examples: [['stint reopen t1 --reason "it broke on Windows"', "Done becomes Ready"]],
    load: async () => (await import("./verbs/reopen.ts")).run,
  },
  {
    name: "pause",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "let the session in hand finish, then pause",
    details: "Its checks and its commit are finished too. stint resume goes on.",
    options: [REASON],
    examples: [["stint pause", "from another terminal"]],
    load: async () => (await import("./verbs/pause.ts")).run,
  },
  {
    name: "stop",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "end the run, after the session in hand or now",
    details: "With --now the session is ended; its attempt does not count against the task.",
    options: [{ flags: "--now", description: "end the session in hand as well" }],
    examples: [
      ["stint stop", "after this session"],
      ["stint stop --now", "at once"],
    ],
    load: async () => (await import("./verbs/stop.ts")).run,
  },
  {
    name: "abandon",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "give a project up for good",
    details: "Nothing more is done for it. What was done and committed stays.",
    options: [REASON],
    examples: [['stint abandon --reason "we bought one"', "cannot be taken back"]],
    load: async () => (await import("./verbs/abandon.ts")).run,
  },
  {
    name: "list",
    summary: "list all projects, from any folder",
    options: [{ flags: "--ids", description: "only the ids, one per line, for scripts" }],
    examples: [
      ["stint list", "one line per project"],
      ["stint list --ids", "ids alone"],
    ],
    load: () => list,
  },
  {
    name: "log",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "show the journal of a project",
    details: "One line per revision. The whole journal is verified before a line is shown.",
    options: [{ flags: "-n, --lines <count>", description: "only the last lines" }],
    examples: [
      ["stint log -n 20", "the last twenty revisions"],
      ["stint log --json | jq .lines[].kind", "for a program"],
    ],
    load: () => log,
  },
  {
    name: "verify",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
    summary: "answer: proper cross-session persistence?",
    details:
      "Recomputes three criteria from the files alone: the id is the same everywhere;\nwhat was done is still done, with its evidence, box and commit; the sessions\nfollow each other without a gap or a repetition. Changes nothing. Exit code 0\nwhen all three hold, also while work remains; 5 when one does not.",
    examples: [
      ["stint verify", "the project of this work tree"],
      ["stint verify p-4k2j9x --json", "for a program"],
    ],
    load: async () => (await import("./verbs/verify.ts")).run,
  },
  {
    name: "doctor",
    arguments: "[project]",
    argumentHelp: { project: PROJECT },
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
    load: async () => (await import("./verbs/doctor.ts")).run,
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
    load: async () => (await import("./verbs/clean.ts")).run,
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
    load: async () => (await import("./verbs/agents.ts")).run,
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
    load: async () => (await import("./verbs/demo.ts")).run,
  },
  {
    name: "completion",
    arguments: "<shell>",
    argumentHelp: { shell: "bash, zsh or fish" },
    summary: "print a completion script for your shell",
    examples: [
      ["stint completion bash > ~/.local/share/bash-completion/completions/stint", "bash"],
      ["stint completion zsh > ~/.zfunc/_stint", "zsh, with ~/.zfunc in $fpath"],
      ["stint completion fish > ~/.config/fish/completions/stint.fish", "fish"],
      ["stint completion powershell >> $PROFILE", "PowerShell"],
    ],
    load: async () => (await import("./verbs/completion.ts")).run,
  },
];
