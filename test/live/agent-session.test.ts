/** What the real client does in whole sessions, driven by the real adapter, against the simulator. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../src/dev/simulator/script.ts';
import { nameEnd } from '../../src/engine/core/run/session-end.ts';
import type { SessionTotals } from '../../src/engine/ports/ports.ts';
import { agentSessions } from '../../src/engine/run/client/session.ts';
import { asked, askedTexts, clientOf, drive, planIn, portOf } from '../support/live/driven-session.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import { calling, type Heard, limits, listener, named } from '../support/live/session-port.ts';
import { keepsSessionPortContract } from '../support/live/session-port-contract.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { longTest } from '../support/long.ts';

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
  }, longTest);
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

  longTest("Claude Code's own instructions, with what the run adds to them", async () => {
    const scene = await sceneOfTest();
    await drive(scene, {}, { plan: { appendSystemPrompt: 'YOU WORK IN A LOOP' } });
    const system = JSON.stringify(asked(scene)[0]?.system);
    expect(system).toContain('YOU WORK IN A LOOP');
    expect(system.length).toBeGreaterThan(3_000);
  });

  longTest("the person's environment and what the plan adds, nothing of a session around us", async () => {
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

  longTest('options of the SDK, but none that the plan decides', async () => {
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

describe('what a session has spent', () => {
  test('is told at every Stop while it goes on, with its subagents, and counts on when it is resumed', async () => {
    const scene = await sceneOfTest();
    const stops: (SessionTotals | null)[] = [];
    const heard: Heard = {
      ...listener(({ name }) =>
        name === 'Stop' && stops.length < 3 ? { kind: 'refuse', reason: 'Go on.' } : undefined,
      ),
      used: ({ soFar }) => void (soFar !== undefined && stops.push(soFar)),
    };
    const input = { description: 'look', prompt: 'LOOK HERE', run_in_background: false };
    const script = {
      rules: [{ when: { first: 'LOOK HERE' }, turns: [{ text: 'Nothing.' }] }],
      turns: [{ tools: [{ name: 'Agent', input: { ...input, subagent_type: 'general-purpose' } }] }],
    };
    const { facts, plan } = await drive(scene, script, { heard, plan: { allow: ['Agent'] } });
    const bill = { costTotalUsd: facts.result?.costTotalUsd, tokensTotal: facts.result?.tokensTotal };
    expect(stops).toHaveLength(3);
    expect(stops[2]).toEqual(bill);
    const [first = 0, second = 0, third = 0] = stops.map((totals) => totals?.costTotalUsd);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    const again = { ...plan, resume: true };
    const resumed = await portOf(scene).run(again, 'Go on', heard, limits());
    expect(stops[3]?.costTotalUsd).toBeGreaterThan(third);
    expect(stops[3]?.costTotalUsd).toBe(resumed.result?.costTotalUsd);
  });
});

describe('hooks as callbacks', () => {
  longTest('a task can be refused, and the model reads why', async () => {
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

  longTest('subagents are heard, and held at their own Stop', async () => {
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

  longTest('an answer that ends the session ends it from inside a subagent, too', async () => {
    const scene = await sceneOfTest();
    let used = 0;
    const seen: number[] = [];
    const answering = listener((event) => {
      if (event.name !== 'PreToolUse' || event.agentId === undefined) return undefined;
      seen.push(used);
      return seen.length > 1 ? { kind: 'halt', message: 'No more.' } : undefined;
    });
    const heard = {
      ...answering,
      used: ({ tokens }: { tokens: number }) => {
        used = tokens;
      },
    };
    const usage = { input_tokens: 40_000, output_tokens: 1_000 };
    const input = { description: 'look', prompt: 'LOOK HERE', run_in_background: false };
    const { end, facts } = await drive(
      scene,
      {
        rules: [
          {
            when: { first: 'LOOK HERE' },
            turns: [calling('echo 1', { usage }), calling('echo 2', { usage }), { text: 'Nothing.' }],
          },
        ],
        turns: [{ tools: [{ name: 'Agent', input: { ...input, subagent_type: 'general-purpose' } }] }],
      },
      { heard, plan: { allow: ['Agent', 'Bash'] } },
    );
    // Each call is asked about when its own request is counted.
    expect(seen[0]).toBeGreaterThan(40_000);
    expect(seen[1]).toBeGreaterThan(81_000);
    expect(end).toMatchObject({ kind: 'stopped_by_hook' });
    expect(asked(scene)).toHaveLength(3);
    expect(facts.result?.tokensTotal).toBe(82_000 + 1_005);
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

  longTest('a limit that comes near is told, and ends nothing', async () => {
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

describe('what cannot begin says why', () => {
  test('a client that is not there', async () => {
    const scene = await sceneOfTest();
    const port = agentSessions({ env: { PATH: '/nonexistent' }, claude: join(scene.root, 'nothing') });
    await expect(port.prepare(planIn(scene))).rejects.toThrow('is not an executable file');
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
