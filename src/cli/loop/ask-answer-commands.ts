import { type Command, InvalidArgumentError } from 'commander';
import { collect, value } from '../flags.ts';
import { later } from '../later.ts';

export function addAskCommand(cli: Command): void {
  cli
    .command('ask')
    .description(
      'ask the person something, when the agent cannot go on without an answer (the agent calls this)',
    )
    .argument('[question...]', 'what the agent wants to know')
    .option('--option <text>', 'an answer to choose from; may be repeated', collect)
    .option(
      '--decided <text>',
      'write down what the agent decided itself, where nobody answers (ask: decide)',
      value,
    )
    .option('--file <file>', 'read the question from a file, - for stdin', value)
    .option('--session <id>', 'the session that asks (default: the one this runs in)', value)
    .action(later(async () => (await import('./ask-answer.ts')).ask));
}

export function addAnswerCommand(cli: Command): void {
  cli
    .command('answer')
    .description('answer what the agent of a loop asks you (untildone ask)')
    .argument('[words...]', 'your answer; before it the id of the loop, where several ask')
    .option('--option <n>', 'the option of the question that you choose', counted)
    .option('--question <n>', 'which question, where several are open', counted)
    .option('--loop <id>', 'the loop, by its id or the beginning of it', value)
    .action(later(async () => (await import('./ask-answer.ts')).answer));
}

function counted(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Type its number, counted from 1.');
}
