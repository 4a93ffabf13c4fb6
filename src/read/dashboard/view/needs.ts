/** What only a person can do about a loop. */
import { questionsForYou } from '../../../engine/core/loop/asked.ts';
import { MISSED_WORDS } from '../../../engine/core/loop/missed-stop.ts';
import { type AskedQuestion, hasEnded } from '../../../engine/core/loop/state.ts';
import { canReopen } from '../../../engine/core/run/reopen.ts';
import { quoteForShell } from '../../../engine/core/shell/words.ts';
import { keepShort, oneLine } from '../../../engine/core/text/clip.ts';
import { gatesThatAsk } from '../../../engine/run/person/approve-reject.ts';
import type { Need, NeedAnswer } from './overview-types.ts';
import type { RowFacts } from './row.ts';

const TITLE = 160;
const TEXT = 4_000;

export function needsOf(known: RowFacts): Need[] {
  const { state } = known;
  if (hasEnded(state)) return canReopen(state) ? questions(known, 'ended_asking') : [];
  return [
    ...questions(known, 'question'),
    ...approvals(known),
    ...persons(known),
    ...untrusted(known),
    ...unheld(known),
    ...missed(known),
  ];
}

function base(
  { id, project, state }: RowFacts,
  kind: Need['kind'],
  name = '',
): Pick<Need, 'id' | 'kind' | 'loop' | 'project' | 'since'> {
  const since = state.waiting?.since ?? state.lastAt;
  return { id: `${id}/${kind}${name === '' ? '' : `/${name}`}`, kind, loop: id, project, since };
}

function questions(known: RowFacts, kind: 'question' | 'ended_asking'): Need[] {
  return questionsForYou(known.state).map((question) => ({
    ...base(known, kind, question.name),
    since: question.at,
    title: oneLine(`the agent asks: ${question.text}`, TITLE),
    text: keepShort(question.text, TEXT),
    answers: answersTo(question),
    ...(kind === 'ended_asking' ? { command: `untildone run --resume ${known.id}` } : {}),
  }));
}

function answersTo({ name, options = [] }: AskedQuestion): NeedAnswer[] {
  const question = Number(name.slice('question '.length)) || 1;
  const chosen = options.map((label, i): NeedAnswer => {
    const action = { action: 'answer' as const, question, option: i + 1 };
    return { label, tone: 'quiet', action, note: 'optional' };
  });
  return [
    ...chosen,
    { label: 'Answer', tone: 'good', action: { action: 'answer', question }, note: 'required' },
  ];
}

function approvals(known: RowFacts): Need[] {
  const { state, contract, id } = known;
  if (state.waiting?.why !== 'approval' || !contract) return [];
  const asking = gatesThatAsk(contract, state);
  const own = asking.length > 0 || questionsForYou(state).length > 0 ? asking : [{ name: '' }];
  return own.map(({ name }) => {
    const summary = state.gates.find((gate) => gate.name === name)?.summary;
    const gate = name === '' ? {} : { gate: name };
    const text = state.waiting?.detail ?? summary;
    return {
      ...base(known, 'approval', name),
      title: oneLine(
        name === '' ? `loop ${id} asks for your approval` : `${name} asks for your approval`,
        TITLE,
      ),
      ...(text ? { text: keepShort(text, TEXT) } : {}),
      answers: [
        { label: 'Approve', tone: 'good', action: { action: 'approve', ...gate }, note: 'optional' },
        { label: 'Reject', tone: 'bad', action: { action: 'reject', ...gate, note: '' }, note: 'required' },
      ],
    };
  });
}

const UNTRUSTED = 'its contract is not trusted on this machine';

function trustCommand(folder: string | undefined): string {
  return folder === undefined ? 'untildone trust' : `cd ${quoteForShell(folder)} && untildone trust`;
}

/** Before its first Stop, which would wait for you. */
function untrusted(known: RowFacts): Need[] {
  const { untrusted: text, state, folder } = known;
  if (text === undefined) return [];
  const since = state.startedAt;
  return [
    { ...base(known, 'trust'), since, title: UNTRUSTED, text, answers: [], command: trustCommand(folder) },
  ];
}

function persons(known: RowFacts): Need[] {
  const { state, folder } = known;
  if (state.waiting?.why !== 'needs_person') return [];
  const text = state.waiting.detail ?? 'it cannot go on without you';
  const isTrust = /not trusted/.test(text);
  return [
    {
      ...base(known, isTrust ? 'trust' : 'needs_person'),
      title: isTrust ? UNTRUSTED : oneLine(text, TITLE),
      text: keepShort(text, TEXT),
      answers: [],
      ...(isTrust ? { command: trustCommand(folder) } : {}),
    },
  ];
}

function unheld(known: RowFacts): Need[] {
  if (known.unheld === undefined || known.judging) return [];
  const [, command] = /(?:with|run): (untildone .+|claude .+)$/.exec(known.unheld) ?? [];
  return [
    {
      ...base(known, 'not_held'),
      title: 'a loop that is not being held',
      text: known.unheld,
      answers: [],
      ...(command === undefined ? {} : { command }),
    },
  ];
}

function missed(known: RowFacts): Need[] {
  const { missedAt } = known;
  if (missedAt === undefined || known.unheld !== undefined) return [];
  const title = 'a turn ended, and its Stop did not reach untildone';
  return [{ ...base(known, 'missed_stop'), since: missedAt, title, text: MISSED_WORDS, answers: [] }];
}

export function unreadableNeed(id: string, project: string, problem: string, since: number): Need {
  const title = 'a loop whose journal cannot be read';
  return {
    id: `${id}/unreadable`,
    kind: 'unreadable',
    loop: id,
    project,
    title,
    text: problem,
    since,
    answers: [],
  };
}
