/** The end of a session, as document 004 describes it, with the real Claude Code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { formatScene } from '../../support/live/formats-scene.ts';
import { processesOf, waitFor } from '../../support/live/processes.ts';
import { bash, loopOf } from '../../support/live/untildone.ts';

type FormatScene = Awaited<ReturnType<typeof formatScene>>;

const CONFIG = '.claude/tools/amplihack/.reflection_config';
const PENDING = '.claude/runtime/reflection/.reflection_pending';
const LOCK = '.claude/runtime/reflection/.reflection_lock';
const METRICS = '.claude/runtime/metrics/stop_hook_metrics.jsonl';
/** What looks like a key must not reach anything that is written. */
const SECRET = 'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const TURNS = [
  ...[1, 2, 3].map(() => ({ tools: [bash(`ls missing-file ${SECRET}`)] })),
  { text: 'I am done.' },
];

const summaryOf = (session: string) => `.claude/runtime/logs/${session}/reflection_summary.json`;

/** One session to its end, and everything that it left running in the background. */
async function session(scene: FormatScene, env: Record<string, string> = {}): Promise<string> {
  const run = await scene.runClient({ prompt: 'look around', env, script: { turns: TURNS } });
  expect(run.result?.result).toBe('I am done.');
  return run.session ?? '';
}

async function settled(scene: Pick<FormatScene, 'root'>): Promise<void> {
  await waitFor(async () => (await processesOf(scene.root)).length === 0, undefined, 'the background');
}

const triggersIn = async (scene: FormatScene) =>
  (await scene.read(METRICS)).split('\n').filter((line) => line.includes('"reflection_triggered"'));

const queueOf = (scene: FormatScene) => {
  const folder = join(scene.untildoneHome, 'reflections');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
};

describe('at the end of a session', () => {
  test('enabled: it is queued, then looked back on once; secrets stay out; the next one as well', async () => {
    const scene = await formatScene();
    await scene.write(CONFIG, { enabled: true, triggers: ['session_end'], min_turns: 3 });
    const first = await session(scene);
    await waitFor(() => existsSync(scene.place(summaryOf(first))), undefined, 'the summary');
    await settled(scene);
    const text = await scene.read(summaryOf(first));
    expect(JSON.parse(text)).toMatchObject({
      session_id: first,
      metrics: { tool_uses: 3 },
      patterns: expect.arrayContaining([expect.objectContaining({ type: 'repeated_tool_use', count: 3 })]),
    });
    expect(text).not.toContain(SECRET);
    expect(await triggersIn(scene)).toHaveLength(1);
    expect([PENDING, LOCK].filter((path) => existsSync(scene.place(path)))).toEqual([]);
    expect(queueOf(scene)).toEqual([]);
  });

  test('two at once: each is looked back on, once', async () => {
    const scene = await formatScene();
    await scene.write(CONFIG, { enabled: true });
    const both = await Promise.all([session(scene), session(scene)]);
    for (const one of both)
      await waitFor(() => existsSync(scene.place(summaryOf(one))), undefined, `the summary of ${one}`);
    await settled(scene);
    expect(new Set(both).size).toBe(2);
    const log = await scene.read(join('..', 'untildone-home/reflections/log.jsonl'));
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ session: id, outcome }) => [id, outcome]).sort()).toEqual(
      both.map((id) => [id, 'done']).sort(),
    );
    expect(queueOf(scene)).toEqual([]);
  });

  test('disabled, too short, on itself, broken: nothing is looked back on', async () => {
    const scene = await formatScene();
    await scene.write(CONFIG, { enabled: false });
    await session(scene);
    await scene.write(CONFIG, { enabled: true });
    await session(scene, { CLAUDE_REFLECTION_MODE: '1' });
    await settled(scene);
    expect(existsSync(scene.place('.claude/runtime'))).toBe(false);

    await scene.write(CONFIG, { enabled: true, min_turns: 50 });
    const short = await session(scene);
    await settled(scene);
    expect(existsSync(scene.place(summaryOf(short)))).toBe(false);
    expect(await scene.read(`.claude/runtime/logs/${short}/hook_logs.txt`)).toContain('min_turns is 50');
    expect(queueOf(scene)).toEqual([]);

    await scene.write(CONFIG, '{"enabled": true,');
    const run = await scene.runClient({ prompt: 'hello', script: { turns: [{ text: 'Hello.' }] } });
    expect(run.result?.result).toBe('Hello.');
    expect(JSON.stringify(run.lines)).toContain('.reflection_config: this is not JSON; write');
    await settled(scene);
    expect(queueOf(scene)).toEqual([]);
  });

  test('natively: the loop of a contract that asks for it', async () => {
    const scene = await contractScene({
      'untildone.yaml': 'gates:\n  made: { run: test -e made }\nreflection: { min_turns: 2 }\n',
    });
    const id = await startedSession(scene);
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--session-id', id],
      script: { turns: [{ text: 'done' }, { tools: [bash('touch made')] }, { text: 'done' }] },
    });
    expect(run.requests).toHaveLength(3);
    const projects = join(scene.untildoneHome, 'projects');
    const [project = ''] = readdirSync(projects);
    const kept = join(projects, project, 'loops', (await loopOf(scene)).id, 'reflection_summary.json');
    await waitFor(() => existsSync(kept), undefined, 'the summary');
    await settled(scene);
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toMatchObject({
      session_id: id,
      metrics: { tool_uses: 1 },
    });
    expect(existsSync(join(scene.project, '.claude/runtime'))).toBe(false);
  });
});
