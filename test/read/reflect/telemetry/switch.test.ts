import { expect, test } from 'vitest';
import { telemetryFrom } from '../../../../src/read/reflect/telemetry/switch.ts';
import { parseTraceparent, renderTraceparent } from '../../../../src/read/reflect/telemetry/trace-context.ts';

const AT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const HERE = { [AT]: 'http://user:secret@127.0.0.1:4318/?key=secret' };

/** Variables, and what is sent. */
const ROWS: [env: Record<string, string>, sent: '' | 'traces' | 'metrics' | 'both'][] = [
  [{}, ''],
  [HERE, 'both'],
  [{ [AT]: '' }, ''],
  [{ UNTILDONE_TELEMETRY: '1' }, 'both'],
  [{ ...HERE, UNTILDONE_TELEMETRY: '0' }, ''],
  [{ ...HERE, OTEL_SDK_DISABLED: 'true' }, ''],
  [{ ...HERE, OTEL_SDK_DISABLED: 'false' }, 'both'],
  [{ UNTILDONE_TELEMETRY: '1', OTEL_SDK_DISABLED: 'TRUE' }, ''],
  [{ ...HERE, OTEL_TRACES_EXPORTER: 'none' }, 'metrics'],
  [{ ...HERE, OTEL_METRICS_EXPORTER: 'none' }, 'traces'],
  [{ ...HERE, OTEL_METRICS_EXPORTER: 'prometheus', OTEL_TRACES_EXPORTER: 'console,otlp' }, 'traces'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, ''],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' }, 'traces'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1/v1/metrics' }, 'metrics'],
];

test.each(ROWS)('with %j it sends %j', (env, sent) => {
  const is = telemetryFrom(env);
  const both = is?.traces && is.metrics;
  expect(is === undefined ? '' : both ? 'both' : is.traces ? 'traces' : 'metrics').toBe(sent);
});

test('the address is told without what may be secret in it', () => {
  expect(telemetryFrom(HERE)?.endpoint).toBe('http://127.0.0.1:4318');
  expect(telemetryFrom({ [AT]: 'nonsense' })?.endpoint).toBe('an address that cannot be read');
  expect(telemetryFrom({}, true)?.endpoint).toBe('http://localhost:4318');
});

test.each([
  ['grpc', ['HTTP port']],
  ['http/protobuf', ['is sent as http/json']],
  ['carrier pigeon', ['is not known']],
  ['http/json', []],
  ['', []],
])('who asks for the protocol %j is told what is sent', (protocol, said) => {
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'])
    expect(telemetryFrom({ ...HERE, [name]: protocol })?.notes).toEqual(
      said.map((text) => expect.stringContaining(text)),
    );
});

const [TRACE, SPAN] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, sampled: true }],
  [`00-${TRACE}-${SPAN}-00`, { traceId: TRACE, spanId: SPAN, sampled: false }],
  [`01-${TRACE}-${SPAN}-03-more`, { traceId: TRACE, spanId: SPAN, sampled: true }],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  ['', undefined],
])('the traceparent %j', (text, context) => {
  expect(parseTraceparent(text)).toEqual(context);
});

test('a traceparent that is written is read again', () => {
  const context = { traceId: TRACE, spanId: SPAN };
  expect(parseTraceparent(renderTraceparent(context))).toEqual({ ...context, sampled: true });
});
