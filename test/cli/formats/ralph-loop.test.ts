import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseRalphArguments, startRalph } from '../../../src/cli/formats/ralph-loop.ts';
import { RALPH_FILE } from '../../../src/engine/formats/ralph-loop/index.ts';
import { parseState } from '../../../src/engine/formats/ralph-loop/state-file.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

describe('the arguments of /ralph-loop', () => {
  test.each([
    [['Fix', 'it'], { prompt: 'Fix it', maxIterations: 0 }],
    [['Fix it', '--max-iterations=3'], { prompt: 'Fix it', maxIterations: 3 }],
    [['--max-iterations', '3', 'Fix', 'it'], { prompt: 'Fix it', maxIterations: 3 }],
    [['Fix it', '--completion-promise', 'ALL DONE'], { prompt: 'Fix it', promise: 'ALL DONE' }],
    [
      ['Fix it', '--completion-promise', 'ALL', 'DONE', '--max-iterations', '2'],
      { promise: 'ALL DONE', maxIterations: 2 },
    ],
    [['--completion-promise', 'DONE', 'Fix', 'it'], { prompt: 'Fix it', promise: 'DONE' }],
    [['- [ ] item', '--- yaml ---'], { prompt: '- [ ] item --- yaml ---' }],
    [['--', '--max-iterations', 'is a word'], { prompt: '--max-iterations is a word' }],
    [['$(touch x); `y` "z"\nnext'], { prompt: '$(touch x); `y` "z"\nnext' }],
    [['x', '--no-safety-stop'], { safetyStop: false }],
  ])('%j', (args, expected) => {
    expect(parseRalphArguments(args)).toMatchObject(expected);
  });
  test.each([
    [[], 'the prompt is missing; type: untildone ralph-loop'],
    [['--max-iterations', '3'], 'the prompt is missing'],
    [['x', '--max-iterations'], '--max-iterations needs a value'],
    [['x', '--max-iterations', '--completion-promise', 'y'], '--max-iterations needs a value'],
    [['x', '--max-iterations', '-1'], 'is a whole number'],
    [['x', '--max-iterations', '2.5'], 'is a whole number'],
    [['x', '--max-iteration', '2'], 'unknown flag --max-iteration'],
  ])('%j is refused with what to type', (args, problem) => {
    expect(() => parseRalphArguments(args)).toThrow(problem);
  });
});

describe('a ralph loop that is started', () => {
  const owner = () => ({ session: 's1', folder: temporaryFolder() });
  const plain = { prompt: 'a\n---\nb', maxIterations: 3, safetyStop: true };
  test('leaves a file as the plugin writes it, with its owner', () => {
    const { session, folder } = owner();
    startRalph({ ...plain, promise: 'ALL  DONE' }, { session, folder }, 0, () => undefined);
    const state = parseState(readFileSync(join(folder, RALPH_FILE), 'utf8'));
    expect(Object.fromEntries(state?.fields ?? [])).toEqual({
      active: 'true',
      iteration: '1',
      session_id: 's1',
      max_iterations: '3',
      completion_promise: 'ALL DONE',
      started_at: '1970-01-01T00:00:00.000Z',
    });
    expect(state?.prompt).toBe('a\n---\nb');
  });
  test('is refused where one of another session is, which stays as it is', () => {
    const { folder } = owner();
    mkdirSync(join(folder, '.claude'));
    const text = '---\nsession_id: s2\n---\nOther.\n';
    writeFileSync(join(folder, RALPH_FILE), text);
    expect(() => startRalph(plain, { session: 's1', folder }, 0, () => undefined)).toThrow(
      'a loop of session s2',
    );
    expect(readFileSync(join(folder, RALPH_FILE), 'utf8')).toBe(text);
  });
});
