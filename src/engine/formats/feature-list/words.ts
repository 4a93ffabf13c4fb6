import { isDone, type LoopState } from '../../core/loop/state.ts';
import { fingerprint, type Measured, type Verdict } from '../../core/loop/verdict.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { DIFFERENT_APPROACH, failuresOf, howToFinish, REASON_LIMIT } from '../../core/words/reason.ts';
import type { Held, Words } from '../../ports/session-loop.ts';
import type { Feature, FeatureList } from './features.ts';
import { COMPLETE, type Progress } from './progress.ts';

/** What the three files of a folder say. */
export interface State {
  /** Links resolved: where the agent finds the files. */
  folder: string;
  list: FeatureList;
  progress: Progress;
  hasPrompt: boolean;
}

export const KIND = 'feature-list';
const DESCRIPTION_LIMIT = 1500;
const STEPS_LIMIT = 2500;
const LABEL_LIMIT = 120;
const BREAK = '\n\n';

/** The features that are open: what was measured rules over what the list says. */
export function openFeatures({ list }: State, measured?: Measured): Feature[] {
  return list.features.filter(({ id, passes }) =>
    passes ? measured?.open.includes(id) : !measured?.passing.includes(id),
  );
}

/** What was measured of the list at this Stop. */
export function measuredIn(verdicts: readonly Verdict[]): Measured | undefined {
  return verdicts.find(({ kind }) => kind === KIND)?.measured;
}

/** Passes with a status of COMPLETE, whatever the list says, and with a list without open features, as the format demands. */
export function verdictOf(state: State, measured?: Measured): Verdict {
  const open = state.progress.status === COMPLETE ? [] : openFeatures(state, measured);
  const [next] = open;
  const summary = summaryOf(state, measured);
  const verdict = { gate: 'features', kind: KIND, class: 'claimed', summary, measured } as const;
  if (!next) return { ...verdict, outcome: 'pass' };
  return {
    ...verdict,
    outcome: 'fail',
    next: nextFeature(next),
    fingerprint: fingerprint(open.map(({ id }) => id).join('\n')),
  };
}

function summaryOf(state: State, measured: Measured | undefined): string {
  const open = openFeatures(state, measured).length;
  const all = state.list.features.length;
  const claim = state.progress.status === COMPLETE ? `progress.txt says "Status: ${COMPLETE}"; ` : '';
  if (all === 0) return `${claim}there are no features in feature_list.json`;
  const proof = measured ? 'as it was measured or as feature_list.json says' : 'as feature_list.json says';
  if (open === 0) return `${all} of ${all} features pass, ${proof}`;
  return claim === '' ? `${stillOpen(open, all)} yet` : `${claim}${stillOpen(open, all)}`;
}

/** The format's own continuation, word for word, followed by what other gates say. */
export function continuation(state: State, held: Held): Words {
  const [next] = openFeatures(state, measuredIn(held.verdicts));
  const place = `${held.iteration}/${held.maxIterations}`;
  const others = held.verdicts.filter((verdict) => verdict.kind !== KIND);
  const said = next ? featureText(place, next) : checksText(place, state);
  const after = [
    ...(held.instruction === 'different_approach' ? [DIFFERENT_APPROACH] : []),
    ...(held.promise === undefined ? [] : [howToFinish(held.promise)]),
  ];
  const before = [
    ...(held.notes ?? []),
    said,
    filesText(state),
    ...(state.progress.status === COMPLETE ? [NOT_BELIEVED] : []),
  ];
  const taken = [...before, ...after].reduce((sum, part) => sum + part.length + BREAK.length, 0);
  const failures = keepShort(failuresOf(others), Math.max(0, REASON_LIMIT - taken));
  const reason = [...before, failures, ...after].filter((part) => part !== '').join(BREAK);
  const subject = next ? `next: feature ${labelOf(next)}` : 'every feature passes, but other checks do not';
  return {
    reason: keepShort(reason, REASON_LIMIT),
    message: `Ralph Loop iteration ${place}; ${subject}`,
  };
}

function filesText({ folder, hasPrompt }: State): string {
  const place = `The files are in ${folder}${hasPrompt ? '; RALPH_PROMPT.md there holds the whole task' : ''}.`;
  return `${folder}/`.includes('/.claude/') ? `${place} ${TRY_AGAIN}` : place;
}

/** Claude Code asks before files in `.claude` are changed. Before the first Stop of a session untildone does not answer. */
const TRY_AGAIN =
  'Change feature_list.json and progress.txt there with Edit or Write. If that was refused before, try it again now.';

const NOT_BELIEVED = `progress.txt says "Status: ${COMPLETE}", which is not believed while a check fails.`;

function featureText(place: string, { id, description, steps }: Feature): string {
  return `CONTINUATION: Ralph Loop iteration ${place}

NEXT FEATURE (ID ${id}): ${keepShort(description, DESCRIPTION_LIMIT)}

Steps:
${keepShort(steps.length > 0 ? steps.join('\n') : 'No steps defined', STEPS_LIMIT)}

Instructions:
1. Read the current state from progress.txt
2. Implement/verify Feature ${id}
3. Update feature_list.json: set "passes": true if verified
4. Update progress.txt with results
5. Let the Stop hook handle continuation logic`;
}

/** The text for a list without open features while gates of the contract fail. The format has no words for this. */
function checksText(place: string, { list }: State): string {
  const claim =
    list.features.length > 0
      ? 'Every feature in feature_list.json is marked as passing'
      : 'No feature is left in feature_list.json';
  return `CONTINUATION: Ralph Loop iteration ${place}

${claim}, but the work is not done: the checks named below do not pass.

Instructions:
1. Read the current state from progress.txt
2. Fix what the checks say
3. Update feature_list.json: set "passes": false for a feature that does not work after all
4. Update progress.txt with results
5. Let the Stop hook handle continuation logic`;
}

function nextFeature(feature: Feature): string {
  const steps = feature.steps.map((step) => `  - ${step}`);
  return keepShort(
    [`Next: feature ${labelOf(feature)}`, ...(steps.length > 0 ? ['Steps:', ...steps] : [])].join('\n'),
    STEPS_LIMIT,
  );
}

function labelOf({ id, description }: Feature): string {
  return oneLine(`${id}: ${description}`, LABEL_LIMIT);
}

function stillOpen(open: number, all: number): string {
  return `${open} of ${all} features do not pass`;
}

const IDS_SHOWN = 100;

/** What the format's own hook would have printed, in its words where they are true. */
export function outputOf(
  state: State,
  ended: LoopState,
  verdicts: readonly Verdict[],
): Record<string, string | string[]> {
  const measured = measuredIn(verdicts);
  const open = openFeatures(state, measured).map(({ id }) => id);
  const shown = open.slice(0, IDS_SHOWN);
  if (open.length > IDS_SHOWN) shown.push(`and ${open.length - IDS_SHOWN} more`);
  return {
    status: statusWord(ended),
    message: sentence(state, ended, measured),
    ...(open.length > 0 ? { remaining_features: shown } : {}),
  };
}

/** The line that is added to progress.txt. It has none of the keys that are read from there. */
export function logLine(state: State, ended: LoopState, measured: Measured | undefined): string {
  const at = new Date(ended.ending?.at ?? ended.lastAt).toISOString();
  const cause = ended.ending?.cause ?? 'unknown';
  return `- [${at}] untildone: ${ended.status} (${cause}): ${sentence(state, ended, measured)}`;
}

export function statusWord({ status }: LoopState): string {
  return isDone(status) ? COMPLETE : status.toUpperCase();
}

function sentence(state: State, ended: LoopState, measured: Measured | undefined): string {
  const open = openFeatures(state, measured).length;
  if (!isDone(ended.status)) return `${why(ended)} ${open} features remaining.`;
  const { features, otherTotal } = state.list;
  if (open > 0) {
    const proof = ended.status === 'verified_done' ? 'the checks that were run pass' : 'not verified';
    return `Claimed complete (${proof}), although ${stillOpen(open, features.length)}.`;
  }
  const all = `All ${features.length} features`;
  const hint = otherTotal === undefined ? '' : ` (total_features says ${otherTotal})`;
  return ended.status === 'verified_done'
    ? `${all} verified${hint}. Loop complete.`
    : `${all} claimed, not verified${hint}. Loop complete.`;
}

function why({ status, maxIterations, ending }: LoopState): string {
  switch (status) {
    case 'reached_limit':
      return ending?.cause === 'iterations'
        ? `Max iterations (${maxIterations}) reached.`
        : `The limit of ${LIMITS[ending?.cause ?? ''] ?? 'this loop'} was reached.`;
    case 'stalled':
      return 'No progress.';
    case 'idle':
      return 'The agent had nothing more to say.';
    case 'capped':
      return "Ended at Claude Code's own limit.";
    case 'cancelled':
      return 'Cancelled.';
    case 'released':
      return ending?.cause === 'person' ? 'Released by a person.' : 'Let go without proof.';
    default:
      return 'The loop failed.';
  }
}

const LIMITS: Record<string, string> = { duration: 'working time', cost: 'cost', tokens: 'tokens' };
