import { sayDuration } from '../../../engine/core/text/duration.ts';
import type { Times } from './activity.ts';
import { type Finding, finding, type NewFinding, severityOf, shown } from './finding.ts';
import { placesOf, type Repeat, type Repeats } from './repeats.ts';
import type { SessionTally } from './tally.ts';

/** The thresholds of document 004, and ours for what it does not know. */
export const THRESHOLDS = {
  toolUses: 3,
  commands: 3,
  errors: 3,
  messages: 100,
  reads: 5,
} as const;

/** The most findings of one type in a session: the rest says nothing new. */
const MOST_OF_A_TYPE = 5;

/** What the transcripts of one session show. */
export function findingsOf(tally: SessionTally, session: string): Finding[] {
  const folder = tally.cwd;
  const all: NewFinding[] = [
    ...toolUses(tally),
    ...commands(tally),
    ...errors(tally),
    ...longSession(tally, session),
    ...frustration(tally),
    ...reads(tally, folder),
    ...reverts(tally, folder),
    ...reruns(tally),
    ...denials(tally),
    ...compactions(tally),
    ...slowTurns(tally),
    ...apiErrors(tally),
  ].map((found) => ({ ...found, in: session }));
  return all.map(finding);
}

type Found = Omit<NewFinding, 'in'>;

/** A finding for each of those that were seen so often. */
function each(
  repeats: Repeats,
  times: number,
  build: (repeat: Repeat, key: string) => Omit<Found, 'count' | 'places' | 'cost'>,
  most = MOST_OF_A_TYPE,
): Found[] {
  return repeats.atLeast(times, most).map(([key, repeat]) => ({
    ...build(repeat, key),
    count: repeat.count,
    places: placesOf(repeat),
    cost: { ms: repeat.ms, tokens: repeat.tokens },
  }));
}

function toolUses({ toolUses }: SessionTally): Found[] {
  return each(toolUses, THRESHOLDS.toolUses, ({ sample, count }) => {
    const tool = shown(sample, 80).toLowerCase();
    return {
      type: 'repeated_tool_use',
      severity: 'low',
      title: `${tool} was used ${count} times`,
      fields: { tool, count },
      suggestion: `Used ${tool} ${count} times. Consider creating a tool or script`,
      key: tool,
    };
  });
}

function commands({ commands }: SessionTally): Found[] {
  return each(commands, THRESHOLDS.commands, ({ sample, count, failed }, key) => {
    const command = shown(sample);
    const allFailed = failed === count;
    return {
      type: 'repeated_command',
      severity: severityOf(allFailed ? count * 2 : count, 6, 15),
      title: `The same command ran ${count} times${failed > 0 ? `, and failed ${failed} times` : ''}: ${command}`,
      fields: { command, count, failed },
      suggestion: allFailed
        ? 'It never worked. Write down in CLAUDE.md how it has to be called'
        : 'Put it into a script, or into CLAUDE.md with what it is for',
      key,
    };
  });
}

function errors({ errors }: SessionTally): Found[] {
  return each(errors, THRESHOLDS.errors, ({ sample, count }, key) => {
    const error = shown(sample);
    return {
      type: 'error_patterns',
      severity: severityOf(count, 3, 6),
      title: `The same error came ${count} times: ${error}`,
      fields: { error, count },
      suggestion: 'Find its cause once, and write down what avoids it',
      key,
    };
  });
}

function longSession({ activity }: SessionTally, session: string): Found[] {
  const count = activity.userMessages + activity.assistantMessages;
  if (count < THRESHOLDS.messages) return [];
  const { startedAt = 0, endedAt = 0 } = activity;
  const tokens = [...activity.models.values()].reduce(
    (sum, { input, cacheCreation, output }) => sum + input + cacheCreation + output,
    0,
  );
  return [
    {
      type: 'long_session',
      severity: severityOf(count, 300, 1_000),
      title: `The session has ${count} messages`,
      count: 1,
      fields: { message_count: count },
      places: [],
      cost: { ms: endedAt - startedAt, tokens },
      suggestion: 'Consider breaking into smaller, focused tasks',
      key: session,
    },
  ];
}

function frustration({ frustration }: SessionTally): Found[] {
  const signs = frustration.atLeast(1, 50);
  if (signs.length === 0) return [];
  const count = signs.reduce((sum, [, repeat]) => sum + repeat.count, 0);
  const indicators = signs.slice(0, 5).map(([, { sample }]) => sample);
  return [
    {
      type: 'user_frustration',
      severity: severityOf(count, 2, 4),
      title: `Signs of frustration in prompts, ${times(count)}: ${indicators.join(', ')}`,
      count,
      fields: { indicators: indicators.join(', '), count },
      places: signs
        .slice(0, 4)
        .map(([, { first, sample }]) => ({ ...first[0], what: sample }) as Repeat['last']),
      suggestion: 'Look at what came before these prompts, and consider another approach',
    },
  ];
}

function reads({ reads }: SessionTally, folder: string | undefined): Found[] {
  return each(reads, THRESHOLDS.reads, ({ sample, count }) => {
    const file = shown(below(folder, sample));
    return {
      type: 'repeated_reads',
      severity: severityOf(count, 10, 20),
      title: `${file} was read ${count} times`,
      fields: { file, count },
      suggestion: 'Say in CLAUDE.md what is in it, or split it into smaller files',
      key: file,
    };
  });
}

function reverts({ reverts }: SessionTally, folder: string | undefined): Found[] {
  return each(reverts.byFile, 1, ({ sample, count }) => {
    const file = shown(below(folder, sample));
    return {
      type: 'reverted_edits',
      severity: severityOf(count, 3, 6),
      title: `Edits of ${file} were taken back, ${times(count)}`,
      fields: { file, count },
      suggestion: 'Ask for a plan, or for a failing test, before such a change is made',
      key: file,
    };
  });
}

function reruns({ reruns }: SessionTally): Found[] {
  return each(reruns, 1, ({ sample, count }, key) => {
    const command = shown(sample);
    return {
      type: 'tests_without_change',
      severity: severityOf(count, 3, 6),
      title: `Tests ran again although nothing had changed, ${times(count)}: ${command}`,
      fields: { command, count },
      suggestion:
        'Keep the output of the first run in a file and read that; a test that passes by chance needs mending',
      key,
    };
  });
}

function denials({ denials }: SessionTally): Found[] {
  return each(denials, 1, (repeat) => {
    const tool = shown(repeat.sample, 80);
    const what = [...new Set(placesOf(repeat).flatMap((place) => place.what ?? []))].map((call) =>
      shown(call, 60),
    );
    return {
      type: 'tool_denials',
      severity: severityOf(repeat.count, 3, 10),
      title: `${tool} was refused ${times(repeat.count)}${what.length > 0 ? `: ${what.join('; ')}` : ''}`,
      fields: { tool, count: repeat.count },
      suggestion:
        'Allow what is harmless in the permissions, or say in CLAUDE.md what is not allowed and what to do instead',
      key: tool,
    };
  }).map((found) => ({
    ...found,
    places: found.places.map((place) => ({ ...place, what: place.what && shown(place.what, 60) })),
  }));
}

function compactions({ activity: { compactions } }: SessionTally): Found[] {
  return ofTimes(compactions, {
    type: 'compactions',
    severity: severityOf(compactions.count, 2, 4),
    title: `The context was compacted ${times(compactions.count)}`,
    suggestion: 'Begin a fresh session for each part of the work, with a note of what was decided',
  });
}

function slowTurns({ activity: { slowTurns, slowestMs } }: SessionTally): Found[] {
  return ofTimes(slowTurns, {
    type: 'slow_turns',
    severity: severityOf(slowTurns.count, 5, 15),
    title: `The model took more than 30 s for an answer, ${times(slowTurns.count)}; the longest took ${sayDuration(slowestMs)}`,
    suggestion: 'Optimize prompts or break down complex requests',
  });
}

function apiErrors({ activity: { apiErrors, rateLimits } }: SessionTally): Found[] {
  return [
    ...ofTimes(apiErrors, {
      type: 'api_errors',
      severity: severityOf(apiErrors.count, 3, 10),
      title: `The API gave an error, ${times(apiErrors.count)}`,
      suggestion: 'Look at https://status.claude.com, at the network, and at the key',
    }),
    ...ofTimes(rateLimits, {
      type: 'rate_limits',
      severity: severityOf(rateLimits.count, 1, 5),
      title: `The API refused because of a rate limit, ${times(rateLimits.count)}`,
      suggestion: 'Run fewer sessions side by side, or let `untildone run` wait for the limit to end',
    }),
  ];
}

function ofTimes(
  { count, ms, tokens, places }: Times,
  found: Omit<Found, 'count' | 'places' | 'cost' | 'fields'>,
): Found[] {
  return count === 0 ? [] : [{ ...found, count, places, cost: { ms, tokens }, fields: { count } }];
}

export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A path below the folder of the session, without that folder. */
function below(folder: string | undefined, path: string): string {
  return folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
