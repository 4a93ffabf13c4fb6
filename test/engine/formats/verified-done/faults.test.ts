import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocks } from '../../../../src/engine/core/loop/verdict.ts';
import { REASON_LIMIT } from '../../../../src/engine/core/words/reason.ts';
import { verifiedDoneFormat } from '../../../../src/engine/formats/verified-done/index.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { makeFifo } from '../../../support/files/workers.ts';
import {
  decided,
  failing,
  held,
  LOOP,
  loop,
  ORCHESTRATOR,
  place,
  put,
  QUALITY,
  read,
  reason,
  stateDir,
  useStateFolder,
} from '../../../support/formats/verified-done-state.ts';
import { rounds } from '../../../support/long.ts';

useStateFolder();

describe('files that cannot be read', () => {
  const broken: [string, (path: string) => void][] = [
    ['torn', (path) => writeFileSync(path, '{"verified_done": fal')],
    ['empty', (path) => writeFileSync(path, '')],
    ['a list', (path) => writeFileSync(path, '[]')],
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => makeFifo(path)],
  ];

  const OTHERS: [string, unknown][] = [
    ['orchestrator.json', ORCHESTRATOR],
    ['loop.json', LOOP],
    ['quality-gate.json', QUALITY],
    ['tasks/1.json', { status: 'pending' }],
  ];
  test.each(broken)('what is %s hides nothing beside it, and is told', async (_, make) => {
    for (const [name] of OTHERS)
      for (const [other, content] of OTHERS.filter(([each]) => each !== name)) {
        rmSync(stateDir(), { recursive: true, force: true });
        put('tasks/readme', '');
        put(other, content);
        make(stateDir(name));
        const own = await failing();
        expect(own.some((gate) => gate === other || gate === other.replace('1.', '*.'))).toBe(true);
        expect(loop().notes).toEqual([expect.stringContaining(stateDir(name))]);
        expect(await reason()).toContain(`Cannot be read (repair them):\n- ${stateDir(name)} `);
      }
  });

  test.each(broken)('orchestrator.json or loop.json that is %s holds nobody and is named', (_, make) => {
    for (const name of ['orchestrator.json', 'loop.json']) {
      rmSync(stateDir(), { recursive: true, force: true });
      put('tasks/1.json', { status: 'completed' });
      make(stateDir(name));
      const reading = read();
      expect(reading).toMatchObject({ kind: 'unusable' });
      expect(reading.kind === 'unusable' && reading.problem).toContain(`${stateDir(name)} `);
      expect(reading.kind === 'unusable' && reading.problem).toContain('repair or remove it');
    }
  });

  test.each(broken)('a quality gate or task that is %s takes nothing away from the rest', async (_, make) => {
    for (const name of ['quality-gate.json', 'tasks/7.json']) {
      rmSync(stateDir(), { recursive: true, force: true });
      put('tasks/readme', '');
      put('loop.json', LOOP);
      make(stateDir(name));
      expect(await failing()).toEqual(['loop.json']);
      expect(loop().notes).toEqual([expect.stringContaining(stateDir(name))]);
      expect(await reason()).toContain(`Cannot be read (repair them):\n- ${stateDir(name)} `);
      put('loop.json', { ...LOOP, verified_done: true });
      expect(await decided(5)).toMatchObject({ kind: 'end', status: 'released', cause: 'unproven_allowed' });
      rmSync(stateDir('loop.json'));
      expect(read()).toMatchObject({ kind: 'unusable' });
    }
  });

  test('the place of the fault is said', () => {
    put('loop.json', '{\n  "task": oops\n}');
    expect(read()).toEqual({
      kind: 'unusable',
      problem: `${stateDir('loop.json')} is not JSON (line 2, column 11); repair or remove it`,
      damage: { file: stateDir('loop.json'), fault: 'line 2, column 11: this is no JSON' },
    });
  });

  test('a state folder that is a file is named', () => {
    mkdirSync(dirname(dirname(stateDir('x'))), { recursive: true });
    writeFileSync(stateDir().replace(/\/$/, ''), 'x');
    expect(read()).toMatchObject({ kind: 'unusable', problem: expect.stringContaining('is not a folder') });
  });

  test('hundreds of them make a short note', () => {
    put('loop.json', LOOP);
    for (let i = 0; i < 300; i++) put(`tasks/${i}.json`, 'x');
    expect(loop().notes).toHaveLength(4);
    expect(loop().notes[3]).toBe(`297 more files in ${stateDir().replace(/\/$/, '')} cannot be read`);
  });

  test('a byte order mark and CRLF are no fault', () => {
    put('loop.json', `\uFEFF${JSON.stringify(LOOP, null, 2).replaceAll('\n', '\r\n')}\r\n`);
    expect(loop().iteration).toBe(5);
  });
});

describe('whatever the files hold', () => {
  const names = ['orchestrator.json', 'loop.json', 'quality-gate.json', 'tasks/1.json'];
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.json(),
    fc
      .record(
        Object.fromEntries(
          [
            ...Object.keys(ORCHESTRATOR),
            ...Object.keys(LOOP),
            ...Object.keys(QUALITY),
            'status',
            'complexity',
          ].map((key) => [key, fc.anything({ maxDepth: 2 })]),
        ),
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );

  test('reading, judging and speaking never throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 4, maxLength: 4 }), async (texts) => {
        rmSync(stateDir(), { recursive: true, force: true });
        for (const [i, name] of names.entries()) put(name, texts[i] ?? '');
        const reading = read();
        if (reading.kind !== 'loop') return;
        const verdicts = await reading.loop.judge({
          hasGates: false,
          workspace: () => Promise.reject(new Error('x')),
        });
        expect(reading.loop.instruct(held(verdicts)).reason.length).toBeLessThanOrEqual(REASON_LIMIT);
        expect(
          reading.loop.writeBack({ kind: 'block', instruction: 'continue' }, freshLoop(), verdicts),
        ).toHaveLength(1);
        expect(verdicts.some(blocks) || reading.loop.rest !== undefined).toBe(true);
        expect(Number.isSafeInteger(reading.loop.iteration ?? 0)).toBe(true);
      }),
      { numRuns: rounds(300, 30) },
    );
  });

  test('a million brackets and a file of many megabytes are only a file that cannot be used', () => {
    put('loop.json', '['.repeat(1_000_000));
    expect(read().kind).toBe('unusable');
    put('loop.json', `{"task": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(loop().task).toContain('Finish the work');
    put('loop.json', `"${'x'.repeat(17 * 1024 * 1024)}"`);
    expect(read()).toMatchObject({ kind: 'unusable', problem: expect.stringContaining('larger than') });
  });

  test('a file that may not be read holds nobody and is named', () => {
    put('loop.json', LOOP);
    const denied = (path: string) => ({
      kind: 'unusable' as const,
      problem: `EACCES: permission denied, open '${path}'`,
    });
    const reading = verifiedDoneFormat.read(place(), { ...foreignFiles, read: denied });
    expect(reading).toMatchObject({
      kind: 'unusable',
      problem: expect.stringContaining(stateDir('orchestrator.json')),
    });
  });
});
