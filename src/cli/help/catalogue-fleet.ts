/** The part of the catalogue about many machines. */
const STEERED = {
  0: 'asked, or done',
  2: 'refused: no such run, it has ended, or the queue cannot be reached',
};

export const FLEET = {
  submit: {
    group: 'fleet',
    examples: [
      ['untildone submit "Fix the failing tests"', 'origin of this checkout, at the branch that you are on'],
      [
        'untildone submit --prompt-file task.md --repo git@host:team/api.git --key nightly --wait',
        'once for this key, and follow it',
      ],
      [
        'untildone submit --features features.json --each',
        'a run for each feature, then one that joins them',
      ],
      [
        'untildone submit "Update the dependencies" --cron "0 5 * * 1" --name weekly',
        'every Monday at 5 (UTC)',
      ],
    ],
    exits: {
      0: 'submitted, or there already; with --wait: done',
      1: 'with --wait: failed, or in the dead letters',
      2: 'refused: a mistake in the call or the contract, or the queue or the remote cannot be reached',
      3: 'with --wait: ended, and not done: a limit, a stall, or you ended it',
      130: 'with --wait: you pressed Ctrl-C; the run goes on',
    },
  },
  worker: {
    group: 'fleet',
    examples: [
      [
        'untildone worker --queue redis://queue.example:6379 --concurrency 4',
        'four runs at a time, until Ctrl-C',
      ],
      [
        'untildone worker --labels gpu,linux --repos "https://git.example/team/*"',
        'only what fits this machine',
      ],
      ['untildone worker --once --health-port off', 'what is on the queue now, then end'],
    ],
    exits: {
      0: 'drained: every run is back on the queue, or has ended; with --once: the queue is empty',
      1: 'not drained within --drain-timeout: its runs were cut off, and are back on the queue',
      2: 'refused: no queue, no secret, a name that is taken, or the call is wrong',
      130: 'you pressed Ctrl-C twice: its runs were cut off, and are back on the queue',
      143: 'a second SIGTERM: the same',
    },
  },
  fleet: {
    group: 'fleet',
    examples: [['untildone fleet status', 'workers, runs, what was spent, what needs you, what is stuck']],
  },
  'fleet status': {
    examples: [
      ['untildone fleet status', 'workers, runs, what was spent, what needs you, what is stuck'],
      ['untildone fleet status --json', 'the same for programs'],
    ],
    exits: { 0: 'shown', 2: 'no queue is named, or it cannot be reached' },
  },
  'fleet list': {
    examples: [
      ['untildone fleet list --state dead --limit 10', 'the newest dead letters, with their causes'],
    ],
  },
  'fleet show': {
    examples: [['untildone fleet show 20261115', 'where it stands, and how to fetch its work']],
  },
  'fleet logs': {
    examples: [['untildone fleet logs 20261115 --follow', 'every event, verdict and decision as it comes']],
  },
  'fleet pause': {
    examples: [
      ['untildone fleet pause 20261115', 'one run'],
      ['untildone fleet pause --all', 'no worker takes anything any more'],
    ],
    exits: STEERED,
  },
  'fleet resume': {
    examples: [['untildone fleet resume --all', 'workers take runs again']],
    exits: STEERED,
  },
  'fleet cancel': {
    examples: [['untildone fleet cancel 20261115 --note "wrong branch"', 'end it, and say why']],
    exits: STEERED,
  },
  'fleet answer': {
    examples: [
      ['untildone fleet answer 20261115 "Take Postgres"', 'it is the next instruction of the agent'],
    ],
    exits: STEERED,
  },
  'fleet approve': {
    examples: [['untildone fleet approve 20261115 --note "but keep the old API"', 'say yes']],
    exits: STEERED,
  },
  'fleet reject': {
    examples: [
      ['untildone fleet reject 20261115 --note "the plan has no tests"', 'say no, and what has to change'],
    ],
    exits: STEERED,
  },
  'fleet retry': {
    examples: [
      ['untildone fleet retry 20261115', 'a dead letter, with all its attempts'],
      ['untildone fleet retry 20261115 --max-cost +5', 'a run that reached its limit, with 5 USD more'],
    ],
    exits: STEERED,
  },
  'fleet remove': {
    examples: [['untildone fleet remove 20261115', 'a dead letter that nobody needs']],
    exits: STEERED,
  },
  'fleet drain': {
    examples: [
      ['untildone fleet drain worker-1', 'it hands its runs back after their iterations'],
      ['untildone fleet drain --all --undo', 'all workers take runs again'],
    ],
  },
  'fleet limits': {
    examples: [
      ['untildone fleet limits', 'what they are'],
      ['untildone fleet limits --runs 40 --label gpu=2 --usd-per-day 100', 'set these, keep the others'],
      ['untildone fleet limits --unset label=gpu', 'take one away'],
    ],
  },
  'fleet schedules': {
    examples: [['untildone fleet schedules', 'what is submitted again and again, and when next']],
  },
  'fleet unschedule': { examples: [['untildone fleet unschedule weekly', 'it is submitted no more']] },
  'fleet secret': {
    examples: [
      ['untildone fleet secret', 'make it if there is none, and say where it is'],
      ['untildone fleet secret --show', 'what the other machines need'],
    ],
  },
  'fleet reconcile': {
    examples: [
      ['untildone fleet reconcile --dry-run', 'what the queue has lost'],
      ['untildone fleet reconcile --repo git@host:team/api.git', 'bring back what this repository knows'],
    ],
    exits: {
      0: 'the queue has everything',
      1: 'a remote could not be read',
      2: 'refused, or the queue cannot be reached',
    },
  },
  'fleet prune': {
    examples: [
      ['untildone fleet prune --older 90d --dry-run', 'which refs would be removed'],
      ['untildone fleet prune --older 90d --yes', 'remove them'],
    ],
    exits: {
      0: 'removed, shown, or you said no',
      1: 'a remote could not be read',
      2: 'refused, or nobody to ask',
    },
  },
} as const;
