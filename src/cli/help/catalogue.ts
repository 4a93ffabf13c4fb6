/**
 * Every command by its full name: the group that `--help` shows it in, examples, and exit codes that say something of their
 * own. A command that is not in here is shown without an example, and test/cli/help.test.ts fails.
 */

import { FLEET } from './catalogue-fleet.ts';
import { LOOKING_BACK } from './catalogue-looking-back.ts';

/** The groups of `--help`, in their order. */
export const GROUPS = {
  loop: 'Loops:',
  contract: 'Contract and receipt:',
  run: 'Runs and demos:',
  fleet: 'Many machines:',
  back: 'Looking back:',
  others: 'Other systems:',
  upkeep: 'Upkeep:',
} as const;

export type Group = keyof typeof GROUPS;

/** What people type most, shown first. The first ten that there are. */
export const EVERYDAY = [
  ...['setup', 'start', 'run', 'status', 'log', 'approve', 'pause', 'cancel', 'verify', 'doctor'],
  ...['receipt', 'resume'],
];

export interface CommandEntry {
  /** Commands of a command are in the group of the one above them. */
  group?: Group;
  /** Lines to type, each with what it does. */
  examples: readonly (readonly [line: string, does: string])[];
  /** What exit codes say of this command, where it is more than the general table does. */
  exits?: Readonly<Record<number, string>>;
}

const LOOPS: Record<string, CommandEntry> = {
  ask: {
    group: 'loop',
    examples: [
      ['untildone ask "Which database?" --option Postgres --option SQLite', 'what an agent types, not you'],
      ['untildone ask "Which database?" --decided SQLite', 'where nobody answers: what the agent decided'],
    ],
    exits: { 0: 'asked, or answered already', 2: 'refused: three questions without progress, or no loop' },
  },
  answer: {
    group: 'loop',
    examples: [
      ['untildone answer "Take Postgres"', 'answer what the agent asks; it is its next instruction'],
      ['untildone answer --option 2', 'choose the second option'],
    ],
  },
  start: {
    group: 'loop',
    examples: [
      ['untildone start "Fix the failing tests"', 'hold this session until the gates of untildone.yaml pass'],
      [
        'untildone start "Tidy up the docs" --promise "ALL PAGES READ"',
        'without gates: until this is stated',
      ],
      ['untildone start --prompt-file task.md --max-iterations 20', 'a long task, at most 20 iterations'],
    ],
    exits: { 0: 'the loop has started', 2: 'it has not: nothing is left to do, or the call is wrong' },
  },
  dashboard: {
    group: 'loop',
    examples: [
      ['untildone dashboard --open', 'all loops in your browser: what needs you comes first'],
      ['untildone dashboard --port 8080 --project .', 'on this port, only the loops of this project'],
      ['untildone dashboard --queue redis://127.0.0.1:6379', 'the runs and workers of a fleet'],
    ],
    exits: { 0: 'you ended it with Ctrl-C', 2: 'the port is taken, or the call is wrong' },
  },
  status: {
    group: 'loop',
    examples: [
      ['untildone status', 'where the loops of this project stand, and what fails'],
      ['untildone status --all --ended', 'all loops of all projects, also those that ended'],
      ['untildone status --watch', 'the same, shown again whenever something changes'],
      ['untildone status --json', 'the same for programs'],
    ],
  },
  log: {
    group: 'loop',
    examples: [
      ['untildone log --follow', 'every event, verdict and decision as it comes'],
      ['untildone log 20261115', 'another loop, by the beginning of its id'],
      ['untildone log --json', 'the lines of the journal as they are'],
    ],
  },
  pause: {
    group: 'loop',
    examples: [['untildone pause --note "lunch"', 'let the session stop; the loop keeps its place']],
  },
  resume: { group: 'loop', examples: [['untildone resume', 'hold the session again']] },
  cancel: {
    group: 'loop',
    examples: [
      ['untildone cancel', 'end the only active loop of this project'],
      ['untildone cancel 20261115 --note "wrong branch"', 'end another one, and say why'],
    ],
  },
  release: {
    group: 'loop',
    examples: [['untildone release --note "good enough"', 'let the session go, although not all gates pass']],
  },
  approve: {
    group: 'loop',
    examples: [
      ['untildone approve', 'say yes to the question that the loop waits for'],
      ['untildone approve plan --note "but keep the old API"', 'to the question of one gate or phase'],
    ],
  },
  reject: {
    group: 'loop',
    examples: [['untildone reject --note "the plan has no tests"', 'say no, and what has to change']],
  },
};

const CONTRACTS: Record<string, CommandEntry> = {
  mcp: {
    group: 'contract',
    examples: [['untildone mcp --project .', 'what a host of the Model Context Protocol calls']],
  },
  init: {
    group: 'contract',
    examples: [
      ['untildone init', 'propose a contract, and write it when you agree'],
      ['untildone init --yes --preset verified-done', 'write ready-made phases without asking'],
    ],
    exits: {
      0: 'written, or you said no',
      1: 'written, and something has to be added before it can be used',
      2: 'there is a contract already, or nobody to ask',
    },
  },
  trust: {
    group: 'contract',
    examples: [
      ['untildone trust', 'see what the contract runs, and trust exactly that'],
      ['untildone trust --show', 'only see it, with its fingerprint'],
      ['untildone trust --revoke', 'trust no contract of this project any more'],
    ],
    exits: { 0: 'trusted, or shown', 1: 'not trusted: you said no, or the fingerprint is another one' },
  },
  verify: {
    group: 'contract',
    examples: [
      ['untildone verify', 'judge all gates now, without a loop'],
      ['untildone verify tests lint', 'only these gates'],
      ['untildone verify --base origin/main --json', 'what changed since then, for programs'],
    ],
    exits: {
      0: 'done: every gate passes',
      1: 'not done: a gate fails',
      2: 'could not be judged: a gate is unproven or was skipped, or the call is wrong',
    },
  },
  contract: {
    group: 'contract',
    examples: [['untildone contract update', 'judge the active loop by untildone.yaml as it is now']],
  },
  'contract update': {
    examples: [['untildone contract update', 'judge the active loop by untildone.yaml as it is now']],
  },
  allow: {
    group: 'contract',
    examples: [
      ['untildone allow deleted:test/old.test.ts --note "moved"', 'allow one thing that a gate objects to'],
    ],
  },
  receipt: {
    group: 'contract',
    examples: [
      ['untildone receipt', 'what the newest "done" here rests on'],
      ['untildone receipt --format md', 'the same for a pull request'],
    ],
  },
  'receipt verify': {
    examples: [
      ['untildone receipt verify receipt.json', 'was it changed since it was signed?'],
      ['untildone receipt verify receipt.json --rerun --prepare "npm ci"', 'run its commands again'],
    ],
    exits: { 0: 'intact, and with --rerun the same results', 1: 'changed, or other results' },
  },
  'receipt key': {
    examples: [['untildone receipt key', 'the public key with which others check your receipts']],
  },
  holdout: {
    group: 'contract',
    examples: [['untildone holdout add test/acceptance', 'keep these tests away from the agent']],
  },
  'holdout add': {
    examples: [
      ['untildone holdout add test/acceptance', 'keep these tests away from the agent'],
      ['untildone holdout add secret.test.ts --as test/secret.test.ts', 'and say where they belong'],
    ],
  },
  'holdout list': { examples: [['untildone holdout list', 'what is held out for this project']] },
  'holdout remove': { examples: [['untildone holdout remove --all', 'hold nothing out any more']] },
  'holdout check': {
    examples: [['untildone holdout check', 'run the held-out tests now']],
    exits: { 0: 'they pass', 1: 'they fail', 2: 'could not be judged' },
  },
};

const RUNS: Record<string, CommandEntry> = {
  run: {
    group: 'run',
    examples: [
      ['untildone run "Build the todo API" --allow "Bash(npm test:*)"', 'over as many sessions as it needs'],
      ['untildone run --worktree --pr --max-cost 10', 'beside your tree; a pull request at the end'],
      ['untildone run --resume --max-cost +5', 'go on with the latest run, with 5 USD more'],
    ],
    exits: {
      0: 'done',
      1: 'paused, cut off or failed; untildone run --resume goes on',
      2: 'nothing to do, or the call is wrong',
      3: 'ended, and not done: a limit, a stall, or you ended it',
      130: 'you pressed Ctrl-C; untildone run --resume goes on',
    },
  },
  demo: {
    group: 'run',
    examples: [
      ['untildone demo', 'the real Claude Code, held until a test passes; no account, no network'],
      ['untildone demo --cheat', 'an agent that tries eight cheats'],
    ],
    exits: { 0: 'it went as it should', 1: 'it did not, or you said no to --real' },
  },
  simulate: {
    group: 'run',
    examples: [['untildone simulate answers.yaml --port 8080', 'serve a scripted model until Ctrl-C']],
  },
};

const OTHERS: Record<string, CommandEntry> = {
  import: {
    group: 'others',
    examples: [
      ['untildone import', 'show what can be imported'],
      ['untildone import --from harness --dry-run', 'what would become of the hooks in your settings'],
    ],
    exits: { 0: 'imported, shown or put back', 2: 'refused, or nobody to ask' },
  },
  'ralph-loop': {
    group: 'others',
    examples: [
      [
        'untildone ralph-loop "Fix the tests" --max-iterations 20 --completion-promise "ALL PASS"',
        'as /ralph-loop does',
      ],
    ],
  },
  'cancel-ralph': { group: 'others', examples: [['untildone cancel-ralph', 'as /cancel-ralph does']] },
  claim: {
    group: 'others',
    examples: [['untildone claim ralph-loop', 'let a state file of the repository hold your session']],
  },
  features: {
    group: 'others',
    examples: [['untildone features new "todo API"', 'make the files of a feature list']],
  },
  'features new': {
    examples: [
      [
        'untildone features new "todo API" --prompt "Build a todo API" --max-iterations 30',
        'with its task and limit',
      ],
    ],
  },
  lock: {
    group: 'others',
    examples: [['untildone lock on --goal "Migrate the database"', 'hold a session until you unlock it']],
  },
  'lock on': {
    examples: [['untildone lock on --goal "Migrate the database"', 'hold a session until you unlock it']],
  },
  'lock off': { examples: [['untildone lock off', 'let it go']] },
  'lock status': { examples: [['untildone lock status', 'whether there is a lock, and whom it holds']] },
  state: {
    group: 'others',
    examples: [['untildone state init loop "fix all type errors"', 'begin a loop of this session']],
  },
  'state init': {
    examples: [
      ['untildone state init loop "fix all type errors" --max-iterations 10', 'a loop of this session'],
      ['untildone state init orchestrator "build it" --complexity 7', 'an orchestrator with a review'],
    ],
  },
  'state set': {
    examples: [['untildone state set orchestrator conditions.plan_approved=true', 'set one value']],
  },
  'state complete': { examples: [['untildone state complete loop', 'set verified_done']] },
  'state show': { examples: [['untildone state show', 'what holds this session']] },
  conformance: {
    group: 'others',
    examples: [['untildone conformance -- bash stop-hook.sh', 'replay known bugs against any Stop hook']],
    exits: { 0: 'all passed', 1: 'something failed' },
  },
};

const UPKEEP: Record<string, CommandEntry> = {
  setup: {
    group: 'upkeep',
    examples: [
      ['untildone setup', 'look, agree once, and see a Stop being held'],
      ['untildone setup --yes --accept SHA', 'the same without a question; setup alone shows the SHA'],
      ['untildone setup --undo', 'take all of it back'],
    ],
    exits: {
      0: 'set up',
      1: 'nothing was done',
      2: 'refused',
      3: 'set up, but a Stop was not seen to be held',
    },
  },
  doctor: {
    group: 'upkeep',
    examples: [
      ['untildone doctor', 'what keeps a session from being held, and a proof that one is'],
      ['untildone doctor --fix', 'mend what is safe to mend, and look again'],
      ['untildone doctor --json --no-proof', 'for programs, without starting Claude Code'],
    ],
    exits: {
      0: 'in order, and proven where you asked for the proof',
      1: 'an error was found, or a Stop is not held',
      2: 'nothing wrong was found, but nothing was proven, or the call is wrong',
    },
  },
  statusline: {
    group: 'upkeep',
    examples: [['untildone statusline', 'what the status line calls; install --statusline sets it up']],
  },
  install: {
    group: 'upkeep',
    examples: [
      ['untildone install', 'add the hooks to the settings of this project'],
      ['untildone install --scope user --diff', 'to your own settings, with every line that changes'],
    ],
    exits: { 0: 'installed, or already there', 2: 'refused: the settings cannot be read or written' },
  },
  uninstall: {
    group: 'upkeep',
    examples: [['untildone uninstall', 'put the settings of this project back']],
  },
  prune: {
    group: 'upkeep',
    examples: [
      ['untildone prune --dry-run', 'what would be removed, and what that frees'],
      ['untildone prune --older-than 90d', 'remove what ended more than 90 days ago'],
    ],
  },
  completion: {
    group: 'upkeep',
    examples: [
      ['untildone completion bash', 'print the script; see docs/guides/completion.md for where it goes'],
      ['untildone completion fish', 'the same for fish'],
    ],
  },
  'plugin-hooks': {
    group: 'upkeep',
    examples: [['untildone plugin-hooks', 'what the plugin calls when a session starts']],
  },
  'reflect-queued': {
    group: 'upkeep',
    examples: [['untildone reflect-queued', 'what hooks start in the background when a session has ended']],
  },
  hook: { group: 'upkeep', examples: [['untildone hook', 'what the installed hooks call']] },
};

export const CATALOGUE: Readonly<Record<string, CommandEntry>> = {
  ...LOOPS,
  ...CONTRACTS,
  ...RUNS,
  ...FLEET,
  ...LOOKING_BACK,
  ...OTHERS,
  ...UPKEEP,
};
