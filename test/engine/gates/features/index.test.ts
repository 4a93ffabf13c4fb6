import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { featuresGate } from '../../../../src/engine/gates/features/index.ts';
import { makeProject, noAbort, type TestProject } from '../../../support/gates/project.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';

const FILE = 'feature_list.json';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

type Feature = Record<string, unknown>;

function list(...features: Feature[]): void {
  project.write(FILE, JSON.stringify({ features, total_features: features.length }, null, 2));
}

async function freeze(): Promise<unknown> {
  return JSON.parse(JSON.stringify(await featuresGate.freeze?.({ file: FILE }, project.freezing())));
}

async function judge(frozen?: unknown, signal = noAbort) {
  return featuresGate.judge({ file: FILE }, project.context({ name: 'features', frozen }), signal);
}

const one = { id: 1, description: 'Add an item', passes: true };
const two = { id: 2, description: 'Remove an item', steps: ['write a test', 'make it pass'], passes: false };

describe('the list', () => {
  test('with open features fails and names the next one with its steps', async () => {
    list(one, two, { id: 3, description: 'Search', passes: false });
    const judgement = await judge(await freeze());
    expect(judgement).toMatchObject({
      outcome: 'fail',
      class: 'claimed',
      summary: '1 of 3 features pass; next: 2 Remove an item',
    });
    expect(judgement.next).toBe(
      'Next: feature 2: Remove an item\nSteps:\n  - write a test\n  - make it pass\n' +
        `Implement it, check it yourself, then set "passes": true for it in ${FILE}.`,
    );
  });

  test('whose features all say that they pass is a claim', async () => {
    list(one, { ...two, passes: true });
    expect(await judge(await freeze())).toMatchObject({
      outcome: 'pass',
      class: 'claimed',
      summary: '2 of 2 features pass, as the file says',
    });
  });

  test('may be a bare array with ids of text and fields of its own', async () => {
    project.write(
      FILE,
      '\uFEFF[{"id": "login", "description": "Log in", "passes": true, "priority": "high"}]',
    );
    expect(await judge(await freeze())).toMatchObject({ outcome: 'pass' });
  });

  test.each(['"true"', '1', '"yes"', 'null', '[]'])('does not take %s for passes', async (value) => {
    project.write(FILE, `[{"id": 1, "description": "x", "passes": ${value}}]`);
    expect(await judge()).toMatchObject({ outcome: 'fail', summary: '0 of 1 features pass; next: 1 x' });
  });

  test('that is missing fails', async () => {
    expect(await judge()).toMatchObject({ outcome: 'fail', summary: `${FILE} is missing` });
  });

  test('that cannot be parsed fails with its line', async () => {
    project.write(FILE, '{\n  "features": [\n    {"id": 1,}\n  ]\n}\n');
    expect(await judge()).toMatchObject({
      outcome: 'fail',
      summary: `${FILE}:3: no valid JSON from column 14 on`,
    });
  });

  test.each([
    ['{"items": []}', 'there is no list of features'],
    ['"text"', 'there is no list of features'],
    ['[{"description": "x"}]', 'entry 1 of the list has no id'],
    ['[{"id": 1}, 2]', 'entry 2 of the list is no object'],
    ['[{"id": 1}, {"id": "1"}]', 'two features have the id 1'],
    ['[{"id": 1, "verify": ["a"]}]', '(id 1) has a verify that is no command line'],
    ['[]', 'there are no features'],
  ])('%s fails: %s', async (text, problem) => {
    project.write(FILE, text);
    const judgement = await judge();
    expect(judgement.outcome).toBe('fail');
    expect(judgement.summary).toContain(problem);
  });
});

describe('what only a person may change fails by name', () => {
  const checked = { id: 7, description: 'Pay', passes: true, verify: 'true' };

  test('a feature that was removed', async () => {
    list(one, two);
    const frozen = await freeze();
    list(one);
    const judgement = await judge(frozen);
    expect(judgement).toMatchObject({ outcome: 'fail' });
    expect(judgement.summary).toContain('feature 2 (Remove an item) was removed');
    expect(judgement.next).toContain('undo what was changed');
  });

  test('the whole file replaced by a shorter one', async () => {
    list(one, two, checked);
    const frozen = await freeze();
    project.write(FILE, '[{"id": 99, "description": "nothing", "passes": true}]');
    const judgement = await judge(frozen);
    expect(judgement).toMatchObject({ outcome: 'fail', class: 'claimed' });
    expect(judgement.evidence).toHaveLength(3);
  });

  test('a description that was rewritten', async () => {
    list(one, { ...two, passes: true });
    const frozen = await freeze();
    list(one, { ...two, passes: true, description: 'Do nothing' });
    const judgement = await judge(frozen);
    expect(judgement).toMatchObject({ outcome: 'fail' });
    expect(judgement.summary).toContain('feature 2: its description was changed: put back "Remove an item"');
  });

  test('a verify command that was changed: the frozen one is run, the new one never', async () => {
    list({ ...checked, verify: 'touch frozen-ran' });
    const frozen = await freeze();
    list({ ...checked, verify: 'touch changed-ran' });
    const judgement = await judge(frozen);
    expect(judgement).toMatchObject({ outcome: 'fail' });
    expect(judgement.summary).toContain(
      'feature 7: its verify command was changed; a person has to trust it first',
    );
    expect(existsSync(join(project.root, 'frozen-ran'))).toBe(true);
    expect(existsSync(join(project.root, 'changed-ran'))).toBe(false);
  });

  test('a verify command that was removed', async () => {
    list(checked);
    const frozen = await freeze();
    list({ ...checked, verify: undefined });
    expect((await judge(frozen)).summary).toContain('feature 7: its verify command was changed');
  });

  test('a verify command that was added, to an old feature or with a new one; it is not run', async () => {
    list(one);
    const frozen = await freeze();
    list({ ...one, verify: 'touch ran' }, { id: 8, description: 'New', passes: true, verify: 'touch ran' });
    const judgement = await judge(frozen);
    expect(judgement).toMatchObject({ outcome: 'fail', class: 'claimed' });
    expect(judgement.evidence).toEqual([
      'feature 1: a verify command was added; a person has to trust it first',
      'feature 8: a verify command was added; a person has to trust it first',
    ]);
    expect(existsSync(join(project.root, 'ran'))).toBe(false);
  });

  test('a verify command in a list that did not exist at the start', async () => {
    const frozen = await freeze();
    list({ ...checked, verify: 'touch ran' });
    expect(await judge(frozen)).toMatchObject({ outcome: 'fail' });
    expect(existsSync(join(project.root, 'ran'))).toBe(false);
  });

  test('but new features without one count, and steps and order are free', async () => {
    list(one, two);
    const frozen = await freeze();
    list({ id: 3, description: 'New', passes: true }, { ...two, passes: true, steps: [] }, one);
    expect(await judge(frozen)).toMatchObject({
      outcome: 'pass',
      summary: '3 of 3 features pass, as the file says',
    });
  });
});

describe('verify commands', () => {
  test('make a list measured, when every feature has one and all succeed', async () => {
    list({ ...one, verify: 'test -f package.json' }, { ...two, passes: true, verify: 'echo checked' });
    project.write('package.json', '{}');
    const judgement = await judge(await freeze());
    expect(judgement).toMatchObject({
      outcome: 'pass',
      class: 'measured',
      summary: '2 of 2 features pass, each by its verify command',
      proof: { command: 'test -f package.json\necho checked', exitCode: 0 },
    });
    expect(judgement.evidence?.[1]).toMatch(
      /^feature 2: `echo checked` exit code 0, output sha256 [0-9a-f]{64}$/,
    );
    const output = join(project.context().request.outputDir, 'features-2-2.txt');
    expect(readFileSync(output, 'utf8')).toBe('checked\n');
  });

  test('of only some features leave it a claim', async () => {
    list({ ...one, verify: 'true' }, { ...two, passes: true });
    expect(await judge(await freeze())).toMatchObject({ outcome: 'pass', class: 'claimed' });
  });

  test('that fail make the feature fail, whatever the file says', async () => {
    list({ ...one, verify: 'true' }, { ...two, passes: true, verify: 'echo "cart.js:3:1: broken"; exit 1' });
    const judgement = await judge(await freeze());
    expect(judgement).toMatchObject({
      outcome: 'fail',
      class: 'measured',
      summary: '1 of 2 features pass; next: 2 Remove an item',
      proof: { exitCode: 1 },
    });
    expect(judgement.evidence).toEqual([
      'feature 2: `echo "cart.js:3:1: broken"; exit 1` fails with exit code 1',
      'cart.js:3:1: broken',
    ]);
    expect(judgement.next).toContain(`${FILE} says that it passes, but`);
  });

  test('that cannot be run leave it unproven', async () => {
    list({ ...one, verify: 'no-such-tool' });
    expect(await judge(await freeze())).toMatchObject({ outcome: 'unproven', class: 'measured' });
  });

  // What was measured rules, whatever the list says.
  test.each([
    [true, 'true', 'pass', undefined],
    [false, 'true', 'pass', { passing: ['2'], open: [] }],
    [true, 'false', 'fail', { passing: [], open: ['2'] }],
    [false, 'false', 'fail', undefined],
    [true, 'no-such-tool', 'unproven', { passing: [], open: ['2'] }],
    [false, 'no-such-tool', 'fail', undefined],
  ])('with passes %s, `%s` gives %s', async (passes, verify, outcome, measured) => {
    list({ ...two, passes, verify });
    const judgement = await judge(await freeze());
    expect(judgement).toMatchObject({ outcome, class: 'measured' });
    expect(judgement.measured).toEqual(measured);
  });

  test('of an open feature say what is missing, and only that of the next one', async () => {
    const verify = (text: string) => `echo "a.js:1:1: ${text}"; exit 1`;
    list({ ...two, verify: verify('first') }, { id: 3, description: 'Third', verify: verify('second') });
    const { next, evidence, summary } = await judge(await freeze());
    expect(summary).toContain('0 of 2 features pass; next: 2 Remove an item');
    expect(next).toContain('It is done when its verify command succeeds: echo');
    expect(evidence?.join()).toContain('first');
    expect(evidence?.join()).not.toContain('second');
  });

  test('run at the same time, at most four', async () => {
    // Each waits until four have come, or would wait for ever; none may ever see more than four.
    const verify =
      'mkdir -p here; me=here/$$; : > $me; ls here | wc -l >> counts; ' +
      'until [ "$(cat counts | wc -l)" -ge 4 ]; do sleep 0.01; done; rm $me';
    list(...[1, 2, 3, 4, 5, 6, 7, 8].map((id) => ({ id, description: 'x', passes: true, verify })));
    expect(await judge(await freeze(), AbortSignal.timeout(PATIENCE_MS))).toMatchObject({ outcome: 'pass' });
    const counts = project.read('counts').trim().split(/\s+/).map(Number);
    expect(counts).toHaveLength(8);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });

  test('without a loop are those of the file', async () => {
    list({ ...one, verify: 'touch ran' });
    expect(await judge(undefined)).toMatchObject({ outcome: 'pass', class: 'measured' });
    expect(existsSync(join(project.root, 'ran'))).toBe(true);
  });

  test('are what a person approves', async () => {
    list({ ...one, verify: 'npm test -- add' }, two, { id: 3, description: 'x', verify: ' make check ' });
    expect(featuresGate.commands?.({ file: FILE }, await freeze())).toEqual([
      'npm test -- add',
      'make check',
    ]);
    expect(featuresGate.commands?.({ file: FILE }, undefined)).toEqual([]);
  });

  test('write their outputs into files of their own', async () => {
    const verify = 'echo out';
    list(
      { id: '../a', description: 'x', passes: true, verify },
      { id: '..-a', description: 'y', passes: true, verify },
    );
    await judge(await freeze());
    expect(readdirSync(project.context().request.outputDir).sort()).toEqual([
      'features-1-a.txt',
      'features-2-a.txt',
    ]);
  });
});

describe('the fingerprint', () => {
  test('changes when a feature begins to pass, not when it is described at greater length', async () => {
    list(one, two, { id: 3, description: 'Search', passes: false });
    const before = await judge();
    list(one, { ...two, steps: [] }, { id: 3, description: 'Search', passes: false });
    expect((await judge()).fingerprint).toBe(before.fingerprint);
    list(one, { ...two, passes: true }, { id: 3, description: 'Search', passes: false });
    expect((await judge()).fingerprint).not.toBe(before.fingerprint);
  });
});
