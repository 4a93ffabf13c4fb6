/** One entry of a timeline with everything that it rests on. */
import type { Entry, EntryOf } from '../../../engine/core/loop/entry.ts';
import { newApprovals } from '../../../engine/core/loop/questions.ts';
import { keepShort } from '../../../engine/core/text/clip.ts';
import { redact } from '../../../engine/core/text/redact.ts';
import { entryLines } from '../../../engine/core/words/entries.ts';
import { standingReason } from '../../../engine/core/words/reason.ts';
import type { JournalLine } from '../../../engine/home/journal/line.ts';
import { answerTo, situationAfter } from '../../../engine/hook/stop/answer-stop.ts';
import { situationOf } from '../../../engine/hook/stop/situation.ts';
import type { ProjectPorts } from '../../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../engine/ports/ports.ts';
import type { EntryDetail } from './loop-types.ts';
import { damagedEntry, timelineEntry } from './timeline.ts';
import { verdictView } from './verdicts.ts';

const VALUE = 4_000;

export interface FoundLine {
  line?: JournalLine;
  before?: JournalLine;
  problem?: string;
}

export function detailOf(
  place: number,
  { line, before, problem }: FoundLine,
  trees: { from?: string; to: string } | undefined,
  ref: LoopRef,
  world: ProjectPorts,
): EntryDetail {
  const hasDiff = trees?.from !== undefined && trees.from !== trees.to;
  if (!line) {
    const entry = damagedEntry(place, problem ?? 'it was changed since');
    return { entry, lines: [entry.words], verdicts: [], facts: [], hasDiff };
  }
  const { entry, state } = line;
  const verdicts = entry.kind === 'stop' || entry.kind === 'guard' ? entry.verdicts : [];
  const reason = reasonOf(line, before, ref, world);
  return {
    entry: timelineEntry(place, line, before, trees && hasDiff),
    lines: entryLines(entry, state),
    ...(reason === undefined ? {} : { reason }),
    verdicts: verdicts.map(verdictView),
    facts: factsOf(entry),
    hasDiff,
  };
}

/** What the model was told. The journal keeps what it was made of, so that it can be made again. */
function reasonOf(
  line: JournalLine,
  before: JournalLine | undefined,
  ref: LoopRef,
  world: ProjectPorts,
): EntryDetail['reason'] {
  const { entry } = line;
  try {
    if (entry.kind === 'stop' && before) return stopReason(entry, line, before, ref, world);
    if (entry.kind === 'guard' && entry.refused && entry.event !== 'UserPromptSubmit')
      return { text: standingReason(entry.verdicts, 'first'), exact: false };
    const note =
      entry.kind === 'stop' && entry.decision.kind === 'allow' && 'note' in entry.decision
        ? entry.decision.note
        : undefined;
    return note === undefined ? undefined : { text: note, exact: true };
  } catch {
    return undefined;
  }
}

function stopReason(
  { decision, seen, verdicts }: EntryOf<'stop'>,
  { state: after }: JournalLine,
  { state }: JournalLine,
  ref: LoopRef,
  world: ProjectPorts,
): EntryDetail['reason'] {
  if (decision.kind !== 'block') return undefined;
  const { contract, sha256 } = world.store.contract(ref);
  const approvals = newApprovals(state.answers ?? {}, state.questions);
  const decided = { decision, after, approvals };
  const situation = situationAfter(situationOf(ref, state, world), state, seen, decided, contract);
  const answer = answerTo(decided, situation, verdicts, undefined, world);
  const exact = state.dialect === 'native' && sha256 === state.contractSha256;
  return answer.kind === 'refuse' ? { text: redact(answer.reason), exact } : undefined;
}

/** Fields of an entry that are neither verdicts nor words. */
function factsOf(entry: Entry): EntryDetail['facts'] {
  const { kind: _, ...fields } = entry;
  const own = 'verdicts' in fields ? { ...fields, verdicts: undefined } : fields;
  return flat('', own).slice(0, 60);
}

function flat(name: string, value: unknown): EntryDetail['facts'] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value !== 'object') return [{ name, value: keepShort(redact(String(value)), VALUE) }];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.length === 0 ? [] : [{ name, value: keepShort(redact(value.join(', ')), VALUE) }];
  return Object.entries(value).flatMap(([key, inner]) => flat(name === '' ? key : `${name}.${key}`, inner));
}
