import { expect, test } from 'vitest';
import type { ProjectPorts } from '../../../../src/engine/hook/wiring/project-ports.ts';
import type { DriverPorts } from '../../../../src/engine/run/driver/run-loop.ts';
import { withTelemetry } from '../../../../src/read/reflect/telemetry/follow-run.ts';

const REF = { loop: 'l1', dir: '/nowhere' };
const PORTS = { report: () => undefined } as unknown as DriverPorts;

async function driven(env: NodeJS.ProcessEnv) {
  const notes: string[] = [];
  const world = { env, store: { read: () => ({}) } } as unknown as ProjectPorts;
  const note = (text: string) => void notes.push(text);
  const given = await withTelemetry(REF, { world, note }, PORTS, async (own) => own);
  return { notes, given };
}

const ENDPOINT = 'http://127.0.0.1:9';

test.each<[string, NodeJS.ProcessEnv]>([
  ['without any variable', {}],
  ['with the switch off', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, UNTILDONE_TELEMETRY: '0' }],
  [
    'with nothing to send',
    { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
  ],
  [
    'inside of a trace that is not sampled, without metrics',
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT,
      TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    },
  ],
])('%s a run is driven as it is, and nothing is said', async (_, env) => {
  expect(await driven(env)).toEqual({ notes: [], given: PORTS });
});

test('where the part that sends is missing, the run is driven all the same, and that is said', async () => {
  const { notes, given } = await driven({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT });
  expect(given).toBe(PORTS);
  expect(notes).toEqual([expect.stringContaining('telemetry is not sent')]);
});
