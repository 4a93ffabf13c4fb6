import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../../src/engine/core/loop/state.ts';
import { recordsOf, reflectionTriggered } from '../../../../src/engine/formats/lock/records.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import { freshLoop, T0 } from '../../../support/core/samples.ts';
import { makeFifo } from '../../../support/files/workers.ts';
import {
  done,
  folder,
  home,
  lines,
  lockFile,
  loop,
  makeLock,
  metrics,
  put,
  runtime,
  useLockFolder,
} from '../../../support/formats/lock-folder.ts';

useLockFolder();

describe('what a Stop leaves behind', () => {
  const BLOCK: Decision = { kind: 'block', instruction: 'continue' };
  const log = (session = 's1') => lines(runtime(`logs/${session}/hook_logs.txt`));

  test('a block is counted and logged, and the lock stays as it is', () => {
    makeLock('any text\n');
    const before = statSync(lockFile());
    expect(done(loop().writeBack(BLOCK, freshLoop({ iteration: 2 }), []))).toEqual([]);
    expect(done(loop().writeBack(BLOCK, freshLoop({ iteration: 3, lastAt: T0 + 1000 }), []))).toEqual([]);
    expect(metrics('stop')).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        metric: 'lock_blocks',
        value: 1,
        session_id: 's1',
        hook: 'stop',
      },
      {
        timestamp: '2026-01-01T00:00:01.000Z',
        metric: 'lock_blocks',
        value: 2,
        session_id: 's1',
        hook: 'stop',
      },
    ]);
    expect(log()).toEqual([
      '[2026-01-01T00:00:00.000Z] [INFO] stop: blocked, iteration 2 of 50',
      '[2026-01-01T00:00:01.000Z] [INFO] stop: blocked, iteration 3 of 50',
    ]);
    expect(readFileSync(lockFile(), 'utf8')).toBe('any text\n');
    expect(statSync(lockFile()).mtimeMs).toBe(before.mtimeMs);
  });

  test('a reflection that is queued is counted, one line a time, and logged', () => {
    makeLock();
    const records = recordsOf(folder(), 's1', T0, foreignFiles);
    for (const _ of [1, 2]) expect(done(reflectionTriggered(records))).toEqual([]);
    const line = { timestamp: '2026-01-01T00:00:00.000Z', metric: 'reflection_triggered', value: 1 };
    expect(metrics('stop')).toEqual([1, 2].map(() => ({ ...line, session_id: 's1', hook: 'stop' })));
    expect(log()[0]).toBe('[2026-01-01T00:00:00.000Z] [INFO] stop: reflection triggered');
  });

  test('what lets go is logged, and is no block', () => {
    makeLock();
    const after = freshLoop();
    const decisions: Decision[] = [
      { kind: 'allow', cause: 'background', wait: 'background', detail: 'shell 1' },
      { kind: 'allow', cause: 'paused' },
      { kind: 'end', status: 'verified_done', cause: 'gates_passed', detail: 'tests' },
      { kind: 'end', status: 'reached_limit', cause: 'iterations', detail: 'iteration 50 of 50' },
    ];
    for (const decision of decisions) expect(done(loop().writeBack(decision, after, []))).toEqual([]);
    expect(log().map((line) => line.slice(27))).toEqual([
      '[INFO] stop: approved for now: shell 1',
      '[INFO] stop: approved for now: paused',
      '[INFO] stop: approved, verified_done: tests',
      '[WARN] stop: approved although not done, reached_limit: iteration 50 of 50',
    ]);
    expect(existsSync(runtime('metrics'))).toBe(false);
    expect(existsSync(lockFile())).toBe(true);
  });

  test('folders that we make are kept out of git, and others are left as they are', () => {
    makeLock();
    mkdirSync(runtime('logs'));
    done(loop().writeBack(BLOCK, freshLoop({ iteration: 2 }), []));
    done(loop().writeBack(BLOCK, freshLoop({ iteration: 3 }), []));
    expect(readFileSync(runtime('metrics/.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(runtime('logs'))).toEqual(['s1']);
  });

  test('a session id that could climb gets no folder', () => {
    makeLock();
    expect(done(loop().writeBack(BLOCK, freshLoop({ session: '../../../x', iteration: 2 }), []))).toEqual([]);
    expect(existsSync(runtime('logs'))).toBe(false);
    expect(readdirSync(folder())).toEqual(['.claude']);
  });

  test('folders that are links are not written through', () => {
    makeLock();
    const away = join(home(), 'away');
    mkdirSync(away);
    symlinkSync(away, runtime('metrics'));
    symlinkSync(away, runtime('logs'));
    expect(done(loop().writeBack(BLOCK, freshLoop({ iteration: 2 }), []))).toEqual([]);
    expect(readdirSync(away)).toEqual([]);
  });

  test('a project that is reached through a link gets its records', () => {
    makeLock();
    const link = join(home(), 'link');
    symlinkSync(folder(), link);
    done(loop({ folder: link }).writeBack(BLOCK, freshLoop({ iteration: 2 }), []));
    expect(metrics('stop')).toHaveLength(1);
  });

  test('records that nobody empties stop growing, and a pipe in their place is left alone', () => {
    makeLock();
    put(runtime('metrics/stop_hook_metrics.jsonl'));
    truncateSync(runtime('metrics/stop_hook_metrics.jsonl'), 16 * 1024 * 1024);
    mkdirSync(runtime('logs/s1'), { recursive: true });
    makeFifo(runtime('logs/s1/hook_logs.txt'));
    expect(loop().writeBack(BLOCK, freshLoop({ iteration: 2 }), [])).toEqual([]);
  });
});
