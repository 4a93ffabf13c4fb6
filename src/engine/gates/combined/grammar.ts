import type { Combination } from '../../core/contract/gate-options.ts';
import { gateNames } from '../../schema/values.ts';
import { type GateKindSchema, gateKind } from '../kind-grammar.ts';

export const allGrammar = combination('all', 'Passes when every one of these gates passes.');

export const anyGrammar = combination('any', 'Passes when one of these gates passes.');

function combination<Kind extends Combination>(kind: Kind, about: string): GateKindSchema<Kind> {
  const example = `ready: { ${kind}: [tests, lint] }`;
  return gateKind({
    kind,
    about,
    example,
    what: gateNames(example).describe('Names of gates of this contract.'),
    main: 'gates',
    options: {},
    build: (gates) => ({ gates: [...new Set(gates)] }),
  });
}
