import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../engine/core/text/duration.ts';
import type { AuditRequest } from '../../read/reflect/audit/audit.ts';
import { DAY_MS, value } from '../flags.ts';
import { later } from '../later.ts';

/** Repeats the names of the classes, so that the help can be shown without loading what reads transcripts. */
const SHOWN: Record<NonNullable<AuditRequest['show']>, true> = {
  verified: true,
  stale: true,
  failed: true,
  masked: true,
  never_ran: true,
  all: true,
};

export function addAuditCommand(cli: Command): void {
  cli
    .command('audit')
    .description('how often did "done" have a passing check behind it? Reads the transcripts of Claude Code')
    .addOption(
      new Option('--since <time>', 'how far back, like 30d, 12h, 2026-01-31 or all')
        .argParser(since)
        .default(30 * DAY_MS, '30d'),
    )
    .option('--project <dir>', 'only sessions of this project', value)
    .addOption(
      new Option('--show <class>', 'the turns behind a figure: when, which prompt, which check').choices(
        Object.keys(SHOWN),
      ),
    )
    .option('--limit <n>', 'how many turns --show prints', count, 20)
    .option('--html <file>', 'write a page that can be shown to others: counts only', value)
    .option('--evidence', 'put names, prompts and commands into --html and --json', false)
    .option('--json', 'print JSON: counts only', false)
    .action(later(async () => (await import('./audit.ts')).auditHere));
}

/** A time back from now, in milliseconds. */
function since(text: string): number | 'all' {
  if (text === 'all') return text;
  const ms =
    parseDuration(text) ?? (/^\d{4}-\d\d-\d\d$/.test(text) ? Date.now() - Date.parse(text) : undefined);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError(
    'Type a time like 30d or 12h, a day that is past like 2026-01-31, or the word all.',
  );
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('Type a whole number from 1.');
}
