import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIFFERENT_APPROACH, REASON_LIMIT } from '../../../../src/engine/core/words/reason.ts';
import { featureListFormat } from '../../../../src/engine/formats/feature-list/index.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import { freshLoop, verdict } from '../../../support/core/samples.ts';
import {
  BLOCK,
  dir,
  ended,
  FEATURES,
  held,
  judged,
  lay,
  loop,
  loopWith,
  PROGRESS,
  place,
  problem,
  progressFile,
  read,
  root,
  USUAL,
  useFolder,
} from '../../../support/formats/feature-folder.ts';
import { rounds } from '../../../support/long.ts';

useFolder();

describe('where it lies', () => {
  test.each([
    [undefined, USUAL],
    ['', USUAL],
    ['loops/todo', 'loops/todo'],
    ['./loops//todo/', 'loops/todo'],
    ['.', ''],
  ])('RALPH_LOOP_DIR %j', (ralphLoopDir, expected) => {
    const where = place(ralphLoopDir === undefined ? {} : { ralphLoopDir });
    expect(featureListFormat.path(where)).toBe(join(root(), expected).replace(/\/$/, ''));
  });

  test('an absolute RALPH_LOOP_DIR is taken as it is', () => {
    expect(featureListFormat.path(place({ ralphLoopDir: '/srv/loop/' }))).toBe('/srv/loop');
  });

  test('current may be a link; the path stays as named, the identity is the real folder', () => {
    const task = join(dirname(dir()), 'todo');
    lay({ list: { features: FEATURES }, prompt: 'Build it' }, task);
    symlinkSync('todo', dir());
    expect(featureListFormat.path(place())).toBe(dir());
    expect(loop().identity).toBe(`${task} ${foreignFiles.sha256('Build it')}`);
  });

  test('another prompt, or another task, is another loop; a changed list is not', () => {
    const first = loopWith({ prompt: 'one' }).identity;
    expect(loopWith({ list: { features: [] } }).identity).toBe(first);
    expect(loopWith({ prompt: 'two' }).identity).not.toBe(first);
    rmSync(join(dir(), 'RALPH_PROMPT.md'));
    expect(loop().identity).toBe(`${dir()} `);
  });

  test('a folder with spaces and other letters is as good as any', () => {
    const other = 'my lööps/ту до';
    lay({ list: { features: FEATURES } }, join(root(), other));
    expect(loop({ ralphLoopDir: other }).maxIterations).toBe(15);
  });

  test('nothing there, a link that leads nowhere, or an empty folder: no loop', () => {
    expect(read()).toEqual({ kind: 'none' });
    mkdirSync(dirname(dir()), { recursive: true });
    symlinkSync('gone', dir());
    expect(read()).toEqual({ kind: 'none' });
    rmSync(dir());
    lay({ prompt: 'only this' });
    expect(read()).toEqual({ kind: 'none' });
  });
});

describe('what cannot be used holds nobody and is said', () => {
  test.each([
    ['{"features": [\n1,', /feature_list\.json:2:3: this is no JSON/],
    ['', /feature_list\.json:1:1: this is no JSON/],
    ['[]', /there is no list of features/],
    ['{}', /there is no list of features/],
    ['{"features": {"1": {}}}', /there is no list of features/],
    ['{"features": [{"id": 1}, "two"]}', /entry 2 of "features" is no object/],
    ['{"features": [null]}', /entry 1 of "features" is no object/],
    [`{"features": ["${'x'.repeat(12_000_000)}`, /feature_list\.json: this is no JSON/],
    ['['.repeat(200_000), /this is no JSON/],
  ])('a list like %.30s', (list, said) => {
    lay({ list, progress: PROGRESS });
    expect(problem()).toMatch(said);
    expect(problem()).toContain(dir());
    expect(problem()).toContain('put it right, and the loop goes on');
  });

  test('a folder or a pipe in the place of the list does not hang', () => {
    mkdirSync(join(dir(), 'feature_list.json'), { recursive: true });
    expect(problem()).toContain('feature_list.json is not a regular file');
    rmSync(join(dir(), 'feature_list.json'), { recursive: true });
    execFileSync('mkfifo', [join(dir(), 'feature_list.json')]);
    expect(problem()).toContain('feature_list.json is not a regular file');
  });

  test('a file in the place of the folder', () => {
    mkdirSync(dirname(dir()), { recursive: true });
    writeFileSync(dir(), 'todo');
    expect(problem()).toContain(`${dir()} is not a folder`);
  });

  test('an unreadable progress.txt only costs its numbers, and is not written', () => {
    lay({ list: { features: FEATURES } });
    execFileSync('mkfifo', [progressFile()]);
    const found = loop();
    expect(found.maxIterations).toBe(15);
    expect(found.iteration).toBeUndefined();
    expect(found.notes[0]).toContain('progress.txt is not a regular file');
    expect(found.writeBack(BLOCK, freshLoop(), [])).toEqual([]);
  });

  test('an unreadable prompt only costs the task', () => {
    mkdirSync(join(dir(), 'RALPH_PROMPT.md'), { recursive: true });
    const found = loopWith({});
    expect(found.task).toBe(`Make every feature in ${dir()}/feature_list.json pass.`);
    expect(found.notes[0]).toContain('RALPH_PROMPT.md is not a regular file');
  });
});

describe('progress.txt', () => {
  const numbers = (progress: string) => {
    const { iteration, maxIterations, rest, notes } = loopWith({ progress });
    return { iteration, maxIterations, complete: rest !== undefined, notes: notes.length };
  };
  const found = (iteration: number | undefined, maxIterations: number, complete = false, notes = 0) => ({
    iteration,
    maxIterations,
    complete,
    notes,
  });

  test.each([
    ['', found(undefined, 15)],
    [PROGRESS, found(3, 12)],
    [PROGRESS.replaceAll('\n', '\r\n'), found(3, 12)],
    [`\uFEFF- Iteration: 5\n`, found(5, 15)],
    ['Iteration:5\nMax Iterations:9', found(5, 9)],
    ['  * Iteration: 5 of 9, going well', found(5, 15)],
    ['Current Iteration: 5', found(5, 15)],
    ['- Iteration: 1\n- Iteration: 2\n', found(2, 15)],
    ['- Iteration: 6\nIn the log: Iteration: 2 was hard\n', found(6, 15)],
    ['- Max Iterations: 0', found(undefined, 0)],
    ['- Max Iterations: 20 Iteration: 4', found(undefined, 20)],
    ['- Max Iterations: 20 (per day)', found(undefined, 20)],
    ['- Status: COMPLETE', found(undefined, 15, true)],
    ['- Status: COMPLETE\r\n', found(undefined, 15, true)],
    ['Status:  COMPLETE : yes', found(undefined, 15, true)],
    ['- Status: complete', found(undefined, 15)],
    ['- Status: COMPLETED', found(undefined, 15)],
    ['- Status: COMPLETE soon', found(undefined, 15)],
    ['- Status: IN_PROGRESS\nFeature 1 Status: COMPLETE', found(undefined, 15)],
    ['- Status: IN_PROGRESS\n- Status: COMPLETE', found(undefined, 15, true)],
    ['Overall Status: COMPLETE', found(undefined, 15, true)],
  ])('%j', (progress, expected) => {
    expect(numbers(progress)).toEqual(expected);
  });

  test.each(['-3', '2.5', '99999999999999999999', 'many', '', '3/15', '0x10', '1e3'])(
    'a counter of %j is no number: the default or our own count is used, and it is said',
    (value) => {
      expect(numbers(`- Max Iterations: ${value}\n- Iteration: ${value}\n`)).toEqual(
        found(undefined, 15, false, 2),
      );
      expect(loop().notes).toEqual([
        `${dir()}/progress.txt: "Max Iterations: ${value}" is no whole number; 15 is used`,
        `${dir()}/progress.txt: "Iteration: ${value}" is no whole number; untildone's own count is used`,
      ]);
    },
  );
});

describe('a loop', () => {
  test('is claimed by the first session, counts from 0 and asks for no gates', () => {
    const found = loopWith({ prompt: '\nBuild it\n' });
    expect(found).toMatchObject({ claimedBy: 'first', firstIteration: 0, gates: {}, limits: {}, notes: [] });
    expect(found.owner).toBeUndefined();
    expect(found.rest).toBeUndefined();
    expect(found.task).toBe('Build it');
  });

  test.each([
    [{ progress: '- Status: COMPLETE' }, 'progress.txt says "Status: COMPLETE"'],
    [{ list: { features: [FEATURES[0]] } }, 'every feature in feature_list.json passes'],
    [{ list: { features: [] } }, 'there are no features in feature_list.json'],
  ])('with %j rests', (files, rest) => {
    expect(loopWith(files).rest).toBe(rest);
  });

  test('a folder that has only progress.txt rests, as an empty list does', () => {
    lay({ progress: PROGRESS });
    expect(loop().rest).toBe('there are no features in feature_list.json');
  });

  test('odd fields are tolerated and named', () => {
    const features = [
      { passes: 'yes', steps: 'one step' },
      { id: ' 7\n8 ', description: 5, passes: 1, steps: [{ description: 'as object' }, { odd: 1 }, 7, 'b'] },
      { id: {}, description: 'x', steps: [], passes: null, verify: 'npm test' },
    ];
    const found = loopWith({ list: { total_features: 9, features } });
    expect(found.notes).toEqual([
      `${dir()}/feature_list.json: "total_features" is 9, but the list has 3 entries`,
      `${dir()}/feature_list.json: "passes" is neither true nor false, which counts as open: entry 1, 7 8`,
      `${dir()}/feature_list.json: these features have a "verify" command, which is run only by a features gate of an ` +
        'untildone.yaml that you trust (gates: { features: { features: FILE } }): entry 3',
    ]);
    expect(found.instruct(held()).reason).toContain(
      'NEXT FEATURE (ID entry 1): (no description)\n\nSteps:\none step\n',
    );
    const second = loopWith({ list: { features: features.slice(1) } }).instruct(held()).reason;
    expect(second).toContain('NEXT FEATURE (ID 7 8): (no description)\n\nSteps:\nas object\nb\n');
    const third = loopWith({ list: { features: features.slice(2) } }).instruct(held()).reason;
    expect(third).toContain('Steps:\nNo steps defined\n');
  });

  test('a byte order mark before the list is no fault', () => {
    expect(loopWith({ list: `\uFEFF${JSON.stringify({ features: FEATURES })}` }).rest).toBeUndefined();
  });
});

describe('judging', () => {
  test('open features fail, by count, with the next one', async () => {
    expect(await judged(loopWith({}))).toMatchObject({
      gate: 'features',
      kind: 'feature-list',
      class: 'claimed',
      outcome: 'fail',
      summary: '2 of 3 features do not pass yet',
      next: 'Next: feature 2: Log out\nSteps:\n  - Press the button\n  - See the page',
    });
  });

  test('the fingerprint changes with what is open, and with nothing else', async () => {
    const first = (await judged(loopWith({})))?.fingerprint;
    const reworded = FEATURES.map((feature) => ({ ...feature, description: 'other words' }));
    expect((await judged(loopWith({ list: { features: reworded } })))?.fingerprint).toBe(first);
    const fewer = FEATURES.map((feature) => ({ ...feature, passes: feature.id !== 'pw-3' }));
    expect((await judged(loopWith({ list: { features: fewer } })))?.fingerprint).not.toBe(first);
  });

  test.each([
    [{ list: { features: [FEATURES[0]] } }, '1 of 1 features pass, as feature_list.json says'],
    [{ progress: '- Status: COMPLETE' }, 'progress.txt says "Status: COMPLETE"; 2 of 3 features do not pass'],
    [{ list: { features: [] } }, 'there are no features in feature_list.json'],
  ])('%j is a claim that passes', async (files, summary) => {
    expect(await judged(loopWith(files))).toEqual({
      gate: 'features',
      kind: 'feature-list',
      class: 'claimed',
      outcome: 'pass',
      summary,
    });
  });
});

describe('the continuation', () => {
  test('has the words of the document, then where the files are', () => {
    const { reason, message } = loopWith({}).instruct(held());
    expect(reason).toBe(`CONTINUATION: Ralph Loop iteration 4/12

NEXT FEATURE (ID 2): Log out

Steps:
Press the button
See the page

Instructions:
1. Read the current state from progress.txt
2. Implement/verify Feature 2
3. Update feature_list.json: set "passes": true if verified
4. Update progress.txt with results
5. Let the Stop hook handle continuation logic

The files are in ${dir()}. Change feature_list.json and progress.txt there with Edit or Write. If that was refused before, try it again now.`);
    expect(message).toBe('Ralph Loop iteration 4/12; next: feature 2: Log out');
  });

  test('names what other gates say, the call for another approach and the promise, but not itself', async () => {
    const of = loopWith({});
    const own = await judged(of);
    const verdicts = [
      ...(own ? [own] : []),
      verdict('fail', { summary: '2 tests fail', evidence: ['a.ts:3'] }),
    ];
    const { reason } = of.instruct(
      held({ verdicts, instruction: 'different_approach', promise: 'ALL GREEN', notes: ['Mind this.'] }),
    );
    expect(reason).toMatch(/^Mind this\.\n\nCONTINUATION: /);
    expect(reason.split('\n\n').slice(-4)).toEqual([
      expect.stringContaining(`The files are in ${dir()}.`),
      'Fails: tests - 2 tests fail\na.ts:3',
      DIFFERENT_APPROACH,
      'When it is completely true, and only then, end your final message with this line alone:\n<promise>ALL GREEN</promise>',
    ]);
  });

  test('with every feature passing says which checks do not', () => {
    const of = loopWith({ list: { features: [FEATURES[0]] } });
    const { reason, message } = of.instruct(held({ verdicts: [verdict('fail')] }));
    expect(reason).toContain(
      'CONTINUATION: Ralph Loop iteration 4/12\n\nEvery feature in feature_list.json is',
    );
    expect(reason).toContain('Fails: tests - fail');
    expect(reason).not.toContain('NEXT FEATURE');
    expect(message).toContain('every feature passes, but other checks do not');
  });

  test('does not let a COMPLETE stand that the checks do not bear out', () => {
    const of = loopWith({ progress: '- Status: COMPLETE' });
    const { reason } = of.instruct(held({ verdicts: [verdict('fail')] }));
    expect(reason).toContain('NEXT FEATURE (ID 2)');
    expect(reason).toContain(
      'progress.txt says "Status: COMPLETE", which is not believed while a check fails.',
    );
  });

  test('stays short, whatever the list and the gates say, and keeps what it ends with', () => {
    const long = { id: 'x'.repeat(5000), description: 'd'.repeat(20_000), steps: ['s'.repeat(20_000)] };
    const evidence = Array.from({ length: 20 }, () => 'e'.repeat(1000));
    const verdicts = Array.from({ length: 9 }, (_, i) => verdict('fail', { gate: `g${i}`, evidence }));
    const { reason, message } = loopWith({ list: { features: [long] } }).instruct(
      held({ verdicts, instruction: 'different_approach' }),
    );
    expect(reason.length).toBeLessThanOrEqual(REASON_LIMIT);
    expect(reason).toContain('5. Let the Stop hook handle continuation logic');
    expect(reason).toContain('Fails: g0');
    expect(reason.endsWith(DIFFERENT_APPROACH)).toBe(true);
    expect(message?.length).toBeLessThan(200);
  });
});

describe('whatever the list holds', () => {
  test('reading a list never throws, and judging what was read agrees with rest', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(true, 'true', 1, null));
    const feature = fc.record(
      { id: value, description: value, steps: value, passes: value, verify: value },
      { requiredKeys: [] },
    );
    const list = fc.oneof(
      fc.record({
        features: fc.array(fc.oneof({ weight: 9, arbitrary: feature }, value)),
        total_features: value,
      }),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          list.map((l) => JSON.stringify(l)),
          fc.string(),
        ),
        async (json) => {
          lay({ list: json, progress: PROGRESS });
          const reading = read();
          if (reading.kind !== 'loop') {
            expect(reading.kind).toBe('unusable');
            return;
          }
          const outcome = (await judged(reading.loop))?.outcome;
          expect(outcome).toBe(reading.loop.rest === undefined ? 'fail' : 'pass');
          expect(reading.loop.instruct(held()).reason.length).toBeLessThanOrEqual(REASON_LIMIT);
          expect(reading.loop.output?.(ended('stalled', 'x'), [])?.status).toBe('STALLED');
        },
      ),
      { numRuns: rounds(300, 30) },
    );
  });
});
