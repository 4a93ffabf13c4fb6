import { sayDuration } from '../../../engine/core/text/duration.ts';
import { dateOf, momentOf } from '../../../engine/core/text/moment.ts';
import type { Finding, Place } from './finding.ts';
import {
  type LoopReport,
  type Report,
  type SessionReport,
  severityCounts,
  tokensOf,
  toolsByCalls,
} from './report.ts';

/** The report for people, laid out as document 004 shows it. */

const RULE = '='.repeat(70);
const MOST_SESSIONS = 10;
const MOST_TOOLS = 8;

export function reportLines(report: Report): string[] {
  const { findings, suggestions } = report;
  return [
    'SESSION REFLECTION ANALYSIS',
    RULE,
    '',
    ...aboutLines(report),
    'Session Metrics:',
    ...metricLines(report),
    '',
    ...traceLines(report),
    ...report.loops.flatMap(loopLines),
    `Patterns Detected: ${findings.length}`,
    '',
    ...findings.flatMap((found, index) => findingLines(found, index + 1, report)),
    ...(suggestions.length > 0
      ? ['Suggestions:', ...suggestions.map((said, index) => `  ${index + 1}. ${said}`)]
      : ['Nothing was found that repeats, fails or takes long.']),
    ...problemLines(report),
  ];
}

function aboutLines({ scope, sessions, at }: Report): string[] {
  if (scope.kind === 'session') return [`Session ${scope.id}`, ''];
  if (scope.kind === 'file') return [`File ${scope.id}`, ''];
  if (scope.kind === 'loop') return [`Loop ${scope.id}, with ${numbered(sessions.length, 'session')}`, ''];
  return [
    `${numbered(sessions.length, 'session')} of ${scope.id} since ${dateOf(scope.since, at)}, those to look at first:`,
    ...sessions.slice(0, MOST_SESSIONS).map((session) => `  ${sessionLine(session, at)}`),
    ...(sessions.length > MOST_SESSIONS ? [`  and ${sessions.length - MOST_SESSIONS} more`] : []),
    '',
  ];
}

function sessionLine({ session, metrics, findings }: SessionReport, now: number): string {
  const { high, medium, low } = severityCounts(findings);
  const when = metrics.endedAt === undefined ? '' : `, ${dateOf(metrics.endedAt, now)}`;
  return `${session}  ${high} high, ${medium} medium, ${low} low; ${metrics.userMessages + metrics.assistantMessages} messages${when}`;
}

function metricLines({ metrics }: Report): string[] {
  const tokens = tokensOf(metrics);
  const { startedAt, endedAt, costUsd } = metrics;
  const models = Object.entries(metrics.models);
  const tools = toolsByCalls(metrics);
  return [
    `  Total messages: ${metrics.userMessages + metrics.assistantMessages}`,
    `  User messages: ${metrics.userMessages}`,
    `  Assistant messages: ${metrics.assistantMessages}`,
    `  Tool uses: ${metrics.toolUses}`,
    ...(startedAt !== undefined && endedAt !== undefined
      ? [`  Time: ${dateOf(startedAt, endedAt)} to ${momentOf(endedAt, startedAt)}`]
      : []),
    `  Tokens: ${tokens.input + tokens.cacheCreation} input, ${tokens.output} output, ${tokens.cacheRead} read from the cache`,
    ...(costUsd === undefined ? [] : [`  Cost: $${costUsd.toFixed(2)}`]),
    ...(models.length > 1
      ? models.map(
          ([model, { answers, input, cacheCreation, output }]) =>
            `    ${model}: ${numbered(answers, 'answer')}, ${input + cacheCreation} input, ${output} output`,
        )
      : []),
    ...tools
      .slice(0, MOST_TOOLS)
      .map(
        ([tool, { calls, failed, ms, tokens: spent }]) =>
          `    ${tool}: ${numbered(calls, 'call')}${failed > 0 ? `, ${failed} failed` : ''}, ${sayDuration(ms)}, ${spent} tokens`,
      ),
  ];
}

function traceLines({ trace }: Report): string[] {
  if (trace.files === 0) return [];
  return [
    'Claude-Trace Analysis:',
    `  Token usage: ${trace.inputTokens} input, ${trace.outputTokens} output`,
    `  API errors: ${trace.apiErrors}`,
    `  Rate limit hits: ${trace.rateLimits}`,
    `  Slow requests (>30s): ${trace.slowRequests}`,
    '',
  ];
}

function loopLines(loop: LoopReport): string[] {
  return [
    `Loop ${loop.loop}:`,
    `  ${loop.status} after ${numbered(loop.iterations, 'iteration')}; held ${loop.held} of ${loop.stops} Stops`,
    ...loop.gates.map(
      ({ name, judged, blocked, passedAt }) =>
        `    ${name}: blocked ${blocked} of ${judged}${passedAt === undefined ? '' : `, passed in iteration ${passedAt}`}`,
    ),
    '',
  ];
}

function findingLines(found: Finding, number: number, report: Report): string[] {
  const { type, severity, title, suggestion, fields, places, cost } = found;
  const spent = [
    ...(cost.ms >= 1_000 ? [sayDuration(cost.ms)] : []),
    ...(cost.tokens > 0 ? [`${cost.tokens} tokens`] : []),
  ];
  const shared = found.in.length > 1 ? ` (in ${found.in.length} sessions)` : '';
  const isSaid = title.startsWith(`${fields.tool} was used`);
  return [
    `  ${number}. ${type.toUpperCase()}`,
    `     → ${suggestion}`,
    ...Object.entries(fields).map(([name, value]) => `     ${name}: ${value}`),
    `     severity: ${severity}`,
    ...(isSaid && shared === '' ? [] : [`     found: ${title}${shared}`]),
    ...(spent.length > 0 ? [`     cost: ${spent.join(', ')}`] : []),
    ...placeLines(places, report.at),
    '',
  ];
}

/** The places of a finding, a line for each file. */
function placeLines(places: readonly Place[], now: number): string[] {
  const files = [...new Set(places.map(({ file }) => file))];
  return files.map((file) => {
    const inFile = places.filter((place) => place.file === file);
    return `     where: ${file}:${inFile.map((place) => lineWords(place, now)).join(', ')}`;
  });
}

function lineWords({ line, at, what }: Place, now: number): string {
  const aside = [...(at === undefined ? [] : [momentOf(at, now)]), ...(what === undefined ? [] : [what])];
  return aside.length === 0 ? String(line) : `${line} (${aside.join(', ')})`;
}

function numbered(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function problemLines({ reading }: Report): string[] {
  return [
    ...(reading.badLines > 0 ? ['', `${reading.badLines} lines are no JSON, and were left out.`] : []),
    ...reading.problems.map((problem) => `Not read: ${problem}`),
  ];
}

/** The report as Markdown. Text of others stands in code, where it cannot become markup. */
export function reportMarkdown(report: Report): string[] {
  const { metrics, trace, findings, suggestions } = report;
  const tokens = tokensOf(metrics);
  return [
    '# SESSION REFLECTION ANALYSIS',
    '',
    `${report.scope.kind}: ${code(report.scope.id)}`,
    '',
    '## Session Metrics',
    '',
    '| metric | value |',
    '|---|---|',
    `| Total messages | ${metrics.userMessages + metrics.assistantMessages} |`,
    `| User messages | ${metrics.userMessages} |`,
    `| Assistant messages | ${metrics.assistantMessages} |`,
    `| Tool uses | ${metrics.toolUses} |`,
    `| Tokens | ${tokens.input + tokens.cacheCreation} input, ${tokens.output} output |`,
    '',
    ...(trace.files === 0
      ? []
      : [
          '## Claude-Trace Analysis',
          '',
          `- Token usage: ${trace.inputTokens} input, ${trace.outputTokens} output`,
          `- API errors: ${trace.apiErrors}`,
          `- Rate limit hits: ${trace.rateLimits}`,
          `- Slow requests (>30s): ${trace.slowRequests}`,
          '',
        ]),
    `## Patterns Detected: ${findings.length}`,
    '',
    ...findings.flatMap((found, index) => [
      `### ${index + 1}. ${found.type.toUpperCase()} (${found.severity})`,
      '',
      ...findingMarkdown(found),
    ]),
    '## Suggestions',
    '',
    ...(suggestions.length > 0
      ? suggestions.map((said, index) => `${index + 1}. ${plain(said)}`)
      : ['None.']),
  ];
}

/** What an issue, or the report, says of one finding. Files are named without their folders: those are private. */
export function findingMarkdown({
  title,
  suggestion,
  fields,
  places,
  cost,
  in: sessions,
}: Finding): string[] {
  return [
    code(title),
    '',
    `- suggestion: ${plain(suggestion)}`,
    ...Object.entries(fields).map(
      ([name, value]) => `- ${name}: ${typeof value === 'number' ? value : code(value)}`,
    ),
    ...(cost.ms >= 1_000 ? [`- time: ${sayDuration(cost.ms)}`] : []),
    ...(cost.tokens > 0 ? [`- tokens: ${cost.tokens}`] : []),
    ...(places.length > 0
      ? [
          `- where: ${places.map(({ file, line }) => code(`${file.replace(/^.*[/\\]/, '')}:${line}`)).join(', ')}`,
        ]
      : []),
    `- in: ${sessions.map(code).join(', ')}`,
    '',
  ];
}

/** Text as code in Markdown, in a fence that is longer than any row of backticks in it. */
export function code(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map(([row]) => row.length));
  const fence = '`'.repeat(longest + 1);
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return flat === '' ? '``` ```' : `${fence}${pad}${flat}${pad}${fence}`;
}

/** Our own words, in which names of others may stand: no mention, no link, no markup of theirs. */
function plain(text: string): string {
  return text.replace(/[<>[\]#|]/g, (sign) => `\\${sign}`).replaceAll('@', '@<!-- -->');
}
