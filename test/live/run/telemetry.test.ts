import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene } from '../../support/live/contract.ts';
import { processesOf, waitFor } from '../../support/live/processes.ts';
import { startRun } from '../../support/live/run.ts';
import { loopOf, must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';
import { openCollector, type SeenSpan, treeOf } from '../../support/reflect/collector.ts';

const FILES = {
  'untildone.yaml':
    'gates:\n  made: { run: grep -q blue made.txt }\n  worked: { metrics: { tool_use: ">=1" } }\nreflection: true\n',
};

/** Claude Code sends spans of its own where its variables say so. Its session reads TRACEPARENT, so they nest below ours. */
const CLIENTS_OWN = {
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '100',
};

test('a run sends its trace while it goes on, inside of the trace around it, and the spans of Claude Code nest below', async () => {
  const collector = await openCollector();
  const scene = await contractScene(FILES);
  const around = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const write = { name: 'Write', input: { file_path: `${scene.project}/made.txt`, content: 'blue\n' } };
  const run = startRun(
    scene,
    ['Make it blue, sk-ant-api03-secret', '--model', 'claude-sonnet-4-5'],
    { turns: [{ text: 'I think that it is done.' }, { tools: [write] }, { text: 'Now it is blue.' }] },
    {
      ...CLIENTS_OWN,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TRACEPARENT: `00-${around.traceId}-${around.spanId}-01`,
    },
  );
  const { code, stderr, stdout } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`telemetry of this run goes to ${collector.url}`);

  const ours = collector.spans().filter(({ scope }) => scope === 'untildone');
  // Where Claude Code has not written its transcript by a Stop, tool calls cannot be counted yet, and it is held once more.
  const stops = ours.filter(({ name }) => name === 'untildone.iteration').length;
  expect(stops).toBeGreaterThanOrEqual(2);
  const iteration = ['    untildone.iteration', '      gate made', '      gate worked'];
  expect(treeOf(ours)).toEqual([
    'untildone.run',
    '  invoke_agent Claude Code',
    ...Array.from({ length: stops }, () => iteration).flat(),
  ]);
  const [root, session] = ['untildone.run', 'invoke_agent Claude Code'].map((name) =>
    ours.find((span) => span.name === name),
  ) as [SeenSpan, SeenSpan];
  expect(root).toMatchObject({ traceId: around.traceId, parentSpanId: around.spanId, status: 0 });
  expect(root.attributes).toMatchObject({ 'untildone.ending': 'verified_done', 'untildone.stops': stops });
  const worked = ours.filter(({ name }) => name === 'gate worked').map(({ attributes }) => attributes);
  const outcomes = worked.map((each) => each['untildone.gate.outcome']);
  expect(outcomes.at(-1)).toBe('pass');
  for (const outcome of outcomes.slice(0, -1)) expect(['fail', 'unproven']).toContain(outcome);
  expect(Object.fromEntries(collector.metrics())).toMatchObject({
    'untildone.loops': 1,
    'untildone.stops': stops,
  });

  const theirs = collector.spans().filter(({ scope }) => scope !== 'untildone');
  const outermost = theirs.filter(({ name }) => name === 'claude_code.interaction');
  expect(outermost.length).toBeGreaterThan(0);
  for (const span of outermost)
    expect(span).toMatchObject({ traceId: around.traceId, parentSpanId: session.spanId });

  const said = JSON.stringify(ours);
  for (const word of ['Make it', 'blue', 'secret', 'grep', scene.project]) expect(said).not.toContain(word);
  const later = await must(scene, ['stats', '--export-otlp'], {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  expect(later).toContain('1 were sent before.');
  await expectSummary(scene);
});

/** A run sends no SessionEnd: when it ends, it has its sessions looked back on. */
async function expectSummary(scene: Awaited<ReturnType<typeof contractScene>>): Promise<void> {
  const projects = join(scene.untildoneHome, 'projects');
  const [project = ''] = readdirSync(projects);
  const { id, session } = await loopOf(scene);
  const summary = join(projects, project, 'loops', id, 'reflection_summary.json');
  await waitFor(() => existsSync(summary), undefined, 'the summary');
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({
    session_id: session,
    scope: 'loop',
    sessions: [session],
    metrics: { tool_uses: 1 },
  });
  await waitFor(async () => (await processesOf(scene.root)).length === 0, undefined, 'the background');
  const queue = readdirSync(join(scene.untildoneHome, 'reflections'));
  expect(queue.filter((name) => name.endsWith('.json'))).toEqual([]);
}

longTest('a run does not care for an endpoint that is down or never answers, and says so once', async () => {
  const silent = await openCollector('never');
  for (const endpoint of ['http://127.0.0.1:9', silent.url]) {
    const scene = await contractScene(FILES);
    const write = { name: 'Write', input: { file_path: `${scene.project}/made.txt`, content: 'blue\n' } };
    const run = startRun(
      scene,
      ['Make it blue', '--model', 'claude-sonnet-4-5'],
      { turns: [{ tools: [write] }, { text: 'Now it is blue.' }] },
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    );
    const { code, stderr, stdout } = await run.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('telemetry could not be sent')).toHaveLength(2);
  }
});
