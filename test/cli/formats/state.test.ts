import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InitOptions, stateComplete, stateInit, stateSet } from '../../../src/cli/formats/state.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import {
  content,
  file,
  held,
  home,
  init,
  lines,
  put,
  set,
  text,
  useStateFiles,
  world,
} from '../../support/cli/state-files.ts';
import { rounds } from '../../support/long.ts';

useStateFiles();

describe('init', () => {
  test("lays out a loop in the document's schema, for its owner alone", () => {
    init({ maxIterations: 7 });
    expect(content('loop')).toEqual({
      session_id: 's1',
      task: 'fix it',
      iteration: 1,
      max_iterations: 7,
      validation_result: null,
      last_error: null,
      verified_done: false,
      created_at: '2026-01-01T00:00:00Z',
      last_updated: '2026-01-01T00:00:00Z',
    });
    expect(statSync(file('loop')).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file('loop'))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(file('loop')))).toEqual(['loop.json']);
    expect(held()).toBe(true);
  });

  test('lays out an orchestrator with the nine conditions open', () => {
    init({ file: 'orchestrator', complexity: 8 });
    expect(Object.keys(content('orchestrator'))).toEqual([
      'session_id',
      'task',
      'phase',
      'verified_done',
      'conditions',
      'complexity',
      'iterations',
      'created_at',
      'last_updated',
    ]);
    expect(content('orchestrator').conditions).toEqual({
      memory_search: false,
      task_classified: false,
      must_have_answered: false,
      plan_approved: false,
      implementation_complete: false,
      correctness_passed: null,
      quality_passed: null,
      adversarial_passed: null,
      retrospective_done: false,
    });
    expect(held()).toBe(true);
  });

  test('an unfinished one stays, unless --force', () => {
    init();
    const before = text('loop');
    expect(() => init({ task: 'another' })).toThrow(
      /is not finished; go on with it, or begin anew with --force/,
    );
    expect(text('loop')).toBe(before);
    init({ task: 'another', force: true });
    expect(content('loop').task).toBe('another');
  });

  test('a finished one, and a loop that is out of iterations, make room', () => {
    init();
    stateComplete('s1', 'loop', world());
    init({ task: 'second', maxIterations: 3 });
    set('loop', 'iteration=3');
    init({ task: 'third' });
    expect(content('loop').task).toBe('third');
  });

  test('one that cannot be read stays, unless --force', () => {
    put('loop', '{ torn');
    expect(() => init()).toThrow(/is not JSON .* or begin anew with --force/);
    init({ force: true });
    expect(content('loop').task).toBe('fix it');
  });

  test.each<[Partial<InitOptions>, RegExp]>([
    [{ task: ' ' }, /task is empty; type:/],
    [{ file: 'orchestrator', maxIterations: 3 }, /--max-iterations is for loop/],
    [{ complexity: 3 }, /--complexity is for orchestrator/],
  ])('%j is wrong use', (options, words) => {
    expect(() => init(options)).toThrow(UsageError);
    expect(() => init(options)).toThrow(words);
    expect(existsSync(file('loop'))).toBe(false);
  });

  test('a task of any characters comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (task) => {
        fc.pre(task.trim() !== '');
        init({ task, force: true });
        expect(content('loop').task).toBe(task);
      }),
      { numRuns: rounds(50, 15) },
    );
  });
});

describe('complete', () => {
  test('sets verified_done and says that nothing is open', () => {
    init();
    stateComplete('s1', undefined, world());
    expect(content('loop').verified_done).toBe(true);
    expect(lines.at(-2)).toBe('loop.json: verified_done is set.');
    expect(lines.at(-1)).toMatch(/^Nothing in these files holds the session now\./);
    expect(held()).toBe(false);
  });

  test('is a claim: it is written although conditions are open, and those are named', () => {
    init({ file: 'orchestrator' });
    init({ file: 'loop' });
    set('tasks/1', 'subject=more');
    stateComplete('s1', undefined, world());
    expect(content('orchestrator')).toMatchObject({ verified_done: true, phase: 'complete' });
    expect(content('loop').verified_done).toBe(true);
    expect(lines).toContain('Still open, so the session is still held:');
    expect(lines).toContain('  conditions.plan_approved: not met (false)');
    expect(lines).toContain('    Get the plan approved, then set conditions.plan_approved.');
    expect(lines).toContain('  tasks/*.json: 1 pending/in-progress tasks.');
    expect(held()).toBe(true);
  });

  test('only the named file', () => {
    init({ file: 'orchestrator' });
    init({ file: 'loop' });
    stateComplete('s1', 'loop', world());
    expect(content('orchestrator').verified_done).toBe(false);
  });

  test('without a file it names init', () => {
    expect(() => stateComplete('s1', undefined, world())).toThrow(/type: untildone state init s1 loop/);
    expect(() => stateComplete('s1', 'orchestrator', world())).toThrow(/state init s1 orchestrator/);
    expect(existsSync(join(home(), '.ralph'))).toBe(false);
  });
});

describe('whose state it is', () => {
  test('inside a session only its own is written', () => {
    world().env = { HOME: home(), CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
    init();
    set('loop', 'iteration=2');
    stateComplete('s1', 'loop', world());
    const options: InitOptions = { file: 'loop', task: 'hold it', force: true };
    const refused = /"untildone state \w+ s2" is for a person/;
    expect(() => stateInit('s2', options, world())).toThrow(refused);
    expect(() => stateSet('s2', 'tasks/1', ['status=pending'], world())).toThrow(refused);
    expect(() => stateComplete('s2', 'loop', world())).toThrow(refused);
    expect(existsSync(dirname(file('loop', 's2')))).toBe(false);
  });

  test('a person writes any', () => {
    stateInit('s2', { file: 'loop', task: 'x', force: false }, world());
    expect(existsSync(file('loop', 's2'))).toBe(true);
  });
});
