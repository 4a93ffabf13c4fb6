/** Which gates of a contract can be judged again on a tree of the past. */

import type { Contract, GateSpec } from '../../core/contract/contract.ts';
import { isCombination } from '../../core/contract/contract.ts';
import { traitsOf } from '../../gates/traits.ts';

export interface Unjudged {
  name: string;
  why: 'session' | 'repository' | 'model';
  reason: string;
}

const REASONS: Record<Unjudged['why'], string> = {
  session: 'only a session, or you, can say it',
  repository: 'it asks your repository or a service, not a tree',
  model: 'it asks a model, which costs money; with --models it is asked',
};

/** The gates of `done` that a tree alone can answer, and the others with the reason. */
export function judgeable(
  { gates, done }: Pick<Contract, 'gates' | 'done'>,
  askModels: boolean,
): { names: string[]; unjudged: Unjudged[] } {
  const names: string[] = [];
  const unjudged: Unjudged[] = [];
  for (const gate of done) {
    const why = whyNot(gate, gates, askModels, []);
    if (why === undefined) names.push(gate);
    else unjudged.push({ name: gate, why, reason: REASONS[why] });
  }
  return { names, unjudged };
}

function whyNot(
  name: string,
  gates: Contract['gates'],
  askModels: boolean,
  above: readonly string[],
): Unjudged['why'] | undefined {
  const spec = gates[name];
  if (!spec || above.includes(name)) return undefined;
  const own = ofKind(spec, askModels);
  if (own !== undefined) return own;
  for (const part of partsOf(spec)) {
    const why = whyNot(part, gates, askModels, [...above, name]);
    if (why !== undefined) return why;
  }
  return undefined;
}

function partsOf(spec: GateSpec): string[] {
  if (spec.kind === 'chunks') return spec.options.chunks.flatMap(({ gates }) => gates);
  return isCombination(spec) ? spec.options.gates : [];
}

/** Whether a verdict of the past can be compared: the kind of its gate is one that a tree can answer. */
export function answersByTree(kind: string): boolean {
  const { isWord, needsSession, asksPerson, readsText, about, modelQuestion } = traitsOf(kind);
  return !(isWord || needsSession || asksPerson || readsText || about !== undefined || modelQuestion);
}

function ofKind(spec: GateSpec, askModels: boolean): Unjudged['why'] | undefined {
  const { isWord, needsSession, asksPerson, readsText, about, modelQuestion } = traitsOf(spec.kind);
  if (isWord || needsSession || asksPerson || readsText || about === 'session') return 'session';
  if (about !== undefined) return 'repository';
  return modelQuestion?.(spec.options) !== undefined && !askModels ? 'model' : undefined;
}
