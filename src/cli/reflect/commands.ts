import { type Command, InvalidArgumentError } from 'commander';
import { age } from '../flags.ts';
import { later } from '../later.ts';

export function addReflectCommand(cli: Command): void {
  cli
    .command('reflect')
    .description(
      'look back on sessions and loops: what repeats, fails or takes long, and what to do about it',
    )
    .argument(
      '[what]',
      'a session or a loop, by its id or the beginning of it, or a transcript (default: the sessions of this project)',
    )
    .option('--since <time>', 'without a name: how far to look back, like 30d or 12h (default 7d)', age)
    .option('--json', 'print JSON', false)
    .option('--markdown', 'print Markdown', false)
    .option('--issues', 'offer to file GitHub issues about what was found (by gh), at most three', false)
    .option('--frustration', 'look for signs of frustration in your prompts, too', false)
    .option(
      '--deep',
      'ask a model what to change in untildone.yaml or CLAUDE.md; shows a patch, applies nothing',
      false,
    )
    .option('--max-cost <usd>', 'with --deep: what the model may cost in US dollars (default 0.5)', dollars)
    .option('--model <name>', 'with --deep: which model')
    .action(later(async () => (await import('./look-back.ts')).lookBack));
}

function dollars(text: string): number {
  const usd = Number(text);
  if (/^\d{1,3}(?:\.\d{1,6})?$/.test(text) && usd > 0 && usd <= 100) return usd;
  throw new InvalidArgumentError('Type an amount of US dollars above 0 and up to 100, like 0.5.');
}

/** Started in the background by hooks and commands, when sessions are queued. */
export function addReflectQueuedCommand(cli: Command): void {
  cli
    .command('reflect-queued', { hidden: true })
    .description('look back on the sessions that ended and are queued for it')
    .action(later(async () => (await import('./queued.ts')).reflectOnQueued));
}
