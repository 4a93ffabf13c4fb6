import { fingerprint } from '../../core/loop/verdict.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import type { FileChange } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { hasDifferential } from '../shared/asks.ts';
import { contentsAt, NOTHING_TO_COMPARE, type Span, workSinceStart } from '../shared/contents.ts';
import { type ChangedFile, findWeakenings, isOfInterest } from './find-weakenings.ts';
import { describeFinding, type Finding } from './model.ts';
import { testsIntactTraits } from './traits.ts';

const MAX_LINES = 50;

/**
 * Tests were not weakened since the start. A test that is gone, skipped or emptied holds, and so do settings of runners,
 * coverage, continuous integration and compilers that became looser, unless the rest of the change explains it: moved, renamed
 * or merged tests, and tests whose subject went, too. The agent is told first. When it stops again with the same findings, you
 * are asked. You may allow a finding by its id, which stands in brackets behind it. What is only suspicious is a note.
 */
export const testsIntactGate: Gate<'tests_intact'> = {
  ...testsIntactTraits,
  async judge(options, context, signal) {
    const span = await workSinceStart(context);
    if (!span) return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    const files = await changedFiles(span, options.paths, context, signal);
    const { findings, explained, problems } = await findWeakenings(files, context.judges.source);
    const left = findings.filter(({ id }) => !context.request.allowed.includes(id));
    const open = left.filter(({ weight }) => weight === 'loss');
    const doubtful = left.filter(({ weight }) => weight === 'suspicion');
    const notes = [...doubtful.slice(0, MAX_LINES).map(describeFinding), ...explained, ...problems];
    const known = notes.length === 0 ? {} : { notes };
    const allowed = findings.length - left.length;
    if (open.length > 0) return { ...known, ...withAnswer(open, context) };
    // Where old tests are run on the new code, that tells what could not be read.
    if (problems.length > 0 && !hasDifferential(context)) return { ...known, ...unread(problems) };
    return { ...known, ...passed(allowed, doubtful, explained) };
  },
};

async function changedFiles(
  span: Span,
  paths: string[] | undefined,
  { workspace }: GateContext,
  signal: AbortSignal,
): Promise<ChangedFile[]> {
  const wanted = paths ? pathMatcher(paths) : () => true;
  const files = (await workspace.changes(span.from, span.to))
    .map(sidesOf)
    .filter((file) => [file.from, file.to].some((path) => path !== undefined && isOfInterest(path, wanted)));
  const [then, now] = await Promise.all([
    contentsAt(
      workspace,
      span.from,
      files.flatMap(({ from = [] }) => from),
      signal,
    ),
    contentsAt(
      workspace,
      span.to,
      files.flatMap(({ to = [] }) => to),
      signal,
    ),
  ]);
  return files.map(({ from, to }) => ({
    from,
    to,
    before: from === undefined ? undefined : then.get(from),
    after: to === undefined ? undefined : now.get(to),
  }));
}

function sidesOf({ path, change, from }: FileChange): Omit<ChangedFile, 'before' | 'after'> {
  if (change === 'added') return { to: path };
  return change === 'deleted' ? { from: path } : { from: from ?? path, to: path };
}

function passed(allowed: number, doubtful: readonly Finding[], explained: readonly string[]): Judgement {
  const looks = doubtful.length === 1 ? 'one edit looks weaker' : `${doubtful.length} edits look weaker`;
  const parts = [
    ...(doubtful.length === 0 ? [] : [`${looks}: ${listed(doubtful.map(({ text }) => text))}`]),
    ...(explained.length === 0 ? [] : [listed(explained)]),
  ];
  const summary = ['no test was lost', ...parts].join('; ');
  return {
    outcome: 'pass',
    summary: `${parts.length === 0 ? 'no test was weakened' : summary}${allowed > 0 ? ` (${allowed} allowed)` : ''}`,
  };
}

const MOST_NAMED = 2;

function listed(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED;
  return `${texts.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function unread(problems: readonly string[]): Judgement {
  return {
    outcome: 'unproven',
    summary: 'changed tests could not be read',
    evidence: [...problems, 'Install untildone anew: files that belong to it are missing or damaged.'],
  };
}

/** You may have answered the question about exactly these findings. */
function withAnswer(open: readonly Finding[], { request: { answers = {} }, name }: GateContext): Judgement {
  const answered = Object.hasOwn(answers, name) ? answers[name] : undefined;
  const isSame = answered?.digest === printOf(open);
  if (isSame && answered?.said === 'approved')
    return {
      outcome: 'pass',
      summary: `no test was weakened beyond what a person allowed: ${listed(open.map(({ text }) => text))}`,
      exceptions: open.slice(0, MAX_LINES).map(describeFinding),
    };
  return failed(open, isSame ? (answered?.note ?? 'no') : undefined);
}

function printOf(findings: readonly Finding[]): string {
  return fingerprint(findings.map(({ id }) => id).join('\n'));
}

function failed(findings: readonly Finding[], refused: string | undefined): Judgement {
  const rest = findings.length - MAX_LINES;
  const back = 'put the tests back as they were and make the code pass them';
  return {
    outcome: 'fail',
    summary:
      findings.length === 1
        ? 'the tests were weakened in one place'
        : `the tests were weakened in ${findings.length} places`,
    evidence: [
      ...findings
        .slice(0, MAX_LINES)
        .flatMap((one) => [describeFinding(one), ...(one.forms ?? []).map((line) => `  ${line}`)]),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    next:
      refused === undefined
        ? `${back}. If the task itself demands the change, say so in your final message and stop again: a person is then asked`
        : `a person said no: "${refused}". ${back}`,
    fingerprint: printOf(findings),
    asksIfRepeated: refused === undefined ? questionFor(findings) : undefined,
  };
}

/** One line about all findings. */
function questionFor(findings: readonly Finding[]): string {
  const said = findings.map((one) => [describeFinding(one), ...(one.forms ?? [])].join(' / '));
  return `tests of the start no longer run or say less: is that wanted, yes or no? ${said.join('; ')}`;
}
