import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../src/dev/conformance/parse.ts';
import { FORMATS } from '../../../src/dev/conformance/scenario.ts';
import { ScenarioError } from '../../../src/dev/conformance/script-lines.ts';
import { loadScenarios } from '../../../src/dev/conformance/suite.ts';
import { FORMAT_NAMES } from '../../../src/engine/formats/format.ts';

const BUGS = resolve(import.meta.dirname, '../../scenarios/bugs');

/** A scenario around the lines that matter. */
function scenarioWith(...lines: string[]) {
  return parseScenario('one', ['A title', 'applies to: ralph-loop, lock', ...lines].join('\n'));
}

function stepOf(...lines: string[]) {
  const [step] = scenarioWith(...lines).steps;
  if (!step) throw new Error('there is no step');
  return step;
}

describe('what a scenario says', () => {
  test('title, formats and a given loop', () => {
    const scenario = scenarioWith(
      'given a loop of S1, iteration 2 of 7, promise "ALL \\"DONE\\"", task "Build it"',
      'stop S1',
      '  held',
    );
    expect(scenario).toMatchObject({
      name: 'one',
      title: 'A title',
      formats: ['ralph-loop', 'lock'],
      folder: 'project',
      loop: { session: 'S1', iteration: 2, maxIterations: 7, promise: 'ALL "DONE"', task: 'Build it' },
    });
    expect(scenario.steps).toHaveLength(1);
  });

  test('a loop without a promise has none', () => {
    expect(scenarioWith('given a loop of S1, no promise', 'stop S1', '  held').loop?.promise).toBeUndefined();
  });

  test('comments and blank lines mean nothing', () => {
    expect(scenarioWith('', '# why', 'stop S1', '', '  # how', '  held').steps[0]?.expected).toHaveLength(1);
  });

  test('a message of several lines keeps its indentation and its blank lines', () => {
    const { action } = stepOf('stop S1 says:', '  | one', '  |', '  |   # two', '  held');
    expect(action).toMatchObject({ kind: 'stop', says: { kind: 'text', text: 'one\n\n  # two' } });
  });

  test('what is unusual about a Stop', () => {
    const { action } = stepOf(
      'stop S2 says nothing, up to 3 times until let go',
      '  with stop_hook_active',
      '  with background shell b1',
      '  with background subagent a1 completed',
      '  with recurring wake-up w1',
      '  with context 97%',
      '  with no last_assistant_message',
      '  with cwd project/sub',
      '  with env RALPH_LOOP_DIR=a b',
      '  with a full disk',
    );
    expect(action).toMatchObject({
      session: 'S2',
      says: { kind: 'nothing' },
      upTo: 3,
      given: {
        stopHookActive: true,
        background: [
          { id: 'b1', type: 'shell', status: 'running' },
          { id: 'a1', type: 'subagent', status: 'completed' },
        ],
        wakeUps: [{ id: 'w1', recurring: true }],
        contextPercent: 97,
        withoutMessage: true,
        cwd: 'project/sub',
        env: { RALPH_LOOP_DIR: 'a b' },
        fullDisk: true,
      },
    });
  });

  test('a line in brackets counts for some formats only, or for untildone only', () => {
    const { expected } = stepOf(
      'stop S1',
      '  [lock] held',
      '  [untildone, ralph-loop] let go',
      '  [untildone] held',
    );
    expect(expected.map((e) => e.only)).toEqual([
      { formats: ['lock'], untildone: false },
      { formats: ['ralph-loop'], untildone: true },
      { untildone: true },
    ]);
  });

  test('expectations remember their line', () => {
    expect(stepOf('stop S1', '  held', '  state unchanged').expected.map((e) => e.line)).toEqual([4, 5]);
  });
});

describe('bytes', () => {
  function contentOf(head: string, ...lines: string[]): Buffer {
    return scenarioWith('stop S1', '  held', `-- ${head} --`, ...lines).files[0]?.content ?? Buffer.alloc(0);
  }

  test.each([
    ['project/x', ['a', '---', 'b\\n'], 'a\n---\nb\\n\n'],
    ['project/x (crlf)', ['a', 'b'], 'a\r\nb\r\n'],
    ['project/x (bom, crlf)', ['a'], '\uFEFFa\r\n'],
    ['project/x (escapes)', ['a\\x01\\u00fc\\t\\\\n'], 'a\u0001ü\t\\n\n'],
    ['project/x (no final newline)', ['a'], 'a'],
    ['project/x', [], ''],
    ['project/x', ['a', '', '', ''], 'a\n'],
  ])('%s', (head, lines, text) => {
    expect(contentOf(head, ...lines).toString()).toBe(text);
  });

  test('hex is for bytes that are no text', () => {
    expect([...contentOf('project/x (hex)', '00 ff', 'c3')]).toEqual([0, 0xff, 0xc3]);
  });

  test('a path may be quoted, a section may be for one format', () => {
    const scenario = scenarioWith('stop S1', '  held', '-- [lock] "project/a b" --', 'x');
    expect(scenario.files[0]).toMatchObject({ path: 'project/a b', only: { formats: ['lock'] } });
  });
});

describe('a scenario that is not understood is refused with its line', () => {
  test.each([
    ['a step', ['stopp S1'], 'one.txt:3: "stopp S1" is no step'],
    ['an expectation', ['stop S1', '  hold'], 'one.txt:4: "hold" is no expectation'],
    ['an option', ['stop S1', '  with luck'], 'one.txt:4: a stop cannot be "with luck"'],
    ['a format', ['[locks] stop S1'], 'one.txt:3: "locks" is no format'],
    ['a shape', ['make state a pony'], 'one.txt:3: a file cannot be made "a pony"'],
    ['an option of bytes', ['stop S1', '-- project/x (cr) --'], 'one.txt:4: an unknown option'],
    ['a missing block', ['write project/x:'], 'one.txt:3: the lines that belong to it are missing'],
    ['held after something else', ['remove state', '  held'], 'one.txt:4: "held" can only follow a stop'],
    ['an expectation of nothing', ['  held'], 'one.txt:3: "held" belongs to no step'],
    ['a late given', ['stop S1', 'given a loop of S1'], 'one.txt:4: what is given has to stand before'],
    ['finishing nothing', ['stop S1 finished'], 'one.txt:3: it needs a "given a loop'],
    [
      'a mute finish',
      ['given a loop of S1, no promise', 'stop S1 finished'],
      'one.txt:4: a loop without a promise',
    ],
    ['no step', [], 'one.txt:1: nothing happens'],
  ])('%s', (_, lines, problem) => {
    expect(() => scenarioWith(...lines)).toThrow(problem);
  });

  test('no title, or no formats', () => {
    expect(() => parseScenario('one', '')).toThrow('title');
    expect(() => parseScenario('one', 'A title\nstop S1\n  held')).toThrow('applies to');
  });

  test('whatever the text, it is understood or refused', () => {
    const words = fc.constantFrom(
      'stop S1',
      '  held',
      '  | x',
      'given a loop of S1',
      '-- a --',
      'write x:',
      '[lock] ',
      'A',
    );
    const text = fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, (script) => {
        try {
          parseScenario('any', script);
        } catch (error) {
          expect(error).toBeInstanceOf(ScenarioError);
        }
      }),
    );
  });
});

describe('the scenarios that are shipped', () => {
  const scenarios = loadScenarios(BUGS);

  test('are all understood, and every one expects something after its last step', () => {
    expect(scenarios).toHaveLength(readdirSync(BUGS).length);
    expect(scenarios.length).toBeGreaterThan(100);
    expect(scenarios.filter(({ steps }) => steps.at(-1)?.expected.length === 0).map((s) => s.name)).toEqual(
      [],
    );
  });

  test('have titles that tell them apart', () => {
    expect(new Set(scenarios.map((s) => s.title)).size).toBe(scenarios.length);
  });

  test('are about every format that keeps loops in files, and no other', () => {
    expect([...FORMATS].sort()).toEqual([...FORMAT_NAMES].sort());
    for (const format of FORMATS) {
      expect(scenarios.filter((s) => s.formats.includes(format)).length).toBeGreaterThan(30);
    }
  });

  test('name no format in brackets that they are not about', () => {
    const wrong = scenarios.flatMap(({ name, formats, steps, files }) => {
      const lines = [...steps, ...steps.flatMap((s) => s.expected), ...files];
      return lines.flatMap((l) => l.only.formats ?? []).some((f) => !formats.includes(f)) ? [name] : [];
    });
    expect(wrong).toEqual([]);
  });
});
