/** Adds `untildone worker`. Its code is loaded when it is called. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseBytes } from '../../engine/core/text/bytes.ts';
import { parseDuration } from '../../engine/core/text/duration.ts';
import type { WorkerFlags } from '../../fleet/worker/command.ts';
import { collect, value } from '../flags.ts';
import { loaded } from '../later.ts';

export function addWorkerCommand(cli: Command): void {
  cli
    .command('worker')
    .description('take runs of a fleet from its queue, and drive them on this machine')
    .option('--queue <url>', 'the queue, redis://... or rediss://... (default: UNTILDONE_QUEUE)', value)
    .option('--concurrency <n>', 'most runs at a time', count, 1)
    .option('--labels <list>', 'what this machine has to offer, such as gpu,linux', labels)
    .option('--workdir <dir>', 'the folder for caches and runs (default: ~/.cache/untildone-fleet)', value)
    .option('--name <name>', 'the name of this worker (default: that of the machine)', name)
    .option(
      '--health-port <port>',
      'the port of the health endpoint, 0 for a free one, or "off" (default: 7434, or a free one)',
      port,
    )
    .option('--health-host <address>', 'the address of the health endpoint', value, '127.0.0.1')
    .addOption(
      new Option('--max-disk <size>', 'most room for caches and runs, like 50GB')
        .argParser(size)
        .default(20e9, '20GB'),
    )
    .addOption(
      new Option(
        '--drain-timeout <time>',
        'longest time to finish iterations after SIGTERM or Ctrl-C; then runs go back at once',
      )
        .argParser(time)
        .default(30 * 60_000, '30m'),
    )
    .option('--once', 'end when the queue is empty', false)
    .option(
      '--repos <pattern>',
      'take only runs of these repositories; * stands for anything; may be repeated',
      collect,
    )
    .option('--env <name>', 'a variable of this machine that every run gets; may be repeated', collect)
    .option('--without-walls', 'work although nothing can be confined on this machine', false)
    .option('--json', 'print one JSON object a line', false)
    .action(async (flags: WorkerFlags) => {
      const { worker } = await loaded(() => import('../../fleet/worker/start-worker.ts'));
      process.exitCode = await worker(flags);
    });
}

const MOST_RUNS = 256;

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= MOST_RUNS) return number;
  throw new InvalidArgumentError(`Type a whole number from 1 to ${MOST_RUNS}.`);
}

function labels(text: string): string[] {
  const all = value(text)
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
  if (all.every((label) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(label))) return [...new Set(all)].sort();
  throw new InvalidArgumentError('Type labels of letters, digits, dots, _ and -, with commas between them.');
}

function name(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text)) return text;
  throw new InvalidArgumentError('Type a name of at most 63 letters, digits, dots, _ and -.');
}

function port(text: string): number | 'off' {
  if (text === 'off') return text;
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('Type a port from 1 to 65535, 0 for a free one, or the word off.');
}

function size(text: string): number {
  const bytes = parseBytes(text);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new InvalidArgumentError('Type a size like 20GB or 500MB.');
}

function time(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('Type a time like 30m or 90s.');
}
