import { type Command, InvalidArgumentError } from 'commander';
import { later } from '../later.ts';

const SESSION = 'the session (default, or -: the one this runs in)';

export function addStateCommands(cli: Command): void {
  const state = cli
    .command('state')
    .description(
      'write and show the files in ~/.ralph/state, for /orchestrator and /loop (docs/migrating/verified-done.md)',
    );
  addInit(state);
  state
    .command('set')
    .description(
      'set values: state set SESSION orchestrator conditions.plan_approved=true phase=implementation',
    )
    .usage('[SESSION] orchestrator|loop|quality-gate|tasks/ID KEY=VALUE...')
    .argument('<words...>', `${SESSION}; the file; what to set`)
    .action(later(async () => (await import('./state-here.ts')).set));
  state
    .command('complete')
    .description('set verified_done, and show what is still open')
    .usage('[SESSION] [loop|orchestrator]')
    .argument('[words...]', `${SESSION}; which file, both when absent`)
    .action(later(async () => (await import('./state-here.ts')).complete));
  state
    .command('show')
    .description('show what the files of a session say, and what they hold it for')
    .argument('[session]', SESSION)
    .option('--json', 'print JSON', false)
    .action(later(async () => (await import('./state-here.ts')).show));
}

function addInit(state: Command): void {
  state
    .command('init')
    .description('begin: state init SESSION loop "fix all type errors" --max-iterations 10')
    .usage('[SESSION] loop|orchestrator "TASK" [options]')
    .argument('<words...>', `${SESSION}; loop or orchestrator; the task`)
    .option(
      '--max-iterations <n>',
      'most iterations of a loop (default: 25)',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--complexity <n>',
      'complexity of an orchestrator, 1 to 10; from 7 on it needs an adversarial review',
      wholeNumber(1, 10),
    )
    .option('--force', 'overwrite a state that is not finished', false)
    // A task may begin with dashes.
    .allowUnknownOption()
    .action(later(async () => (await import('./state-here.ts')).init));
}

function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= from && number <= to) return number;
    const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`Type a whole number ${range}.`);
  };
}
