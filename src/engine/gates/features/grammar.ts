import { pathOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const FEATURES = 'features: { features: feature_list.json }';

export const featuresGrammar = gateKind({
  kind: 'features',
  about: 'Every feature of a list passes; the next open one is given to the agent.',
  example: FEATURES,
  what: pathOf('a feature list', FEATURES).describe(
    'A JSON file with id, description, steps, passes, verify.',
  ),
  main: 'file',
  options: {},
  build: (file) => ({ file }),
});
