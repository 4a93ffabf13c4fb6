import { describe, expect, test } from 'vitest';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import {
  baseGates,
  nothingWasMeasured,
  restsOnClaims,
} from '../../../../src/engine/core/loop/since-start.ts';
import type { Outcome, Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { freshLoop, LIMITS, seenStop, T0 } from '../../../support/core/samples.ts';

/** A gate as `name: outcome`; its name tells its kind and its class. */
const KINDS: Record<string, Pick<Verdict, 'kind' | 'class'>> = {
  tests: { kind: 'run', class: 'measured' },
  proof: { kind: 'differential', class: 'measured' },
  'proof of words': { kind: 'differential', class: 'measured' },
  lint: { kind: 'run', class: 'measured' },
  ci: { kind: 'ci', class: 'measured' },
  committed: { kind: 'git', class: 'measured' },
  list: { kind: 'checklist', class: 'claimed' },
  said: { kind: 'promise', class: 'claimed' },
  tasks: { kind: 'tasks', class: 'claimed' },
  plan: { kind: 'artefact', class: 'claimed' },
  changed: { kind: 'changed', class: 'claimed' },
  review: { kind: 'judge', class: 'judged' },
  'features measured': { kind: 'features', class: 'measured' },
  'features claimed': { kind: 'features', class: 'claimed' },
};
function verdicts(text: string): Verdict[] {
  return text.split(', ').map((one) => {
    const [name = '', outcome = ''] = one.split(': ');
    const { kind, class: given } = KINDS[name] ?? { kind: 'run', class: 'measured' as const };
    const differential = {
      allowed: [],
      ...(name === 'proof of words' ? { nothingToMiss: true as const } : {}),
    };
    const proof = kind === 'differential' ? { proof: { differential } } : {};
    const gate = name.split(' ')[0] ?? '';
    return { gate, kind, class: given, outcome: outcome as Outcome, summary: '', ...proof };
  });
}

const CASES: [start: string, end: string, claims: string[] | undefined][] = [
  // something was measured as failing and passes now
  ['tests: fail', 'tests: pass', undefined],
  ['tests: fail, list: fail', 'tests: pass, list: pass', undefined],
  ['tests: unproven, list: fail', 'tests: pass, list: pass', undefined],
  ['tests: pass, lint: fail, list: fail', 'tests: pass, lint: pass, list: pass, said: pass', undefined],
  ['tests: pass, features claimed: fail', 'tests: pass, features measured: pass', undefined],
  // a gate that cannot be judged at the start counts for what it is
  ['tests: pass, list: fail', 'tests: pass, list: pass, ci: pass', undefined],
  ['tests: pass, list: fail', 'tests: pass, list: pass, review: pass', undefined],
  // only words came to pass
  ['tests: pass, list: fail', 'tests: pass, list: pass', ['list']],
  ['tests: pass, list: unproven', 'tests: pass, list: pass', ['list']],
  ['tests: pass', 'tests: pass, said: pass', ['said']],
  ['tests: pass', 'tests: pass, said: pass, changed: pass', ['said']],
  ['tests: pass, list: fail, plan: fail', 'tests: pass, list: pass, plan: pass', ['list', 'plan']],
  ['tests: pass, features claimed: fail', 'tests: pass, features claimed: pass', ['features']],
  ['tests: pass, list: fail, committed: fail', 'tests: pass, list: pass, committed: pass', ['list']],
  // nothing but a change is asked for, because everything passed at the start
  ['tests: pass', 'tests: pass, changed: pass', undefined],
  ['tests: pass, list: pass', 'tests: pass, list: pass, changed: pass', undefined],
  // no list of tasks at the start is no failure
  ['tests: pass, tasks: skip', 'tests: pass, tasks: pass, changed: pass', undefined],
  // a measured gate of an earlier phase has passed since
  ['tests: pass, lint: fail, list: fail', 'tests: pass, list: pass', undefined],
  ['tests: pass, plan: fail, list: fail', 'tests: pass, list: pass', ['list']],
];

describe('nothing was measured', () => {
  test.each<[start: string, end: string, nothing: boolean]>([
    ['tests: pass, proof: skip', 'tests: pass, proof of words: pass, changed: pass', true],
    ['tests: pass, lint: pass, proof: skip', 'tests: pass, lint: pass, proof of words: pass', true],
    ['tests: pass, proof: skip, list: fail', 'tests: pass, proof of words: pass, list: pass', true],
    ['tests: pass, proof: skip', 'tests: pass, proof: pass, changed: pass', false],
    ['tests: fail, proof: skip', 'tests: pass, proof of words: pass', false],
    ['tests: unproven, proof: skip', 'tests: pass, proof of words: pass', false],
    ['tests: pass, lint: fail, proof: skip', 'tests: pass, lint: pass, proof of words: pass', false],
    ['tests: pass, proof: skip', 'tests: pass, proof of words: pass, ci: pass', false],
    ['tests: pass, proof: skip', 'tests: pass, proof of words: pass, review: pass', false],
    ['tests: pass, lint: fail, proof: skip', 'tests: pass, proof of words: pass', false],
    ['tests: pass', 'tests: pass, changed: pass', false],
  ])('%s -> %s: %s', (start, end, nothing) => {
    expect(nothingWasMeasured(baseGates(verdicts(start)), verdicts(end))).toBe(nothing);
  });
  test('nobody can tell without a start', () => {
    expect(nothingWasMeasured(undefined, verdicts('tests: pass, proof of words: pass'))).toBe(false);
  });
});

describe('the claims that an ending rests on', () => {
  test.each(CASES)('%s -> %s', (start, end, claims) => {
    const base = baseGates(verdicts(start));
    expect(restsOnClaims(base, verdicts(end))).toEqual(claims);
    const state = freshLoop({ base: { tree: 't', gates: base } });
    const decision = decide(state, seenStop({ tree: 't2' }), verdicts(end), LIMITS, T0);
    expect(decision).toMatchObject(
      claims
        ? { status: 'claimed_done', cause: 'claims_moved', detail: claims.join(', ') }
        : { status: 'verified_done', cause: 'gates_passed' },
    );
  });
  test('are looked for inside other gates, too', () => {
    const all = (parts: string, outcome: Outcome): Verdict[] => [
      { gate: 'ready', kind: 'all', class: 'measured', outcome, summary: '', children: verdicts(parts) },
    ];
    const base = baseGates(all('tests: pass, list: fail', 'fail'));
    expect(base.map(({ name }) => name)).toEqual(['tests', 'list']);
    expect(restsOnClaims(base, all('tests: pass, list: pass', 'pass'))).toEqual(['list']);
  });
  test('are not asked about where the start is not known, as in journals of version 0.1.0', () => {
    expect(restsOnClaims(undefined, verdicts('tests: pass, list: pass'))).toBeUndefined();
  });
  test('are not asked about after you replaced the contract: its gates were not judged at the start', () => {
    const state = freshLoop({ base: { tree: 't', gates: baseGates(verdicts('tests: pass')) } });
    const after = advance(state, { kind: 'contract', contractSha256: 'x', maxIterations: 5 }, T0);
    expect(after.base).toEqual({ tree: 't' });
  });
});
