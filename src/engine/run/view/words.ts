import { isAbsolute, relative } from 'node:path';
import type { Limits } from '../../core/contract/contract.ts';
import { elapsedMs } from '../../core/loop/limits.ts';
import { type GateLine, hasEnded, isDone, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { allowWords, denialOf } from '../../core/run/permissions.ts';
import { howToGoOn } from '../../core/run/raised-limits.ts';
import { oneLine } from '../../core/text/clip.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { momentOf } from '../../core/text/moment.ts';
import { describeEnding, describeWait } from '../../core/words/endings.ts';
import { deniedWords, mergeWords } from '../../core/words/entries.ts';
import type { SessionHappening } from '../../ports/ports.ts';
import { harmless } from '../../terminal/text.ts';
import type { ChildName, RunEvent, RunReporter } from '../reporter.ts';
import { positionWords, sessionNumber, spentWords } from './format-figures.ts';

/** What a run does, in words: for a log, for the live view, and for what the view leaves in the scroll-back. */

type StopEvent = Extract<RunEvent, { type: 'stop' }>;

interface Wording {
  now: number;
  /** Only sessions, Stops, waits and warnings. */
  quiet: boolean;
  /** Paths are shown relative to it. */
  project: string;
}

export function beginningLines(
  loop: string,
  task: string,
  baseline: readonly Verdict[],
  resumed: boolean,
): string[] {
  return [
    `run ${harmless(loop)} ${resumed ? 'goes on' : 'begins'}: ${harmless(task)}`,
    ...baseline.map((v) => `  ${v.outcome.padEnd(8)}  ${harmless(`${v.gate}: ${v.summary}`)}`),
  ];
}

/** The lines of a note, with their indentation and without control characters. */
export function noteLines(text: string): string[] {
  return text.split('\n').map((line) => (/^ */.exec(line)?.[0] ?? '') + harmless(line));
}

/** The lines of one event. The end of a run is in `closingLines`. */
export function factLines(event: RunEvent, wording: Wording): string[] {
  switch (event.type) {
    case 'session':
      return [sessionLine(event)];
    case 'happening':
      return wording.quiet ? [] : happeningLines(event.happening, wording).map((line) => `  ${line}`);
    case 'judging':
      return wording.quiet ? [] : ['judging the work'];
    case 'stop':
      return stopLines(event, wording.quiet);
    case 'session_ended': {
      const { end, state } = event;
      return [`session ${sessionNumber(state)} ended: ${harmless(end.detail)} (${spentWords(state)} so far)`];
    }
    case 'waiting': {
      if (event.until === undefined) return [harmless(event.why)];
      const left = sayDuration(Math.max(0, event.until - wording.now));
      return [`waiting until ${momentOf(event.until, wording.now)} (${left}): ${harmless(event.why)}`];
    }
    case 'warning':
      return [`WARNING: ${harmless(event.text)}`];
    case 'child':
      return [childLine(event)];
    case 'paused':
    case 'ended':
      return [];
  }
}

function childLine({ child, change, text, state }: Extract<RunEvent, { type: 'child' }>): string {
  const name = `[${harmless(child.piece)}]`;
  switch (change) {
    case 'begun':
    case 'goes_on':
      return `${name} child ${child.loop} ${change === 'begun' ? 'begins' : 'goes on'}: ${harmless(text)}`;
    case 'ended':
      return `${name} ended as ${harmless(text)} (${spentWords(state)} so far)`;
    default: {
      const left =
        change === 'merged' || child.branch === undefined ? '' : `; its work is on ${child.branch}`;
      return `${name} ${harmless(mergeWords(change, child))}${left}`;
    }
  }
}

const REASONS: Record<string, string> = {
  first: 'the first one',
  hand_over: 'after a hand-over',
  not_done: 'not done yet',
  answered: 'with your answer',
  again: 'once more',
  context_full: 'the context was full',
};

function sessionLine({ session, resume, why, state }: Extract<RunEvent, { type: 'session' }>): string {
  const reason = REASONS[why] ?? harmless(why).replaceAll('_', ' ');
  return `session ${sessionNumber(state)} ${resume ? 'goes on' : 'begins'}: ${harmless(session)} (${reason}), ${positionWords(state)}`;
}

export function happeningLines(happening: SessionHappening, { now, project }: Wording): string[] {
  switch (happening.kind) {
    case 'began':
      return [`Claude Code is ready, model ${harmless(happening.model)}`];
    case 'said':
      return happening.text.trim() === '' ? [] : [`> ${harmless(happening.text)}`];
    case 'called':
      return [`* ${actionOf(happening.tool, happening.input, project)}`];
    case 'returned':
      return happening.failed && !happening.denied ? [`! ${harmless(happening.tool)} failed`] : [];
    case 'denied':
      return [`! ${deniedLine(happening)}`];
    case 'retry': {
      const wait = sayDuration(happening.delayMs);
      return [
        `! the API call is tried again in ${wait} (attempt ${happening.attempt}): ${harmless(happening.why)}`,
      ];
    }
    case 'limit': {
      const until = happening.resetsAt === undefined ? '' : `, until ${momentOf(happening.resetsAt, now)}`;
      return [`! limit of your account${until}: ${harmless(happening.text)}`];
    }
    case 'compacted':
      return ['! the conversation was compacted'];
    case 'told':
      return [`i ${harmless(happening.text)}`];
    case 'usage':
      return [];
  }
}

function deniedLine({ tool, input }: Extract<SessionHappening, { kind: 'denied' }>): string {
  const denial = denialOf(tool, input);
  return harmless(deniedWords({ ...denial, allow: allowWords(denial) }));
}

/** A tool call in one line. An edit shows only its file. */
export function actionOf(tool: string, input: Record<string, unknown>, project: string): string {
  const words = callInWords(tool, input, project);
  return harmless(words.startsWith('$ ') ? words : (words.split('\n', 1)[0] ?? tool));
}

function stopLines(event: StopEvent, quiet: boolean): string[] {
  const { state, verdicts = [] } = event;
  const head = `${stopWords(event)}: ${tallyOf(state.gates)}`;
  if (quiet) return [head];
  return [
    head,
    ...state.gates.filter(isOpen).flatMap((gate) => {
      const evidence = evidenceOf(verdicts, gate.name);
      return [
        `  ${gate.verdict.padEnd(8)}  ${harmless(`${gate.name}: ${gate.summary}`)}`,
        ...(evidence === undefined ? [] : [`            ${evidence}`]),
      ];
    }),
  ];
}

function stopWords({ state, answer }: StopEvent): string {
  if (answer === 'ignore')
    return `ignored a Stop that did not come from Claude Code, ${positionWords(state)}`;
  if (answer === 'refuse') {
    if (state.run?.handOver === 'asked')
      return `stop held, ${positionWords(state)}, asked for a hand-over note`;
    const { phase, ...loop } = state;
    const goesOn = phase !== undefined && phase.iteration > 1;
    return goesOn
      ? `stop held, ${positionWords(loop)} begins, phase ${phase.name}`
      : `stop held, ${positionWords(state)} begins`;
  }
  const wait = hasEnded(state) || !state.waiting ? '' : `, ${harmless(describeWait(state))}`;
  const note = state.run?.handOver === 'given' ? ', the hand-over note is given' : '';
  return `allowed to stop, ${positionWords(state)}${note}${wait}`;
}

const NAMED_GATES = 6;

function tallyOf(gates: readonly GateLine[]): string {
  const count = `${gates.filter((g) => g.verdict === 'pass').length} of ${gates.length} gates pass`;
  const open = (['fail', 'unproven'] as const).flatMap((verdict) => {
    const names = gates.filter((g) => g.verdict === verdict).map((g) => g.name);
    if (names.length === 0) return [];
    const more = names.length > NAMED_GATES ? ` and ${names.length - NAMED_GATES} more` : '';
    return [`${verdict}: ${harmless(names.slice(0, NAMED_GATES).join(', '))}${more}`];
  });
  return [count, ...open].join('; ');
}

export function isOpen({ verdict }: { verdict: GateLine['verdict'] }): boolean {
  return verdict === 'fail' || verdict === 'unproven';
}

/** The first line of a gate's evidence that says more than its summary. */
export function evidenceOf(verdicts: readonly Verdict[], gate: string): string | undefined {
  const verdict = verdicts.find((v) => v.gate === gate);
  const line = verdict?.evidence?.find(
    (text) => text.trim() !== '' && !verdict.summary.includes(text.trim()),
  );
  return line === undefined ? undefined : harmless(line);
}

/** How a run ended, and what you can do now. These lines are never cut. */
export function closingLines(state: LoopState, limits: Limits | undefined, now: number): string[] {
  const { loop, status } = state;
  const done = isDone(status);
  const end = state.ending?.at ?? now;
  return [
    `${status}: ${harmless(describeEnding(state))}`,
    ...state.gates.map((g) => `  ${harmless(`${g.verdict} (${g.class}) ${g.name}: ${g.summary}`)}`),
    `  ${positionWords(state)}, ${counted(state.run?.sessions ?? 0, 'session')}, ${sayDuration(elapsedMs(state, end))}, ${spentWords(state, limits)}`,
    ...deniedLines(state),
    `  journal: untildone log ${loop}`,
    ...(done
      ? [`  receipt: untildone receipt ${loop}`]
      : [`  your files stay as they are; ${howToGoOn(state) ?? 'a new run continues from there'}`]),
  ];
}

/** What Claude Code denied, because nobody was there to allow it. */
function deniedLines({ loop, run }: LoopState): string[] {
  if (!run?.denied) return [];
  const { count, first } = run.denied;
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const what = count === 1 ? '1 tool call was denied' : `${count} tool calls were denied`;
  return [
    `  ${what}: ${harmless(first.join('; '))}${more}`,
    `  to allow them: the --allow of each is in untildone log ${loop}`,
  ];
}

export function pausedLines(why: string, loop: string | undefined): string[] {
  return [`paused: ${harmless(why)}`, goOn(loop)];
}

export function cutOffLines(loop: string | undefined): string[] {
  return ['not finished: this process ended before the run did', goOn(loop)];
}

function goOn(loop: string | undefined): string {
  return `  go on with: untildone run --resume${loop === undefined ? '' : ` ${loop}`}`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Lines of a child, with its name in front. Its end is reported by the parent. */
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

/** A tool call in words: a command after `$`, a file by its path in the project, an edit with its old and new text. */
export function callInWords(tool: string, input: Record<string, unknown>, project: string): string {
  const { command, file_path, old_string, new_string } = input;
  if (tool === 'Bash' && typeof command === 'string') return `$ ${command}`;
  const file = typeof file_path === 'string' ? ` ${inside(project, file_path)}` : '';
  if (file === '') return `${tool} ${oneLine(JSON.stringify(input), 200)}`;
  if (typeof old_string !== 'string' || typeof new_string !== 'string') return tool + file;
  return [`${tool}${file}`, ...marked('- ', old_string), ...marked('+ ', new_string)].join('\n');
}

function inside(project: string, path: string): string {
  const short = relative(project, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

function marked(mark: string, text: string): string[] {
  return text.split('\n').map((line) => mark + line);
}
