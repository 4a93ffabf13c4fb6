import { expect, test } from 'vitest';
import { RequestLog, type SimulatorRequest } from '../../../src/dev/simulator/request-log.ts';

const request = (name: string, n: number): SimulatorRequest => {
  return { at: 0, name, kind: 'messages', n, method: 'POST', path: '/v1/messages', headers: {}, body: { n } };
};

test('the oldest bodies are let go first, their requests stay', () => {
  const log = new RequestLog({ bodies: 20, requests: 10 });
  for (const n of [1, 2, 3]) log.add(request('a', n), 8);
  expect(log.of().map(({ n, body }) => [n, body])).toEqual([
    [1, undefined],
    [2, { n: 2 }],
    [3, { n: 3 }],
  ]);
});

test('a body larger than the whole log is let go at once', () => {
  const log = new RequestLog({ bodies: 20, requests: 10 });
  log.add(request('a', 1), 21);
  log.add(request('a', 2), 20);
  expect(log.of().map(({ body }) => body)).toEqual([undefined, { n: 2 }]);
});

test('the oldest requests are let go when there are too many', () => {
  const log = new RequestLog({ bodies: 20, requests: 2 });
  for (const n of [1, 2, 3]) log.add(request('a', n), 8);
  expect(log.of().map(({ n }) => n)).toEqual([2, 3]);
});

test('scripts are kept apart, and one can be forgotten', () => {
  const log = new RequestLog({ bodies: 20, requests: 10 });
  log.add(request('a', 1), 10);
  log.add(request('b', 1), 10);
  log.forget('a');
  expect(log.of('a')).toEqual([]);
  log.add(request('b', 2), 10);
  expect(log.of('b').map(({ body }) => body)).toEqual([{ n: 1 }, { n: 2 }]);
});
