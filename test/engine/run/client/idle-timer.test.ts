import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleTimer } from '../../../../src/engine/run/client/idle-timer.ts';

let silences = 0;
const watch = (limitMs: number) =>
  new IdleTimer(limitMs, () => {
    silences += 1;
  });

beforeEach(() => {
  silences = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('silence is noticed once', () => {
  watch(1_000);
  vi.advanceTimersByTime(990);
  expect(silences).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(silences).toBe(1);
});

test('what is heard begins it anew', () => {
  const watching = watch(1_000);
  for (let i = 0; i < 10; i++) {
    vi.advanceTimersByTime(900);
    watching.heard();
  }
  expect(silences).toBe(0);
  vi.advanceTimersByTime(1_100);
  expect(silences).toBe(1);
});

test('an answer that is being worked out is no silence, however long it takes', () => {
  const watching = watch(1_000);
  watching.hold();
  watching.hold();
  vi.advanceTimersByTime(60_000);
  watching.release();
  vi.advanceTimersByTime(60_000);
  expect(silences).toBe(0);
  watching.release();
  vi.advanceTimersByTime(990);
  expect(silences).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(silences).toBe(1);
});

test('a pause that was announced is no silence', () => {
  const watching = watch(1_000);
  watching.heard(60_000);
  watching.heard();
  vi.advanceTimersByTime(60_900);
  expect(silences).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(silences).toBe(1);
});

test('how much silence is allowed can change', () => {
  const watching = watch(1_000);
  watching.allow(60_000);
  vi.advanceTimersByTime(59_000);
  expect(silences).toBe(0);
  watching.allow(100);
  vi.advanceTimersByTime(110);
  expect(silences).toBe(1);
});

test('nothing is noticed after it was stopped', () => {
  const watching = watch(1_000);
  watching.stop();
  watching.allow(10);
  vi.advanceTimersByTime(60_000);
  expect(silences).toBe(0);
});

test('more than Node can wait for at once is waited for', () => {
  watch(2 ** 32);
  vi.advanceTimersByTime(2 ** 31);
  expect(silences).toBe(0);
});
