import { fingerprint, type Outcome } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Judgement } from '../gate.ts';
import type { Feature } from './feature-list.ts';

/** A feature, and what its verify command said; not run for a feature that is still open. */
export interface FeatureState {
  feature: Feature;
  verify?: { command: string; result?: ShellResult; judgement?: Judgement };
}

const LINES_A_FEATURE = 8;

/** What a list of features says as a whole. `tampered`: changes that only a person may make. */
export function judgeFeatures(
  file: string,
  states: readonly FeatureState[],
  tampered: readonly string[],
): Judgement {
  const outcomes = states.map(outcomeOf);
  const outcome = outcomeOfAll(outcomes, tampered);
  const next =
    states.find((state) => outcomeOf(state) === 'fail') ??
    states.find((state) => outcomeOf(state) !== 'pass');
  const measured = states.every(({ verify }) => verify !== undefined);
  return {
    outcome,
    class: measured ? 'measured' : 'claimed',
    summary: summaryOf(outcomes, next, tampered, measured),
    evidence: [...tampered, ...(outcome === 'pass' ? states.flatMap(receiptOf) : states.flatMap(failureOf))],
    ...(next ? { next: instructionFor(file, next) } : tampered.length > 0 ? { next: undo(file) } : {}),
    fingerprint: fingerprint([...tampered, ...states.flatMap(pictureOf)].join('\n')),
    ...proofOf(states),
  };
}

/** An open feature fails; `skip` never comes. */
function outcomeOf({ feature, verify }: FeatureState): Outcome {
  if (!feature.passes) return 'fail';
  return verify?.judgement?.outcome ?? 'pass';
}

function outcomeOfAll(outcomes: readonly Outcome[], tampered: readonly string[]): Outcome {
  if (tampered.length > 0 || outcomes.includes('fail')) return 'fail';
  return outcomes.includes('unproven') ? 'unproven' : 'pass';
}

function summaryOf(
  outcomes: readonly Outcome[],
  next: FeatureState | undefined,
  tampered: readonly string[],
  measured: boolean,
): string {
  const passing = outcomes.filter((outcome) => outcome === 'pass').length;
  const count = `${passing} of ${outcomes.length} features pass`;
  if (tampered.length > 0) return `${tampered[0]}; ${count}`;
  if (next) return `${count}; next: ${nameOf(next.feature)}`;
  return measured ? `${count}, each by its verify command` : `${count}, as the file says`;
}

function nameOf({ id, description }: Feature): string {
  return oneLine(`${id} ${description}`, 120);
}

function failureOf({ feature, verify }: FeatureState): string[] {
  const judgement = verify?.judgement;
  if (!judgement || judgement.outcome === 'pass') return [];
  const lines = (judgement.evidence ?? []).slice(0, LINES_A_FEATURE);
  return [`feature ${feature.id}: ${judgement.summary}`, ...lines];
}

function receiptOf({ feature, verify }: FeatureState): string[] {
  if (!verify?.result) return [];
  const { exitCode, outputSha256 } = verify.result;
  return [
    `feature ${feature.id}: \`${verify.command}\` exit code ${exitCode}, output sha256 ${outputSha256}`,
  ];
}

function instructionFor(file: string, { feature, verify }: FeatureState): string {
  const steps = feature.steps.map((step) => `  - ${step}`);
  const heading = `Next: feature ${feature.id}: ${feature.description}`;
  const lines = steps.length > 0 ? [heading, 'Steps:', ...steps] : [heading];
  lines.push(
    feature.passes
      ? `${file} says that it passes, but ${verify?.judgement?.summary}. Make it pass.`
      : `Implement it, check it yourself, then set "passes": true for it in ${file}.`,
  );
  return lines.join('\n');
}

function undo(file: string): string {
  return `Next: undo what was changed in ${file}.`;
}

function pictureOf(state: FeatureState): string[] {
  const outcome = outcomeOf(state);
  if (outcome === 'pass') return [];
  const judgement = state.verify?.judgement;
  return [`${state.feature.id} ${outcome} ${judgement?.fingerprint ?? judgement?.summary ?? 'open'}`];
}

function proofOf(states: readonly FeatureState[]): Pick<Judgement, 'proof'> {
  const runs = states.flatMap(({ verify }) =>
    verify?.result ? [{ command: verify.command, result: verify.result }] : [],
  );
  if (runs.length === 0) return {};
  const failing = runs.find(({ result }) => result.exitCode !== 0) ?? runs[0];
  return {
    proof: {
      command: runs.map(({ command }) => command).join('\n'),
      exitCode: failing?.result.exitCode,
      durationMs: Math.max(...runs.map(({ result }) => result.durationMs)),
    },
  };
}

/** Maps all items, so many at a time; the results come in the order of the items. */
export async function atMost<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
