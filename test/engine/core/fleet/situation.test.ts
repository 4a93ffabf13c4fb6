import { describe, expect, test } from 'vitest';
import type { JobView, WorkerView } from '../../../../src/engine/ports/fleet.ts';
import { howToFetch, isStuck, needOf, whyItWaits } from '../../../../src/fleet/operate/situation.ts';

const NOW = 1_000_000_000;

function job(more: Partial<JobView>): JobView {
  return {
    run: 'r1',
    repo: 'https://h/r',
    labels: [],
    priority: 10,
    spec: '',
    submittedAt: NOW - 1000,
    title: 'a task',
    state: 'waiting',
    takes: 0,
    stalls: 0,
    failures: 0,
    ...more,
  } as JobView;
}

function worker(more: Partial<WorkerView> = {}): WorkerView {
  return {
    name: 'w1',
    host: 'h',
    pid: 1,
    version: '1',
    labels: ['gpu'],
    concurrency: 1,
    runs: [],
    draining: false,
    startedAt: 0,
    at: NOW - 1000,
    ...more,
  };
}

const facts = (workers: WorkerView[], paused = false) => ({ workers, paused, now: NOW });

describe('why a run waits', () => {
  test.each<[string, Partial<JobView>, WorkerView[], boolean, string | undefined]>([
    ['nobody is there', {}, [], false, 'there is no worker'],
    ['the only worker is gone', {}, [worker({ at: NOW - 60_000 })], false, 'there is no worker'],
    ['labels', { labels: ['mac', 'gpu'] }, [worker()], false, 'no worker has the labels mac, gpu'],
    ['all drain', {}, [worker({ draining: true })], false, 'drains'],
    ['all are busy', {}, [worker({ runs: ['x'] })], false, 'is busy'],
    ['a full disk', {}, [worker({ note: 'its disk is full' })], false, 'w1: its disk is full'],
    ['paused', {}, [worker()], true, 'the fleet is paused'],
    ['about to', {}, [worker()], false, 'about to take it'],
    ['dead', { state: 'dead', why: 'poison' }, [], false, 'in the dead letters: poison'],
    ['later', { state: 'delayed', notBefore: NOW + 7_200_000 }, [], false, 'it begins in 2 h 00 min'],
    [
      'after a failure',
      { state: 'delayed', notBefore: NOW + 30_000, why: 'the remote is away', takes: 2 },
      [],
      false,
      'the remote is away; it is tried again in 30 s',
    ],
    ['at work', { state: 'active', worker: 'w1' }, [worker()], false, undefined],
    [
      'its worker is gone',
      { state: 'active', worker: 'w2', takenAt: NOW - 60_000 },
      [worker()],
      false,
      'has said nothing',
    ],
    ['ended', { state: 'ended' }, [], false, undefined],
  ])('%s', (_, more, workers, paused, expected) => {
    const why = whyItWaits(job(more), facts(workers, paused));
    if (expected === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(expected);
  });
});

describe('what needs a person', () => {
  const rests = { state: 'delayed', notBefore: NOW + 300 * 86_400_000 } as const;

  test('a dead letter', () => {
    expect(needOf(job({ state: 'dead', why: 'bad contract' }), NOW)).toMatchObject({
      what: 'dead letter: bad contract',
      how: 'untildone fleet retry r1, or untildone fleet remove r1',
    });
  });

  test.each([
    [
      'waiting for your answer (Which database?); untildone answer',
      'fleet answer r1',
      'waiting for your answer (Which database?)',
    ],
    [
      'waiting for your answer; untildone approve, or untildone reject --note "why"',
      'fleet approve r1',
      'waiting for your answer',
    ],
    ['paused; go on with: untildone run --resume r1', 'fleet resume r1', 'paused'],
  ])('a run that rests: %s', (why, how, what) => {
    const need = needOf(job({ ...rests, why }), NOW);
    expect(need?.how).toContain(how);
    expect(need?.what).toBe(what);
  });

  test('a run that waits for an hour needs nobody', () => {
    expect(needOf(job({ state: 'delayed', notBefore: NOW + 3_600_000 }), NOW)).toBeUndefined();
  });
});

test('stuck is what does not get on by itself', () => {
  const at = facts([worker()]);
  expect(isStuck(job({}), at)).toBe(false);
  expect(isStuck(job({ submittedAt: NOW - 3_600_000 }), at)).toBe(true);
  expect(isStuck(job({ labels: ['mac'] }), at)).toBe(true);
  expect(isStuck(job({}), facts([worker()], true))).toBe(true);
  expect(isStuck(job({ state: 'delayed', failures: 2 }), at)).toBe(true);
  expect(isStuck(job({ state: 'delayed' }), at)).toBe(false);
  expect(isStuck(job({ state: 'active', worker: 'w1' }), at)).toBe(false);
  expect(isStuck(job({ state: 'active', worker: 'w9', takenAt: 0 }), at)).toBe(true);
});

test('the work is fetched from the branch, else from the ref of the run', () => {
  const repo = '/srv/it is/r.git';
  const result = {
    status: 'verified_done',
    cause: '',
    iterations: 1,
    costUsd: 0,
    tokens: 0,
    branch: 'untildone/x',
  };
  expect(howToFetch({ run: 'r1', repo, result }, true)[0]).toBe("git fetch '/srv/it is/r.git' untildone/x");
  expect(howToFetch({ run: 'r1', repo }, true)[0]).toContain('refs/untildone/runs/r1/work');
  expect(howToFetch({ run: 'r1', repo }, false)).toEqual([]);
});
