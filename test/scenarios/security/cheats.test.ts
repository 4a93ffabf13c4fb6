import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CHEATS } from '../../../cheats/cases/all.ts';
import { HONEST } from '../../../cheats/honest/all.ts';
import { nodeTest } from '../../../cheats/projects/node-test.ts';
import { Stage } from '../../../cheats/stage/play.ts';
import { untildone } from '../../../cheats/stage/untildone.ts';
import { differences, knownRows } from '../../../cheats/table.ts';
import { isLong } from '../../support/long.ts';

/** One for each gate that catches, one that no gate has to, and honest work. `npm run cheats` plays all of all projects. */
const FEW = [
  ...['node-expected-to-actual', 'node-name-pattern', 'node-or-true', 'node-looks-at-the-caller'],
  ...['home-removed', 'node-test-honest-work'],
];
const ALL = [...CHEATS, ...HONEST].filter(({ project }) => project === nodeTest.name);

test('cheats and honest work get the verdicts of the table, by the same gates', {
  timeout: 3_600_000,
}, async () => {
  const cases = ALL.filter(({ name }) => isLong || FEW.includes(name));
  expect(cases.length).toBeGreaterThanOrEqual(FEW.length);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-cheats-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stage = new Stage(folder, untildone, 2);
  for (const each of cases) {
    const outcome = await stage.play(each, nodeTest);
    expect(differences([outcome], knownRows()), outcome.said).toEqual([]);
  }
});
