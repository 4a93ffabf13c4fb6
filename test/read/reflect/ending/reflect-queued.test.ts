import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseHookEvent } from '../../../../src/engine/client/hooks/parse.ts';
import { holdLock } from '../../../../src/engine/files/lock.ts';
import {
  REFLECTION_CONFIG,
  readReflectionConfig,
} from '../../../../src/engine/formats/lock/reflection-config.ts';
import { createHome, homeAt, projectFolder } from '../../../../src/engine/home/layout.ts';
import {
  isQueued,
  queuedReflection,
  queueReflection,
  reflectionsLock,
} from '../../../../src/engine/home/reflections.ts';
import { FileStore } from '../../../../src/engine/home/store.ts';
import { setStanding, takeBackTrust } from '../../../../src/engine/home/trust.ts';
import type { FormatsBundle } from '../../../../src/engine/hook/wiring/load-bundles.ts';
import { markReflection } from '../../../../src/engine/hook/wiring/mark-reflection.ts';
import { queueEnding, queueRun } from '../../../../src/engine/hook/wiring/reflection.ts';
import { type QueuePorts, reflectQueued } from '../../../../src/read/reflect/ending/reflect-queued.ts';
import { analyse, analyseSession } from '../../../../src/read/reflect/findings/analyse.ts';
import { reportOf } from '../../../../src/read/reflect/findings/report.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';
import { contractWith, frozenWith, run } from '../../../support/hook/judging.ts';

const START = Date.parse('2026-01-02T03:04:05Z');
let now: number;
let root: string;
let project: string;
let env: NodeJS.ProcessEnv;
let world: QueuePorts;

beforeEach(() => {
  now = Date.now();
  root = temporaryFolder();
  project = join(root, 'a project');
  mkdirSync(project);
  env = { HOME: root, CLAUDE_PROJECT_DIR: project };
  const home = homeAt(join(root, 'home'));
  world = {
    home,
    store: new FileStore(home, { now: () => now }),
    now: () => now,
    reportOn: async ({ transcript, session }) => {
      if (transcript === undefined || !existsSync(transcript)) return undefined;
      return analyse({ transcript, session }, { now });
    },
  };
});

function put(path: string, content: string | object): string {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** Lets an event of a session reach the hook. */
function arrives(name: 'Stop' | 'SessionEnd', session = 's1', transcript?: string): Promise<string[]> {
  const text = JSON.stringify({
    hook_event_name: name,
    session_id: session,
    cwd: project,
    transcript_path: transcript ?? transcriptOf(session),
    reason: 'other',
  });
  const parsed = parseHookEvent(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  const load = async () => ({ markReflection }) as unknown as FormatsBundle;
  const { home, store } = world;
  return queueEnding(parsed.event, { home, store: store as FileStore, env, now, load });
}

const SECRET = 'sk-ant-api03-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';

/** A transcript in which the agent answers so often. */
function transcriptOf(session: string, answers = 3): string {
  const at = (n: number) => new Date(START + n * 1000).toISOString();
  const lines = [
    {
      type: 'user',
      timestamp: at(0),
      sessionId: session,
      message: { role: 'user', content: `go, with ${SECRET}` },
    },
    ...Array.from({ length: answers }, (_, n) => ({
      type: 'assistant',
      timestamp: at(n + 1),
      sessionId: session,
      message: {
        id: `m${n}`,
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command: `curl -H ${SECRET}` } }],
      },
    })),
  ];
  const file = join(root, `${session}.jsonl`);
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return file;
}

const summary = (session = 's1') => join(project, `.claude/runtime/logs/${session}/reflection_summary.json`);
const own = (session = 's1') => join(projectFolder(world.home, project), 'reflections', `${session}.json`);
const pending = () => join(project, '.claude/runtime/reflection/.reflection_pending');
const lock = () => join(project, '.claude/runtime/reflection/.reflection_lock');
const outcomes = async () => (await reflectQueued(world))?.map(({ session, outcome }) => [session, outcome]);

describe('a session that ends', () => {
  beforeEach(() => {
    put(REFLECTION_CONFIG, { enabled: true, triggers: ['session_end'], min_turns: 2 });
  });

  test('is queued at its Stop, and looked back on after its end, once', async () => {
    expect(await arrives('Stop')).toEqual([]);
    expect(JSON.parse(readFileSync(pending(), 'utf8'))).toEqual({
      session_id: 's1',
      timestamp: new Date(now).toISOString(),
      trigger: 'session_end',
      transcript_path: join(root, 's1.jsonl'),
      min_turns: 2,
    });
    expect(await outcomes()).toEqual([]);
    now += 1000;
    await arrives('SessionEnd');
    expect(await outcomes()).toEqual([['s1', 'done']]);
    expect(await outcomes()).toEqual([]);
    expect([existsSync(pending()), existsSync(lock()), isQueued(world.home, 's1')]).toEqual([
      false,
      false,
      false,
    ]);
    const metrics = readFileSync(join(project, '.claude/runtime/metrics/stop_hook_metrics.jsonl'), 'utf8');
    expect(metrics.match(/reflection_triggered/g)).toHaveLength(1);
    for (const file of [summary(), own()])
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        session_id: 's1',
        metrics: { tool_uses: 3 },
      });
    expect(readFileSync(summary(), 'utf8')).not.toContain(SECRET);
  });

  test('without a Stop is queued by its end; one whose Claude Code was killed, by its last Stop', async () => {
    await arrives('SessionEnd', 's2');
    await arrives('Stop', 's3');
    expect(await outcomes()).toEqual([['s2', 'done']]);
    now += 11 * 60_000;
    expect(await outcomes()).toEqual([['s3', 'done']]);
  });

  test('is left to the process that is at it', async () => {
    await arrives('SessionEnd');
    const held = holdLock(reflectionsLock(world.home));
    expect(await reflectQueued(world)).toBeUndefined();
    held?.release();
    expect(await outcomes()).toEqual([['s1', 'done']]);
  });

  test('what fails is tried again by the next process, three times in all', async () => {
    await arrives('SessionEnd');
    const failing = { ...world, reportOn: () => Promise.reject(new Error('the disk is full')) };
    for (const times of [1, 2, 3]) {
      expect(await reflectQueued(failing)).toMatchObject([
        { outcome: 'failed', problems: ['the disk is full'] },
      ]);
      expect(isQueued(world.home, 's1')).toBe(times < 3);
    }
    expect(await reflectQueued(failing)).toEqual([]);
  });

  test('what was written before a kill is not done again; what was asked for after it is', async () => {
    await arrives('SessionEnd');
    const item = queuedReflection(world.home, 's1');
    now += 1000;
    expect(await outcomes()).toEqual([['s1', 'done']]);
    // As if the process had been killed before it took the session off the queue.
    if (item) queueReflection(world.home, item);
    const never = () => Promise.reject(new Error('done twice'));
    expect((await reflectQueued({ ...world, reportOn: never }))?.[0]?.outcome).toBe('done');
    expect(
      readFileSync(join(world.home.root, 'reflections/log.jsonl'), 'utf8').match(/"done"/g),
    ).toHaveLength(1);
    await arrives('SessionEnd');
    expect((await reflectQueued({ ...world, reportOn: never }))?.[0]?.outcome).toBe('failed');
  });

  test('a session that ends again while it is looked back on is looked back on again', async () => {
    await arrives('SessionEnd');
    let times = 0;
    const reportOn: QueuePorts['reportOn'] = async (item) => {
      const report = await world.reportOn(item);
      now += 1000;
      if (times++ === 0) await arrives('SessionEnd');
      return report;
    };
    expect(await reflectQueued({ ...world, reportOn })).toHaveLength(2);
    expect(isQueued(world.home, 's1')).toBe(false);
  });

  test('a session that was being taken off the queue when the process was killed is not lost', async () => {
    await arrives('SessionEnd');
    const file = join(world.home.root, 'reflections/s1.json');
    renameSync(file, `${file}.taken`);
    expect(await outcomes()).toEqual([['s1', 'done']]);
    expect(existsSync(`${file}.taken`)).toBe(false);
  });

  test('the home cannot keep the summary: the session stays queued', async () => {
    await arrives('SessionEnd');
    mkdirSync(dirname(own()), { recursive: true });
    mkdirSync(own());
    expect(await outcomes()).toEqual([['s1', 'failed']]);
    expect(isQueued(world.home, 's1')).toBe(true);
  });

  test('a lock that a killed process left does not keep it from being done; one of others does, for a while', async () => {
    await arrives('SessionEnd');
    mkdirSync(dirname(lock()), { recursive: true });
    writeFileSync(lock(), '');
    expect(await outcomes()).toEqual([]);
    utimesSync(lock(), new Date(now - 3_600_000), new Date(now - 3_600_000));
    expect(await outcomes()).toEqual([['s1', 'done']]);
  });

  test('shorter than min_turns, or without a transcript, leaves no summary, and says why in its log', async () => {
    await arrives('SessionEnd', 'short', transcriptOf('short', 1));
    await arrives('SessionEnd', 'gone', join(root, 'gone.jsonl'));
    expect(Object.fromEntries((await outcomes()) ?? [])).toEqual({
      short: 'too_short',
      gone: 'no_transcript',
    });
    expect([existsSync(summary('short')), existsSync(summary('gone'))]).toEqual([false, false]);
    const log = (session: string) =>
      readFileSync(join(project, `.claude/runtime/logs/${session}/hook_logs.txt`), 'utf8');
    expect(log('short')).toContain('1 turns; min_turns is 2');
    expect(log('gone')).toContain('there is no transcript of it');
  });

  test('an older session that the hooks of document 004 left pending is looked back on, too', async () => {
    put('.claude/runtime/reflection/.reflection_pending', { session_id: 'older' });
    await arrives('Stop');
    expect(queuedReflection(world.home, 'older')).toMatchObject({ ended: true, project });
    expect(JSON.parse(readFileSync(pending(), 'utf8')).session_id).toBe('s1');
  });

  test.each(['', 'yes', '{"session_id": "../../x"}', '[]'])(
    'a marker of others that names no session (%j) disturbs nothing',
    async (text) => {
      put('.claude/runtime/reflection/.reflection_pending', text);
      await arrives('SessionEnd');
      expect(await outcomes()).toEqual([['s1', 'done']]);
    },
  );

  test('a project that cannot be written: the summary is kept in the home', async () => {
    // As root every folder can be written; a file in the place of a folder cannot become one.
    put('.claude/runtime', 'a file');
    const [said] = await arrives('Stop');
    expect(said).toContain(
      `its summary is kept in ${world.home.root}, because the project cannot be written: `,
    );
    expect(await arrives('Stop')).toEqual([]);
    await arrives('SessionEnd');
    expect(await outcomes()).toEqual([['s1', 'done']]);
    expect(statSync(own()).isFile()).toBe(true);
    chmodSync(project, 0o755);
  });

  test('a link that leads out of the project is not written through', async () => {
    mkdirSync(join(root, 'elsewhere'));
    mkdirSync(join(project, '.claude/runtime'), { recursive: true });
    symlinkSync(join(root, 'elsewhere'), join(project, '.claude/runtime/reflection'));
    symlinkSync(join(root, 'elsewhere'), join(project, '.claude/runtime/logs'));
    await arrives('SessionEnd');
    expect(await outcomes()).toEqual([['s1', 'done']]);
    expect(existsSync(join(root, 'elsewhere/s1'))).toBe(false);
    expect(existsSync(join(root, 'elsewhere/.reflection_pending'))).toBe(false);
  });

  test('inside of a reflection nothing is queued', async () => {
    env.CLAUDE_REFLECTION_MODE = '1';
    await arrives('SessionEnd');
    expect(isQueued(world.home, 's1')).toBe(false);
  });
});

describe('a contract that asks for it', () => {
  const contract = { ...contractWith({ tests: run() }), reflection: { minTurns: 0 } };
  const store = () => world.store as FileStore;

  test('is enough where you trust it, without a loop', async () => {
    createHome(world.home);
    await arrives('SessionEnd');
    expect(isQueued(world.home, 's1')).toBe(false);
    setStanding(world.home, project, frozenWith(contract, { project }));
    await arrives('SessionEnd');
    now += 1000;
    expect(await outcomes()).toEqual([['s1', 'done']]);
    expect(existsSync(own())).toBe(true);
    expect(existsSync(join(project, '.claude'))).toBe(false);
    takeBackTrust(world.home, project, []);
    await arrives('SessionEnd', 's2');
    expect(isQueued(world.home, 's2')).toBe(false);
  });

  test('of a run: all of its sessions are due when it ends, and the summary is that of the loop', async () => {
    createHome(world.home);
    const frozen = frozenWith(contract, { project });
    const ref = store().create({
      project,
      dialect: 'native' as const,
      task: 'a task',
      transcriptOffset: 0,
      loop: 'l1',
      session: 's1',
      contract: frozen,
      run: { mode: 'hybrid' as const },
    });
    store().bind('s2', project, ref);
    await arrives('Stop', 's1');
    expect(await outcomes()).toEqual([]);
    now += 1000;
    const load = async () => ({ markReflection }) as unknown as FormatsBundle;
    transcriptOf('s2');
    const ending = { home: world.home, store: store(), env, now, load };
    await queueRun(ref, { session: 's2', cwd: project }, ending);
    now += 1000;
    let reports = 0;
    const reportOn: QueuePorts['reportOn'] = async () => {
      reports++;
      const sessions = ['s1', 's2'].map((id) => analyseSession({ transcript: join(root, `${id}.jsonl`) }));
      return reportOf({ scope: { kind: 'loop', id: 'l1' }, at: now, sessions });
    };
    expect((await reflectQueued({ ...world, reportOn }))?.map(({ outcome }) => outcome)).toEqual([
      'done',
      'done',
    ]);
    // The first report is about both.
    expect(reports).toBe(1);
    expect(JSON.parse(readFileSync(join(ref.dir, 'reflection_summary.json'), 'utf8'))).toMatchObject({
      scope: 'loop',
      sessions: ['s1', 's2'],
    });
  });
});

describe('.reflection_config', () => {
  test.each([
    ['{}', 'off'],
    ['{"enabled": false, "min_turns": "x"}', 'off'],
    ['{"enabled": true}', 'on'],
    ['{"enabled": true, "triggers": ["session_end"], "min_turns": 5, "other": 1}', 'on'],
    ['{"enabled": true, "triggers": []}', 'off'],
    ['{"enabled": true, "triggers": ["later"]}', 'off'],
    ['', 'problem'],
    ['{"enabled": true,', 'problem'],
    ['[]', 'problem'],
    ['{"enabled": "yes"}', 'problem'],
    ['{"enabled": true, "triggers": "session_end"}', 'problem'],
    ['{"enabled": true, "min_turns": -1}', 'problem'],
    ['{"enabled": true, "min_turns": 1.5}', 'problem'],
  ])('%s: %s', async (text, kind) => {
    put(REFLECTION_CONFIG, text);
    expect(readReflectionConfig(project).kind).toBe(kind);
    const said = await arrives('Stop');
    expect(isQueued(world.home, 's1')).toBe(kind === 'on');
    expect(said).toHaveLength(kind === 'problem' ? 1 : 0);
    if (kind === 'problem') expect(said[0]).toMatch(/\.reflection_config: .*; write \{"enabled": true/);
  });
});
