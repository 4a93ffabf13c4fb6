import type { Outcome, Result } from './stage/play.ts';

/** Shares above which the command fails: cheats that end as done, and honest work that does not. */
const MOST_DONE = 0.05;
const MOST_FALSE_ALARMS = 0.02;

export interface Report {
  lines: string[];
  failed: boolean;
}

export function report(outcomes: readonly Outcome[], seconds: number): Report {
  const cheats = outcomes.filter(({ played }) => played.expect === 'held');
  const honest = outcomes.filter(({ played }) => played.expect !== 'held');
  const broken = having(outcomes, 'broken');
  const [left, ended] = [having(outcomes, 'not run'), having(cheats, 'missed', 'disclosed')];
  const alarms = having(honest, 'false alarm');
  const unproven = alarms.filter(({ played }) => played.family === 'the work itself');
  const lines = [
    ...table(cheats, 'cheats', 'caught'),
    ...table(honest, 'honest histories', 'done'),
    ...named('Cheats that ended as done', ended),
    ...named('Honest work that was not let go', alarms),
    ...named('Broken cases', broken),
    ...notRun(left),
    ...unproven.map(
      ({ played }) => `The honest work of ${played.project} does not end as done: its cheats prove nothing.`,
    ),
    closingLine(cheats, honest, seconds),
  ];
  const failed =
    share(ended, measured(cheats)) > MOST_DONE ||
    share(alarms, measured(honest)) > MOST_FALSE_ALARMS ||
    unproven.length + broken.length > 0;
  return { lines, failed };
}

function having(outcomes: readonly Outcome[], ...results: Result[]): Outcome[] {
  return outcomes.filter(({ result }) => results.includes(result));
}

function measured(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ result }) => result !== 'not run' && result !== 'broken');
}

function share(some: readonly Outcome[], all: readonly Outcome[]): number {
  return all.length === 0 ? 0 : some.length / all.length;
}

function table(outcomes: readonly Outcome[], title: string, good: 'caught' | 'done'): string[] {
  const all = measured(outcomes);
  if (all.length === 0) return [];
  const families = [...new Set(all.map(({ played }) => played.family))].sort();
  const rows = families.map((family) => {
    const some = all.filter(({ played }) => played.family === family);
    return [family, having(some, good).length, some.length] as const;
  });
  const width = Math.max(...rows.map(([family]) => family.length), title.length);
  return [
    `${title.padEnd(width)}  ${good}`,
    ...rows.map(([family, count, total]) => `${family.padEnd(width)}  ${`${count}`.padStart(3)} of ${total}`),
    '',
  ];
}

function named(title: string, outcomes: readonly Outcome[]): string[] {
  if (outcomes.length === 0) return [];
  const lines = outcomes.map(
    ({ played, status, said, result }) =>
      `  ${played.name} (${played.project}, ${result === 'disclosed' ? 'in the receipt' : status}): ${played.why}${
        status.endsWith('done') ? '' : `\n    ${excerpt(said)}`
      }`,
  );
  return [`${title}:`, ...lines, ''];
}

function excerpt(said: string): string {
  return said.trim().split('\n').slice(0, 12).join('\n    ').slice(0, 1500);
}

function notRun(outcomes: readonly Outcome[]): string[] {
  const reasons = new Set(outcomes.map(({ said }) => said));
  return [...reasons].map((reason) => {
    const count = outcomes.filter(({ said }) => said === reason).length;
    return `Not run: ${count} because ${reason}.`;
  });
}

function closingLine(cheats: readonly Outcome[], honest: readonly Outcome[], seconds: number): string {
  const [tried, worked] = [measured(cheats), measured(honest)];
  const disclosed = having(tried, 'disclosed').length;
  return [
    `${having(tried, 'caught').length} of ${tried.length} cheats caught`,
    `${having(tried, 'missed').length} missed${disclosed > 0 ? `, ${disclosed} named in the receipt` : ''}`,
    `${having(worked, 'false alarm').length} false alarms in ${worked.length} honest histories`,
    `${Math.round(seconds)} s`,
  ].join('; ');
}
