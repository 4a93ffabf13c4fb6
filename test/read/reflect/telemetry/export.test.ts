import { expect, test, vi } from 'vitest';
import { openExport } from '../../../../src/read/reflect/telemetry/export.ts';
import type { FinishedSpan } from '../../../../src/read/reflect/telemetry/spans.ts';
import { openCollector } from '../../../support/reflect/collector.ts';

const SPAN: FinishedSpan = {
  name: 'untildone.run',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  startMs: 1_700_000_000_123,
  endMs: 1_700_000_001_456,
  attributes: { 'untildone.ending': 'stalled', 'untildone.stops': 3, 'untildone.tokens': 7 },
  error: 'stalled',
};

const exportTo = (url: string, more: Record<string, string> = {}) => {
  for (const [name, value] of Object.entries({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more }))
    vi.stubEnv(name, value);
  return openExport({ traces: true, metrics: true, version: '1.2.3' });
};

test('a span arrives whole, with what went wrong, and so do its metrics', async () => {
  const collector = await openCollector();
  const telemetry = exportTo(collector.url);
  telemetry.send([SPAN]);
  await telemetry.settled();
  expect(collector.spans()).toEqual([
    {
      name: SPAN.name,
      traceId: SPAN.traceId,
      spanId: SPAN.spanId,
      scope: 'untildone',
      service: 'untildone',
      startMs: SPAN.startMs,
      endMs: SPAN.endMs,
      status: 2,
      attributes: { ...SPAN.attributes, 'error.type': 'stalled' },
    },
  ]);
  expect(await telemetry.close(5000)).toBeUndefined();
  expect(collector.metrics()).toEqual(
    new Map([
      ['untildone.loops', 1],
      ['untildone.loop.duration', 1],
      ['untildone.tokens', 7],
    ]),
  );
});

test('an endpoint that takes everything and never answers costs no more than the time that is given', async () => {
  const collector = await openCollector('never');
  const telemetry = exportTo(collector.url);
  // Far more than may be under way: the rest is dropped, not kept.
  for (let i = 0; i < 500; i++) telemetry.send([SPAN]);
  const began = performance.now();
  expect(await telemetry.close(200)).toBe('no answer within 0.2 s');
  expect(performance.now() - began).toBeLessThan(2000);
});

test.each([
  ['that refuses', 400],
  ['that fails', 500],
])('an endpoint %s is told, and nothing throws', async (_, status) => {
  const collector = await openCollector(status);
  const telemetry = exportTo(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  telemetry.send([SPAN]);
  expect(await telemetry.close(3000)).toEqual(expect.any(String));
});
