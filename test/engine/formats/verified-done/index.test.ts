import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../../src/engine/core/loop/state.ts';
import { sumUp } from '../../../../src/engine/core/loop/verdict.ts';
import { verifiedDoneFormat } from '../../../../src/engine/formats/verified-done/index.ts';
import { applyChanges } from '../../../../src/engine/project/files.ts';
import { freshLoop, T0 } from '../../../support/core/samples.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';
import {
  home,
  judged,
  LOOP,
  loop,
  ORCHESTRATOR,
  place,
  put,
  read,
  reason,
  stateDir,
  useStateFolder,
} from '../../../support/formats/verified-done-state.ts';

useStateFolder();

describe('where the state lies', () => {
  test('in a folder of the session, which owns it', () => {
    put('loop.json', LOOP);
    expect(verifiedDoneFormat.path(place())).toBe(stateDir().replace(/\/$/, ''));
    expect(loop().owner).toBe('s1');
    expect(read({ session: 's2' })).toEqual({ kind: 'none' });
  });

  test.each(['', '..', 'a/b', '../s1', 'a b', 'x'.repeat(129), 'ü'])(
    'not for the session id %j',
    (session) => {
      put('loop.json', LOOP);
      expect(verifiedDoneFormat.path(place({ session }))).toBeUndefined();
      expect(read({ session })).toEqual({ kind: 'none' });
    },
  );

  test('nothing there, an empty folder or an empty tasks folder asks for nothing', () => {
    expect(read()).toEqual({ kind: 'none' });
    mkdirSync(stateDir('tasks'), { recursive: true });
    expect(read()).toEqual({ kind: 'none' });
  });

  test('a linked home leads to the same state', () => {
    put('loop.json', LOOP);
    const linked = join(temporaryFolder(), 'link');
    symlinkSync(home(), linked);
    expect(loop({ userHome: linked }).task).toBe('fix type errors');
  });
});

describe("the document's own tests", () => {
  test('2: no state file lets go', () => expect(read()).toEqual({ kind: 'none' }));

  test('3: an incomplete orchestrator holds', async () => {
    put('orchestrator.json', { verified_done: false, phase: 'implementation' });
    expect(loop().rest).toBeUndefined();
    expect(await reason()).toMatch(/^Orchestrator phase 'implementation' not complete\.\n/);
  });

  test('4: a complete orchestrator without conditions lets go', async () => {
    put('orchestrator.json', { verified_done: true, phase: 'complete' });
    expect(loop().rest).toBe('verified_done is set');
    expect(sumUp(await judged()).result).toBe('claimed');
  });
});

describe('which loop it is', () => {
  const identity = (name: string, content: object) => {
    put(name, content);
    return loop().identity;
  };

  test('task and creation decide; progress does not', () => {
    const before = identity('loop.json', LOOP);
    expect(identity('loop.json', { ...LOOP, iteration: 6, last_error: null, last_updated: 'now' })).toBe(
      before,
    );
    expect(identity('loop.json', { ...LOOP, task: 'another' })).not.toBe(before);
    expect(identity('loop.json', { ...LOOP, created_at: '2025-03-01T00:00:00Z' })).not.toBe(before);
  });

  test('a loop that an orchestrator starts on its way does not make it another one', () => {
    const before = identity('orchestrator.json', ORCHESTRATOR);
    expect(identity('loop.json', LOOP)).toBe(before);
    expect(identity('tasks/1.json', { status: 'pending' })).toBe(before);
  });

  test('tasks alone are the same loop whatever they are', () => {
    const before = identity('tasks/1.json', { status: 'pending' });
    expect(identity('tasks/2.json', { status: 'pending' })).toBe(before);
    expect(loop().task).toBe(`Finish the work that is written down in ${stateDir().replace(/\/$/, '')}`);
  });
});

describe('an ended loop begins anew', () => {
  const ended = (status: 'claimed_done' | 'cancelled' | 'stalled' | 'reached_limit', cause = 'x') =>
    freshLoop({ status, maxIterations: 25, ending: { cause, detail: '', at: T0 } });

  test('after it was done, when its files ask for more; not after it was let go', () => {
    put('loop.json', LOOP);
    expect(loop().renews(ended('claimed_done'), 's1')).toBe(true);
    expect(loop().renews(freshLoop({ status: 'verified_done' }), 's1')).toBe(true);
    for (const status of ['cancelled', 'released', 'failed', 'stalled', 'idle', 'capped'] as const) {
      expect(loop().renews(freshLoop({ status, ending: { cause: 'x', detail: '', at: T0 } }), 's1')).toBe(
        false,
      );
    }
  });

  test('after its iterations were spent, when there are more of them', () => {
    put('loop.json', LOOP);
    expect(loop().renews(ended('reached_limit', 'iterations'), 's1')).toBe(false);
    put('loop.json', { ...LOOP, max_iterations: 26 });
    expect(loop().renews(ended('reached_limit', 'iterations'), 's1')).toBe(true);
    expect(loop().renews(ended('reached_limit', 'cost'), 's1')).toBe(false);
  });

  test('when a loop.json was made beside an orchestrator since then, and not by a date out of nowhere', () => {
    const later = (ms: number) => new Date(T0 + ms).toISOString();
    const now = { now: T0 + 10_000 };
    put('orchestrator.json', ORCHESTRATOR);
    put('loop.json', { ...LOOP, created_at: later(5000) });
    expect(loop(now).renews(ended('cancelled'), 's1')).toBe(true);
    for (const created_at of [later(-5000), later(3_600_000), 'soon', null]) {
      put('loop.json', { ...LOOP, created_at });
      expect(loop(now).renews(ended('cancelled'), 's1')).toBe(false);
    }
    rmSync(stateDir('orchestrator.json'));
    put('loop.json', { ...LOOP, created_at: later(5000) });
    expect(loop(now).renews(ended('cancelled'), 's1')).toBe(false);
  });
});

describe('after a Stop', () => {
  const log = () => readFileSync(join(home(), '.ralph/logs/stop-hook.log'), 'utf8');
  const block: Decision = { kind: 'block', instruction: 'continue' };
  const end = (status: 'claimed_done' | 'reached_limit'): Decision => ({
    kind: 'end',
    status,
    cause: 'iterations',
    detail: 'iteration 25 of 25',
  });
  const writeBack = async (decision: Decision) => {
    const changes = loop().writeBack(decision, freshLoop(), await judged());
    expect(applyChanges(changes, join(home(), 'lock'))).toEqual([]);
  };

  test('the log of the document gets its lines, and no state file is touched', async () => {
    put('orchestrator.json', ORCHESTRATOR);
    const before = readFileSync(stateDir('orchestrator.json'));
    await writeBack(block);
    await writeBack({ kind: 'allow', cause: 'background' });
    await writeBack(end('reached_limit'));
    await writeBack(end('claimed_done'));
    const stamp = /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] /;
    const lines = log().trimEnd().split('\n');
    expect(lines.every((line) => stamp.test(line))).toBe(true);
    expect(lines.map((line) => line.replace(stamp, ''))).toEqual([
      'Stop hook fired: session=s1',
      "Stop BLOCKED: Orchestrator phase 'implementation' not complete.",
      'Stop hook fired: session=s1',
      'Stop APPROVED for now, not done: background',
      'Stop hook fired: session=s1',
      'Stop APPROVED, NOT done: reached_limit (iteration 25 of 25)',
      'Stop hook fired: session=s1',
      'Stop APPROVED',
    ]);
    expect(readFileSync(stateDir('orchestrator.json')).equals(before)).toBe(true);
    expect(readdirSync(stateDir())).toEqual(['orchestrator.json']);
  });

  test('its times are those of this machine', async () => {
    put('loop.json', LOOP);
    await writeBack(block);
    const at = new Date(T0);
    expect(log()).toContain(`[${at.getFullYear()}-`);
    expect(log()).toContain(` ${String(at.getHours()).padStart(2, '0')}:00:00] `);
  });

  test('what stands in the files makes no second line', async () => {
    put('orchestrator.json', { phase: `x\n[2020-01-01 00:00:00] Stop APPROVED\r${'y'.repeat(5000)}` });
    await writeBack(block);
    expect(log().trimEnd().split('\n')).toHaveLength(2);
    expect(log().length).toBeLessThan(2500);
  });

  test('a log that cannot be written is reported', async () => {
    put('loop.json', LOOP);
    mkdirSync(join(home(), '.ralph/logs/stop-hook.log'), { recursive: true });
    const changes = loop().writeBack(block, freshLoop(), await judged());
    expect(applyChanges(changes, join(home(), 'lock'))).toEqual([expect.stringContaining('stop-hook.log')]);
  });

  test("the document's words are put out at the end, and never for what is not done", async () => {
    put('orchestrator.json', ORCHESTRATOR);
    const verdicts = await judged();
    const output = (status: 'verified_done' | 'claimed_done' | 'stalled') =>
      loop().output?.(freshLoop({ status }), verdicts);
    const met = { decision: 'approve', reason: 'All VERIFIED_DONE conditions met' };
    expect(output('claimed_done')).toEqual(met);
    expect(output('verified_done')).toEqual(met);
    expect(output('stalled')).toEqual({
      decision: 'approve',
      reason: "NOT done (stalled): Orchestrator phase 'implementation' not complete.",
    });
  });
});
