import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importCommands, type KnownPlan } from '../../../../src/engine/core/import/command-phases.ts';
import { NAME } from '../../../../src/engine/schema/values.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const NOTHING: KnownPlan = { phases: {}, gates: [], done: [] };
const TESTED: KnownPlan = { phases: {}, gates: ['tests'], done: ['tests'] };

const imported = (text: string, known = NOTHING) => importCommands([{ name: 'commands/a.md', text }], known);
const read = (...lines: string[]) => imported(lines.join('\n'));
/** The stages, in a file that asks at its end. */
const titles = (...lines: string[]) =>
  read(...lines, 'STOP').planned.flatMap(({ stages }) => stages.map(({ title }) => title));
const asked = (...lines: string[]) =>
  Object.values(read('## Phase 1: Work', ...lines, '', 'Then work.').phases)
    .slice(0, -1)
    .map(({ checkpoint }) => (checkpoint === true ? '' : checkpoint));

describe('a stage', () => {
  test.each([
    ['## Phase 1: Plan', 'Plan'],
    ['## Stage 2 - Build it', 'Build it'],
    ['### Step 3. Test', 'Test'],
    ['## 1. Gather', 'Gather'],
    ['## 2) Gather', 'Gather'],
    ['## STEP 4 — **Ship** 🚀', 'Ship'],
    ['## Phase A: Look around ##', 'Look around'],
    ['## Phase IV', 'Phase IV'],
    ['# Phase: Plan', 'Plan'],
    ['## Phase 2.1 Details', 'Details'],
  ])('begins with %s', (heading, title) => {
    expect(titles('# A command', heading, 'Do it.')).toEqual([title]);
  });

  test.each([
    '## Phases',
    '## Step back',
    '## Steps to take',
    '## 2024 - Notes',
    'Phase 1: Plan',
    '##Phase 1',
  ])('%s is no heading of one', (line) => {
    expect(titles(line, '## Phase 7: Real')).toEqual(['Real']);
  });

  test('smaller headings are part of it, others of its size end it', () => {
    const { phases } = read(
      '## Phase 1: Plan',
      '### Step 1. Read',
      'Read it.',
      'STOP',
      '## Rules',
      'Be kind.',
      '## Phase 2: Do',
      'Work.',
      'STOP',
    );
    expect(phases).toEqual({
      plan: { do: '### Step 1. Read\nRead it.', checkpoint: true },
      do: { do: 'Work.', checkpoint: true },
    });
  });

  test.each([
    ['commands/plan.md', 'plan'],
    ['agents/planner/AGENT.md', 'planner'],
  ])('the whole of %s is one where no heading says so', (name, title) => {
    const text = '---\ndescription: STOP\n---\n# Hello\nWork.\nSTOP: good?\n';
    expect(importCommands([{ name, text }], NOTHING)).toEqual({
      phases: { [title]: { do: '# Hello\nWork.', checkpoint: 'Good?' } },
      planned: [{ name: title, stages: [{ file: name, line: 1, title }], notes: [] }],
      notes: [],
    });
  });

  test('Windows line ends and a byte order mark change nothing', () => {
    const { phases } = imported('\uFEFF## Phase 1: Plan\r\nRead.\r\nSTOP: good?\r\n');
    expect(phases).toEqual({ plan: { do: 'Read.', checkpoint: 'Good?' } });
  });
});

describe('a question', () => {
  test.each([
    ['STOP: Is the plan good?', 'Is the plan good?'],
    ['**STOP** and wait for approval.', 'Wait for approval.'],
    ['**STOP**: wait', 'Wait'],
    ['- STOP. Ask the user.', 'Ask the user.'],
    ['3. STOP - show the diff', 'Show the diff'],
    ['> 🛑 **STOP!** Show it', 'Show it'],
    ['### STOP and show it', 'Show it'],
    ['STOP', ''],
    ['<checkpoint>Is it good?</checkpoint>', 'Is it good?'],
    ['<CHECKPOINT type="approval">**CHECKPOINT:** Is it good?</CHECKPOINT>', 'Is it good?'],
    ['<checkpoint/>', ''],
    ['<checkpoint></checkpoint>', ''],
  ])('of %s', (line, question) => {
    expect(asked(line)).toEqual([question]);
  });

  test('of a block is all of it, on one line, and a STOP inside is no second one', () => {
    expect(
      asked('<checkpoint>', '**STOP.** Present:', '- the plan', '', '## Phase 3: risks', '</checkpoint>'),
    ).toEqual(['Present: - the plan Phase 3: risks']);
  });

  test('goes on to the end of its sentence, and of a word alone to the next one that speaks of waiting', () => {
    expect(asked('STOP and wait for', 'the user.', '', 'Then go on.')).toEqual(['Wait for the user.']);
    expect(asked('**STOP**', '', 'Wait for the user.')).toEqual(['Wait for the user.']);
    expect(asked('STOP.', 'Ask the user', 'about it.', 'Then go on.')).toEqual(['Ask the user about it.']);
    expect(asked('**STOP**', '', 'Write the code.')).toEqual(['']);
  });

  test('is one where two follow each other', () => {
    expect(asked('<checkpoint>Is it good?</checkpoint>', '', 'STOP: wait.')).toEqual(['Is it good? Wait.']);
  });

  test.each([
    ['in a fence', ['```', 'STOP', '<checkpoint>no</checkpoint>', '```']],
    ['in a longer fence', ['~~~~md', '~~~', 'STOP', '~~~~']],
    ['in a fence that nobody closes', ['```', 'STOP']],
    ['in a comment', ['<!-- STOP', 'STOP', '-->']],
    ['in the middle of a line', ['Never STOP here.', 'STOPPING is bad, STOP_HOOK too']],
    ['that depends on something', ['STOP if the tests fail.']],
  ])('is none %s', (_, lines) => {
    expect(asked(...lines)).toEqual([]);
  });

  test('that is not closed ends with its line, and that is said', () => {
    const { phases, notes } = read('## Phase 1: Plan', '<checkpoint>Good?', 'Really?', 'STOP');
    expect(phases).toEqual({
      plan: { do: 'Plan', checkpoint: 'Good?' },
      'plan-2': { do: 'Really?', checkpoint: true },
    });
    expect(notes).toEqual([
      'commands/a.md:2: <checkpoint> is not closed: only this line of it is the question',
    ]);
  });

  test('outside of every stage is left out, and that is said', () => {
    expect(read('STOP: read this first', '## Phase 1: Plan', 'STOP').notes).toEqual([
      'commands/a.md:1: left out, because it is in no stage: Read this first',
    ]);
  });
});

describe('phases', () => {
  test('end with their questions; a stage without one is part of the next', () => {
    const { phases, planned } = imported(
      '## Phase 1: Gather\nRead $ARGUMENTS.\n## Phase 2: Plan\nWrite PLAN.md.\nSTOP: good?\nSave it.\n## Phase 3: Do it\nCode.\n<checkpoint/>',
    );
    expect(phases).toEqual({
      plan: { do: 'Gather:\nRead the task.\n\nPlan:\nWrite PLAN.md.', checkpoint: 'Good?' },
      'do-it': { do: 'Plan:\nSave it.\n\nDo it:\nCode.', checkpoint: true },
    });
    expect(planned.map(({ name, stages }) => [name, stages.map(({ title }) => title)])).toEqual([
      ['plan', ['Gather', 'Plan']],
      ['do-it', ['Plan', 'Do it']],
    ]);
  });

  test('a stage with two questions is two phases', () => {
    const { phases } = imported('## Phase 1: Plan\nDraft.\nSTOP: draft good?\nRefine.\nSTOP: all good?');
    expect(phases).toEqual({
      plan: { do: 'Draft.', checkpoint: 'Draft good?' },
      'plan-2': { do: 'Refine.', checkpoint: 'All good?' },
    });
  });

  test('what comes last without a question ends with the gates of the contract, or with a person', () => {
    const text = '## 1. Plan\nSTOP: good?\n## 2. Build\nCode.';
    expect(imported(text, TESTED).phases.build).toEqual({ do: 'Code.', exit: ['tests'] });
    const alone = imported(text);
    expect(alone.phases.build).toEqual({ do: 'Code.', checkpoint: true });
    expect(alone.planned[1]?.notes).toEqual([expect.stringContaining('exit: [tests]')]);
  });

  test('of several files come one after the other, under names of their own', () => {
    const files = ['a', 'b'].map((name) => ({ name: `${name}.md`, text: `## 1. Plan\n${name}\nSTOP` }));
    expect(importCommands(files, NOTHING).phases).toEqual({
      plan: { do: 'a', checkpoint: true },
      'plan-2': { do: 'b', checkpoint: true },
    });
  });

  test('there are none where nobody is asked, and that is said', () => {
    const { phases, planned, notes } = imported('## 1. Plan\nThink.\n## 2. Build\nCode.', TESTED);
    expect([phases, planned]).toEqual([{}, []]);
    expect(notes).toEqual([expect.stringContaining('asks you anything')]);
  });

  test('of the contract stay: one that is the same is there already, another one is a conflict that is named', () => {
    const text = '## 1. Plan\nThink.\nSTOP: good?\n## 2. Build\nCode.\nSTOP: done?';
    const known = {
      ...NOTHING,
      phases: { plan: { do: 'Think.', checkpoint: 'Good?' }, build: { exit: ['tests'] } },
    };
    const { phases, planned } = imported(text, known);
    expect(phases).toEqual({});
    expect(planned.map(({ name, notes }) => [name, notes])).toEqual([
      ['plan', ['it is there already']],
      ['build', ['left out: the contract has a phase "build" of its own, which stays as it is']],
    ]);
  });

  test('get another name where a gate has that of their question', () => {
    const { phases } = imported('## 1. Plan\nSTOP: good?', { ...NOTHING, gates: ['plan_approved'] });
    expect(Object.keys(phases)).toEqual(['plan-2']);
  });

  test('a long text is cut at a line, and the file that has all of it is named', () => {
    const { phases } = imported(
      `## 1. Plan\n${'A line of forty characters, more or less.\n'.repeat(100)}\nSTOP`,
    );
    const instruction = phases.plan?.do ?? '';
    expect(instruction.length).toBeLessThan(900);
    expect(instruction).toMatch(/less\.\n\(This is the beginning; read all of it in commands\/a\.md\.\)$/);
  });

  test.each([
    ['Überblick & Plan', 'uberblick-plan'],
    ["The user's word", 'the-users-word'],
    ['constructor', 'stage'],
    ['計画', 'stage'],
    ['2nd try', 'nd-try'],
  ])('of "%s" are called %s', (title, name) => {
    expect(Object.keys(imported(`## Phase 1: ${title}\nSTOP`).phases)).toEqual([name]);
  });

  test('whatever the files hold, names are legal, texts are there, and every phase has an end', () => {
    const line = fc.oneof(
      fc.constantFrom('## Phase 1: Plan', '### Step 2', '# 1. x', 'STOP', '**STOP** and wait', '```', '~~~'),
      fc.constantFrom('<checkpoint>', '</checkpoint>', '<checkpoint/>', '<!--', '-->', '---', '', '## Rules'),
      fc.string({ unit: anyCharacter, maxLength: 30 }),
    );
    const file = fc.array(line, { maxLength: 30 }).map((lines) => ({ name: 'a.md', text: lines.join('\n') }));
    fc.assert(
      fc.property(fc.array(file, { maxLength: 3 }), fc.constantFrom(NOTHING, TESTED), (files, known) => {
        for (const [name, phase] of Object.entries(importCommands(files, known).phases)) {
          expect(name).toMatch(NAME);
          expect(phase.do.trim()).not.toBe('');
          expect(phase.exit ?? phase.checkpoint).toBeTruthy();
        }
      }),
    );
  });
});
