import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, SRC } from './files.ts';

const EXPORTED_TYPE = /^export (?:declare )?(?:type|interface|enum|(?:abstract )?class) (\w+)/gm;

/** Names that still have two senses. Take a name out as soon as it has one; put none in. */
const STILL_DOUBLE = [
  'Answer',
  'Asked',
  'Asking',
  'Change',
  'ChangedText',
  'Check',
  'Counts',
  'Dropped',
  'Evidence',
  'Feature',
  'FeatureList',
  'Figures',
  'FilePair',
  'Finding',
  'FleetWorker',
  'GateFigures',
  'GateLine',
  'GitCall',
  'Group',
  'Guard',
  'Happening',
  'Held',
  'HomeChange',
  'InitOptions',
  'Installation',
  'Judged',
  'Layout',
  'Limit',
  'LimitChanges',
  'Look',
  'Looked',
  'LostTest',
  'Measured',
  'Message',
  'Need',
  'Only',
  'Outcome',
  'Piece',
  'Place',
  'Problem',
  'Progress',
  'Proof',
  'RalphState',
  'RawEntry',
  'Reach',
  'Reading',
  'Refusal',
  'Refused',
  'Report',
  'RunCommand',
  'RunEvent',
  'RunOptions',
  'RunResult',
  'Scope',
  'Scratch',
  'Severity',
  'Situation',
  'SourceFile',
  'Spent',
  'Stage',
  'Standing',
  'Statement',
  'Step',
  'Store',
  'Tone',
  'Turn',
  'Uncommitted',
  'Where',
  'Words',
];

/** The files that export a type, by its name. A type that is only passed on counts where it is declared. */
function exportedTypes(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of filesIn(SRC)) {
    const file = relative(SRC, path);
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(EXPORTED_TYPE))
      found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

test('no two exported types have one name', () => {
  const double = [...exportedTypes()].filter(([, files]) => files.length > 1);
  expect(
    double
      .filter(([name]) => !STILL_DOUBLE.includes(name))
      .map(([name, files]) => `${name}: ${files.join(', ')}`),
  ).toEqual([]);
  const names = double.map(([name]) => name);
  expect(STILL_DOUBLE.filter((name) => !names.includes(name))).toEqual([]);
});
