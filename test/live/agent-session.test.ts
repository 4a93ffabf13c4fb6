/** Whole sessions of the real client, driven by the real adapter, against the simulator. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSessions } from '../../src/adapters/agent-session.ts';
import { cleanEnvironment, findClaude } from '../../src/adapters/claude-client.ts';
import type { Answer } from '../../src/core/answer.ts';
import type { HookEvent } from '../../src/core/event.ts';
import { nameEnd } from '../../src/core/session-end.ts';
import type { SessionLimits, SessionPlan, SessionPort } from '../../src/ports.ts';
import type { Script, Turn } from '../../src/simulator/script.ts';
import { processesOf, waitFor } from './support/processes.ts';
import type { Scene } from './support/scene.ts';
import {
  calling,
  keepsSessionPortContract,
  limits,
  listener,
  named,
} from './support/session-port-contract.ts';
import { sceneOfTest } from './support/test-scene.ts';

const CLAUDE = findClaude(undefined, { preferBundled: true })?.path ?? 'claude';

function portOf(scene: Scene, extra: Record<string, string | undefined> = {}): SessionPort {
  const env = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor('driven'),
    extra: { TMPDIR: scene.environment.TMPDIR, UNTILDONE_HOME: scene.untildoneHome, ...extra },
  });
  return agentSessions({ env, claude: CLAUDE });
}

function planIn(scene: Scene, more: Partial<SessionPlan> = {}): SessionPlan {
  return {
    session: randomUUID(),
    resume: false,
    cwd: scene.project,
    permissionMode: 'acceptEdits',
    allow: ['Bash'],
    model: 'claude-opus-5-5',
    env: {},
    client: {},
    ...more,
  };
}

function asked(scene: Scene): Record<string, unknown>[] {
  const requests = scene.simulator.requests('driven').filter(({ kind }) => kind === 'messages');
  return requests.map(({ body }) => body as Record<string, unknown>);
}

function askedTexts(scene: Scene): string[] {
  return asked(scene).map((body) => JSON.stringify(body));
}

interface Drive {
  heard?: ReturnType<typeof listener>;
  plan?: Partial<SessionPlan>;
  limits?: Partial<SessionLimits>;
  env?: Record<string, string | undefined>;
}

async function drive(scene: Scene, script: Script, { heard = listener(), ...more }: Drive = {}) {
  scene.simulator.load('driven', script);
  const plan = planIn(scene, more.plan);
  const facts = await portOf(scene, more.env).run(plan, 'Build a cuckoo clock', heard, limits(more.limits));
  return { facts, end: nameEnd(facts), heard, plan };
}

/** The client among the processes of a scene: the one that leads them. */
async function clientOf(scene: Scene): Promise<number> {
  const [pid] = (await processesOf(scene.root)).sort((a, b) => a - b);
  if (pid === undefined) throw new Error('no client runs here');
  return pid;
}

describe('the real client', () => {
  keepsSessionPortContract(async (script) => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', script);
    return {
      port: portOf(scene),
      plan: (more) => planIn(scene, more),
      asked: () => askedTexts(scene),
      untilAsked: (times) => waitFor(() => asked(scene).length >= times),
      killClient: async () => {
        process.kill(await clientOf(scene), 'SIGKILL');
      },
    };
  });
});

describe('what a session is given', () => {
  test('the instructions and settings of the person and of the project', async () => {
    const scene = await sceneOfTest();
    await mkdir(join(scene.home, '.claude'), { recursive: true });
    await mkdir(join(scene.project, '.claude'));
    await writeFile(join(scene.home, '.claude', 'CLAUDE.md'), 'THE PERSON LIKES TESTS');
    await writeFile(join(scene.project, 'CLAUDE.md'), 'THIS PROJECT USES TABS');
    const settings = { env: { FROM_LOCAL_SETTINGS: 'yes' } };
    await writeFile(join(scene.project, '.claude', 'settings.local.json'), JSON.stringify(settings));
    await drive(scene, { turns: [calling('echo "seen: $FROM_LOCAL_SETTINGS"')] });
    expect(askedTexts(scene)[0]).toContain('THE PERSON LIKES TESTS');
    expect(askedTexts(scene)[0]).toContain('THIS PROJECT USES TABS');
    expect(askedTexts(scene)[1]).toContain('seen: yes');
  });

  test("Claude Code's own instructions, with what the run adds to them", async () => {
    const scene = await sceneOfTest();
    await drive(scene, {}, { plan: { appendSystemPrompt: 'YOU WORK IN A LOOP' } });
    const system = JSON.stringify(asked(scene)[0]?.system);
    expect(system).toContain('YOU WORK IN A LOOP');
    expect(system.length).toBeGreaterThan(3_000);
  });

  test("the person's environment and what the plan adds, nothing of a session around us", async () => {
    const scene = await sceneOfTest();
    const outer = {
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: 'outer-session',
      CLAUDE_PROJECT_DIR: '/outer/project',
      CLAUDE_CODE_MESSAGING_TOKEN: 'outer-token',
      MINE: 'of the person',
    };
    const plan = { env: { UNTILDONE_RUN: 'run-1' } };
    await drive(scene, { turns: [calling('env')] }, { env: outer, plan });
    expect(askedTexts(scene)[1]).toContain('MINE=of the person');
    expect(askedTexts(scene)[1]).toContain('UNTILDONE_RUN=run-1');
    expect(askedTexts(scene)[1]).not.toMatch(/outer-session|outer\/project|outer-token/);
  });

  test('options of the SDK, but none that the plan decides', async () => {
    const scene = await sceneOfTest();
    const client = {
      tools: ['Bash', 'Read'],
      disallowedTools: ['Read'],
      sessionId: randomUUID(),
      cwd: '/nonexistent',
      permissionMode: 'plan',
      maxTurns: 1,
      hooks: {},
    };
    const plan = { client, maxTurns: 5 };
    const driven = await drive(scene, { turns: [calling('touch made')] }, { plan });
    expect(driven.end.kind).toBe('completed');
    expect(existsSync(join(scene.project, 'made'))).toBe(true);
    expect(named(driven.heard, 'Stop')).toMatchObject([{ session: driven.plan.session }]);
    const tools = asked(scene)[0]?.tools as { name: string; defer_loading?: boolean }[];
    expect(tools.flatMap(({ name, defer_loading }) => (defer_loading ? [] : [name]))).toEqual(['Bash']);
  });

  test('no more permissions than the plan says, and nobody to ask', async () => {
    const scene = await sceneOfTest();
    const write = (name: string): Turn => ({
      tools: [{ name: 'Write', input: { file_path: join(scene.project, name), content: 'x' } }],
    });
    const script = { turns: [write('made'), calling('node -e 1 > listed'), calling('node -e 2 > other')] };
    await drive(scene, script, { plan: { allow: ['Bash(node -e 1*)'] } });
    expect(existsSync(join(scene.project, 'made'))).toBe(true);
    expect(existsSync(join(scene.project, 'listed'))).toBe(true);
    expect(existsSync(join(scene.project, 'other'))).toBe(false);
  });
});

describe('hooks as callbacks', () => {
  test('a task can be refused, and the model reads why', async () => {
    const scene = await sceneOfTest();
    const heard = listener((event) =>
      event.name === 'TaskCreated' ? { kind: 'refuse', reason: 'Not a task for us.' } : undefined,
    );
    const create = { name: 'TaskCreate', input: { subject: 'Rewrite it', description: 'all of it' } };
    const plan = { allow: ['TaskCreate'] };
    await drive(scene, { turns: [{ tools: [create] }] }, { heard, plan });
    expect(named(heard, 'TaskCreated')).toMatchObject([{ subject: 'Rewrite it' }]);
    expect(askedTexts(scene)[1]).toContain('Not a task for us.');
  });

  test('subagents are heard, and held at their own Stop', async () => {
    const scene = await sceneOfTest();
    const heard = listener((event) =>
      event.name === 'SubagentStop' && !event.stopHookActive
        ? { kind: 'refuse', reason: 'Look again.' }
        : undefined,
    );
    const input = { description: 'look', prompt: 'LOOK HERE', run_in_background: false };
    const { end } = await drive(
      scene,
      {
        rules: [{ when: { first: 'LOOK HERE' }, turns: [{ text: 'Nothing.' }, { text: 'Something.' }] }],
        turns: [{ tools: [{ name: 'Agent', input: { ...input, subagent_type: 'general-purpose' } }] }],
      },
      { heard, plan: { allow: ['Agent'] } },
    );
    expect(end.kind).toBe('completed');
    expect(named(heard, 'SubagentStop')).toHaveLength(2);
    expect(heard.events).toContainEqual(expect.objectContaining({ name: 'SubagentStart' }));
    // What a subagent says is not said by the session.
    expect(heard.happenings).not.toContainEqual({ kind: 'said', text: 'Nothing.' });
  });

  test('they cannot be switched off by the agent', async () => {
    const scene = await sceneOfTest();
    await mkdir(join(scene.project, '.claude'));
    const settings = join(scene.project, '.claude', 'settings.local.json');
    await writeFile(settings, JSON.stringify({ disableAllHooks: true }));
    const { heard } = await drive(scene, {});
    expect(named(heard, 'Stop')).toHaveLength(1);
  });
});

describe('work in the background', () => {
  const inBackground = (command: string): Turn => ({
    tools: [{ name: 'Bash', input: { command, run_in_background: true } }],
  });

  test('brings the client back, and its Stop is still heard', async () => {
    const scene = await sceneOfTest();
    const script = {
      turns: [
        inBackground('node -e "setTimeout(() => {}, 700)"'),
        { text: 'It runs.' },
        { text: 'It is through.' },
      ],
    };
    const { end, facts, heard } = await drive(scene, script);
    expect(end.kind).toBe('completed');
    expect(facts.result?.text).toBe('It is through.');
    expect(named(heard, 'Stop')).toMatchObject([
      { lastMessage: 'It runs.', backgroundTasks: [{ type: 'shell' }] },
      { lastMessage: 'It is through.', backgroundTasks: [] },
    ]);
  });

  test('that ends while the model writes its last words brings it back, too', async () => {
    const scene = await sceneOfTest();
    const go = join(scene.project, 'go');
    const script = {
      turns: [
        inBackground(`until [ -e ${go} ]; do sleep 0.05; done`),
        { text: 'Last words.', delayMs: 1_500 },
        { text: 'One more thing.' },
      ],
    };
    const driven = drive(scene, script);
    await waitFor(() => asked(scene).length === 2);
    await writeFile(go, '');
    const { heard } = await driven;
    expect(named(heard, 'Stop')).toMatchObject([
      { lastMessage: 'Last words.', backgroundTasks: [] },
      { lastMessage: 'One more thing.' },
    ]);
  });

  test('that never ends keeps a session no longer than it may, and ends with it', async () => {
    const scene = await sceneOfTest();
    const server = 'node -e "setTimeout(() => {}, 600000)"';
    const script = { turns: [inBackground(server), { text: 'The server runs.' }] };
    const { end, facts } = await drive(scene, script, { limits: { backgroundMs: 300 } });
    expect(end.kind).toBe('completed');
    expect(facts.result?.text).toBe('The server runs.');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('does not keep a session that is told to halt, and nothing of it is lost', async () => {
    const scene = await sceneOfTest();
    const heard = listener((event) => (event.name === 'Stop' ? HALT : undefined));
    const server = 'node -e "setTimeout(() => {}, 600000)"';
    const script = { turns: [inBackground(server), { text: 'The server runs.' }] };
    const { end, plan } = await drive(scene, script, { heard });
    expect(end.kind).toBe('stopped_by_hook');
    expect(await processesOf(scene.root)).toEqual([]);
    await portOf(scene).run({ ...plan, resume: true }, 'Go on', listener(), limits());
    expect(askedTexts(scene).at(-1)).toMatch(/Build a cuckoo clock.*The server runs\..*Go on/s);
  });
});

const HALT: Answer = { kind: 'halt', message: 'Enough.' };

describe('limits of the account', () => {
  /**
   * As the API answers a subscription that is used up: the names of the headers are those that the client reads, and the
   * token is made up. Whether the API sends them so could not be seen here.
   */
  const usedUp = (resetsAt: number): Turn => ({
    error: {
      status: 429,
      message: "This request would exceed your account's rate limit.",
      headers: {
        'retry-after': resetsAt - Math.floor(Date.now() / 1000),
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': resetsAt,
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      },
    },
  });
  const subscription = { CLAUDE_CODE_OAUTH_TOKEN: 'made-up-token', ANTHROPIC_API_KEY: undefined };

  test('a subscription that is used up says until when', async () => {
    const scene = await sceneOfTest();
    const resetsAt = Math.floor(Date.now() / 1000) + 5_400;
    const { end, facts, heard } = await drive(scene, { after: usedUp(resetsAt) }, { env: subscription });
    expect(end).toEqual({
      kind: 'rate_limited',
      until: resetsAt * 1000,
      detail: expect.stringContaining('limit'),
    });
    expect(facts.rateLimit?.resetsAt).toBe(resetsAt * 1000);
    expect(heard.happenings).toContainEqual({
      kind: 'limit',
      resetsAt: resetsAt * 1000,
      text: 'the 5-hour limit is reached',
    });
  });

  test('a limit that comes near is told, and ends nothing', async () => {
    const scene = await sceneOfTest();
    const resetsAt = Math.floor(Date.now() / 1000) + 5_400;
    const headers = {
      'anthropic-ratelimit-unified-status': 'allowed_warning',
      'anthropic-ratelimit-unified-reset': resetsAt,
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-utilization': '0.95',
      'anthropic-ratelimit-unified-5h-reset': resetsAt,
      'anthropic-ratelimit-unified-5h-surpassed-threshold': '0.9',
    };
    const { end, facts, heard } = await drive(
      scene,
      { turns: [{ text: 'Done.', headers }] },
      { env: subscription },
    );
    expect(end.kind).toBe('completed');
    expect(facts.rateLimit).toBeUndefined();
    expect(heard.happenings).toContainEqual({
      kind: 'limit',
      resetsAt: resetsAt * 1000,
      text: '95 % of the 5-hour limit is used',
    });
  });
});

describe('processes', () => {
  test('what a command left running ends with the session', async () => {
    const scene = await sceneOfTest();
    const command = '(setsid sleep 300 >/dev/null 2>&1 &); sleep 301 >/dev/null 2>&1 & echo started';
    await drive(scene, { turns: [calling(command)] });
    expect(askedTexts(scene)[1]).toContain('started');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('a client that was killed leaves no command behind', async () => {
    const scene = await sceneOfTest();
    const begun = join(scene.project, 'begun');
    scene.simulator.load('driven', {
      turns: [calling(`touch ${begun}; node -e "setTimeout(() => {}, 600000)"`)],
    });
    const run = portOf(scene).run(planIn(scene), 'Build a cuckoo clock', listener(), limits());
    await waitFor(() => existsSync(begun));
    process.kill(await clientOf(scene), 'SIGKILL');
    expect(nameEnd(await run).kind).toBe('crashed');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('a session that is called off leaves none, whatever it was doing', async () => {
    const scene = await sceneOfTest();
    const begun = join(scene.project, 'begun');
    scene.simulator.load('driven', {
      turns: [calling(`touch ${begun}; node -e "setTimeout(() => {}, 600000)"`)],
    });
    const abort = new AbortController();
    const run = portOf(scene).run(
      planIn(scene),
      'Build a cuckoo clock',
      listener(),
      limits({ signal: abort.signal }),
    );
    await waitFor(() => existsSync(begun));
    abort.abort();
    expect(nameEnd(await run).kind).toBe('aborted');
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('a client that does not even answer an interruption is ended', async () => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', { after: { hang: true } });
    const abort = new AbortController();
    const run = portOf(scene).run(
      planIn(scene),
      'Build a cuckoo clock',
      listener(),
      limits({ signal: abort.signal }),
    );
    await waitFor(() => asked(scene).length === 1);
    process.kill(await clientOf(scene), 'SIGSTOP');
    abort.abort();
    expect(await run).toEqual({ cutBy: 'abort' });
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('one prepared client is one process, which is gone when it was discarded', async () => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', {});
    const ready = await portOf(scene).prepare(planIn(scene));
    const client = await clientOf(scene);
    expect(asked(scene)).toEqual([]);
    await ready.discard();
    expect(await processesOf(scene.root)).not.toContain(client);
    expect(await processesOf(scene.root)).toEqual([]);
  });

  test('a prepared client is the one that is run, and one that died is replaced', async () => {
    const scene = await sceneOfTest();
    scene.simulator.load('driven', { after: calling('echo "I am $CLAUDE_PID"') });
    const port = portOf(scene);
    const ready = await port.prepare(planIn(scene, { maxTurns: 1 }));
    const client = await clientOf(scene);
    const pids: unknown[] = [];
    const heard = listener();
    heard.event = async (event: HookEvent) => {
      if (event.name === 'PreToolUse') pids.push(await clientOf(scene));
      return { kind: 'silence' };
    };
    await port.run(ready, 'Build a cuckoo clock', heard, limits());
    expect(pids).toEqual([client]);

    const other = await port.prepare(planIn(scene, { maxTurns: 1 }));
    process.kill(await clientOf(scene), 'SIGKILL');
    await waitFor(async () => (await processesOf(scene.root)).length === 0);
    expect(nameEnd(await port.run(other, 'Build a cuckoo clock', listener(), limits()))).toMatchObject({
      kind: 'max_turns',
    });
  });
});

describe('what cannot begin says why', () => {
  test('a client that is not there', async () => {
    const scene = await sceneOfTest();
    const port = agentSessions({ env: { PATH: '/nonexistent' }, claude: join(scene.root, 'nothing') });
    await expect(port.prepare(planIn(scene))).rejects.toThrow('is no executable file');
    const facts = await port.run(planIn(scene), 'Build a cuckoo clock', listener(), limits());
    expect(nameEnd(facts)).toMatchObject({ kind: 'crashed', detail: expect.stringContaining('nothing') });
  });

  test('a permission mode that the client does not know', async () => {
    const scene = await sceneOfTest();
    const plan = planIn(scene, { permissionMode: 'whatever' });
    await expect(portOf(scene).prepare(plan)).rejects.toThrow(/--permission-mode.*whatever/);
    expect(await processesOf(scene.root)).toEqual([]);
  });
});
