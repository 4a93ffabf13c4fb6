import { harmless } from '../../terminal/text.ts';
import type { ChildName, RunReporter } from './reporter.ts';
import { factLines, noteLines } from './words.ts';

/** The same facts with the child's name before them; how it comes to rest, its parent says. */
export function childLines(
  { piece }: ChildName,
  print: (line: string) => void,
  { now, quiet, project }: { now: () => number; quiet: boolean; project: string },
): RunReporter {
  const say = (line: string) => print(`[${harmless(piece)}] ${line}`);
  const reporter: RunReporter = {
    begun: () => undefined,
    event: (event) => factLines(event, { now: now(), quiet, project }).forEach(say),
    note: (text) => noteLines(text).forEach(say),
    child: () => reporter,
  };
  return reporter;
}
