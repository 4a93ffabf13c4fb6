import { fingerprint } from '../../core/loop/verdict.ts';
import { fileNameFor } from '../../core/text/paths.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { judgementOf, UNTIL_ABORTED } from '../run/outcome.ts';
import {
  type Feature,
  type FrozenFeature,
  freezeFeatures,
  parseFeatureList,
  readFrozen,
  tampering,
} from './feature-list.ts';
import { atMost, type FeatureState, judgeFeatures } from './judge-features.ts';
import { featuresTraits } from './traits.ts';

const AT_ONCE = 4;

/**
 * A list of features, each with `passes` and perhaps a `verify` command. `passes` alone is a claim; a feature with a
 * verify command passes when both hold, and the command that is run is the one a person approved.
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
    const frozen = readFrozen(context.frozen);
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

/** Nothing is run for a feature that is not even said to pass. */
async function stateOf(
  feature: Feature,
  verify: string | undefined,
  index: number,
  context: GateContext,
  signal: AbortSignal,
): Promise<FeatureState> {
  if (verify === undefined) return { feature };
  if (!feature.passes) return { feature, verify: { command: verify } };
  const outputFile = `${context.outputDir}/${fileNameFor(context.name)}-${index + 1}-${fileNameFor(feature.id)}.txt`;
  const result: ShellResult = await context.shell.run({
    command: verify,
    cwd: context.project,
    outputFile,
    oneStream: true,
    timeoutMs: UNTIL_ABORTED,
    signal,
  });
  return { feature, verify: { command: verify, result, judgement: judgementOf(verify, result) } };
}
