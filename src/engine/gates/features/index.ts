import { fingerprint, type Outcome } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import { fileNameFor } from '../../core/text/paths.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { judgementOf, UNTIL_ABORTED } from '../run/outcome.ts';
import { frozenBy, projectOf } from '../shared/asks.ts';
import {
  type Feature,
  type FrozenFeature,
  freezeFeatures,
  parseFeatureList,
  readFrozen,
  tampering,
} from './feature-list.ts';
import { featuresTraits } from './traits.ts';

const AT_ONCE = 4;

/**
 * A list of features, each with `passes` and perhaps a `verify` command. A feature with a verify command passes when the
 * command succeeds, whatever `passes` says. Without one `passes` counts, which is a claim. Only commands that you trusted
 * are run.
 */
export const featuresGate: Gate<'features'> = {
  ...featuresTraits,
  commands(_options, frozen) {
    return (readFrozen(frozen) ?? []).flatMap(({ verify }) => verify ?? []);
  },
  async freeze({ file }, { workspace }) {
    return freezeFeatures(await workspace.read(file));
  },
  async judge({ file, only }, context, signal) {
    const text = await context.workspace.read(file);
    if (text === undefined) return { outcome: 'fail', summary: `${file} is missing` };
    const list = parseFeatureList(text);
    if (!('features' in list)) return unreadable(file, list.problem, list.line);
    if (list.features.length === 0) return { outcome: 'fail', summary: `there are no features in ${file}` };
    const frozen = readFrozen(frozenBy(context));
    const own = only ? list.features.filter(({ id }) => only.includes(id)) : list.features;
    const states = await atMost(AT_ONCE, own, (feature, index) =>
      stateOf(feature, verifyOf(feature, frozen), index, context, signal),
    );
    return judgeFeatures(file, states, frozen ? tampering(frozen, list.features) : []);
  },
};

function unreadable(file: string, problem: string, line: number | undefined): Judgement {
  const place = line === undefined ? file : `${file}:${line}`;
  return { outcome: 'fail', summary: `${place}: ${problem}`, fingerprint: fingerprint(`${file} ${problem}`) };
}

function verifyOf(feature: Feature, frozen: readonly FrozenFeature[] | undefined): string | undefined {
  return frozen ? frozen.find(({ id }) => id === feature.id)?.verify : feature.verify;
}

async function stateOf(
  feature: Feature,
  verify: string | undefined,
  index: number,
  context: GateContext,
  signal: AbortSignal,
): Promise<FeatureState> {
  if (verify === undefined) return { feature };
  const outputFile = `${context.request.outputDir}/${fileNameFor(context.name)}-${index + 1}-${fileNameFor(feature.id)}.txt`;
  const result: ShellResult = await context.shell.run({
    command: verify,
    cwd: projectOf(context),
    outputFile,
    oneStream: true,
    timeoutMs: UNTIL_ABORTED,
    signal,
  });
  return { feature, verify: { command: verify, result, judgement: judgementOf(verify, result) } };
}

/** A feature and the result of its verify command, if it has one. */
interface FeatureState {
  feature: Feature;
  verify?: { command: string; result: ShellResult; judgement: Judgement };
}

const LINES_A_FEATURE = 8;

/** Judges a list of features as a whole. `tampered`: changes that only you may make. */
function judgeFeatures(
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
    evidence: [
      ...tampered,
      ...(outcome === 'pass'
        ? states.flatMap(receiptOf)
        : states.filter((state) => state.feature.passes || state === next).flatMap(failureOf)),
    ],
    ...(next ? { next: instructionFor(file, next) } : tampered.length > 0 ? { next: undo(file) } : {}),
    fingerprint: fingerprint([...tampered, ...states.flatMap(pictureOf)].join('\n')),
    ...measuredOf(states),
    ...proofOf(states),
  };
}

/** The outcome of one feature. What was measured rules; a feature that nobody calls done is open unless it was proven. */
function outcomeOf({ feature, verify }: FeatureState): Outcome {
  const measured = verify?.judgement.outcome;
  if (feature.passes) return measured ?? 'pass';
  return measured === 'pass' ? 'pass' : 'fail';
}

/** The features that were measured otherwise than the list says. */
function measuredOf(states: readonly FeatureState[]): Pick<Judgement, 'measured'> {
  const ids = (isPassing: boolean) =>
    states
      .filter((state) => state.feature.passes !== isPassing && (outcomeOf(state) === 'pass') === isPassing)
      .map(({ feature }) => feature.id);
  const measured = { passing: ids(true), open: ids(false) };
  return measured.passing.length + measured.open.length === 0 ? {} : { measured };
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
  if (!verify) return [];
  const { exitCode, outputSha256 } = verify.result;
  return [
    `feature ${feature.id}: \`${verify.command}\` exit code ${exitCode}, output sha256 ${outputSha256}`,
  ];
}

function instructionFor(file: string, { feature, verify }: FeatureState): string {
  const steps = feature.steps.map((step) => `  - ${step}`);
  const heading = `Next: feature ${feature.id}: ${feature.description}`;
  const lines = steps.length > 0 ? [heading, 'Steps:', ...steps] : [heading];
  if (feature.passes)
    lines.push(`${file} says that it passes, but ${verify?.judgement.summary}. Make it pass.`);
  else if (verify)
    lines.push(
      `Implement it. It is done when its verify command succeeds: ${verify.command} (now: ${verify.judgement.summary}).`,
    );
  else lines.push(`Implement it, check it yourself, then set "passes": true for it in ${file}.`);
  return lines.join('\n');
}

function undo(file: string): string {
  return `Next: undo what was changed in ${file}.`;
}

function pictureOf(state: FeatureState): string[] {
  const outcome = outcomeOf(state);
  if (outcome === 'pass') return [];
  const judgement = state.feature.passes ? state.verify?.judgement : undefined;
  return [`${state.feature.id} ${outcome} ${judgement?.fingerprint ?? judgement?.summary ?? 'open'}`];
}

function proofOf(states: readonly FeatureState[]): Pick<Judgement, 'proof'> {
  const runs = states.flatMap(({ verify }) =>
    verify ? [{ command: verify.command, result: verify.result }] : [],
  );
  if (runs.length === 0) return {};
  const failing = runs.find(({ result }) => result.exitCode !== 0) ?? runs[0];
  return {
    proof: {
      command: runs.map(({ command }) => command).join('\n'),
      exitCode: failing?.result.exitCode,
      durationMs: Math.max(...runs.map(({ result }) => result.durationMs)),
      walls: failing?.result.walls,
    },
  };
}

/** Maps all items, at most `limit` at a time. The results come in the order of the items. */
async function atMost<Item, Result>(
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
