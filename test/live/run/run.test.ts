import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { contractScene } from '../../support/live/contract.ts';
import { waitFor } from '../../support/live/processes.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const KEPT = { text: 'It is all there.\n\n<promise>DONE</promise>' };
const MODEL = ['--model', 'claude-sonnet-4-5'];

/** A project in which the next missing piece is made by one command, and the contract counts the pieces. */
async function piecesScene(pieces: number): Promise<Scene> {
  return contractScene({
    'untildone.yaml': 'gates:\n  pieces: { run: sh count.sh }\n',
    'count.sh': `for i in $(seq ${pieces}); do [ -d made/$i ] || { echo "piece $i is missing"; exit 1; }; done\n`,
    'next.sh': `mkdir -p made; for i in $(seq ${pieces}); do mkdir made/$i 2>/dev/null && { touch made/$i/it; echo "made piece $i"; exit; }; done; echo "nothing left"\n`,
  });
}

/** A model that always makes the next piece, then stops; its context fills with every request. */
function maker(usage: (request: number) => number): Script {
  const turns = (text: string) =>
    Array.from({ length: 40 }, (_, i) => ({ text, usage: { input_tokens: usage(i) } }));
  return {
    rules: [
      {
        when: { last: 'Write a hand-over note' },
        turns: [{ text: 'NOTE: the pieces so far lie in made/.' }],
      },
      { when: { last: 'made piece|nothing left' }, turns: turns('One more piece is there.') },
      { when: { any: '.' }, turns: [{ tools: [bash('sh next.sh')] }] },
    ],
  };
}

/** No piece can be made twice; whoever makes one may be ended right after it is there. */
const made = (scene: Scene) =>
  existing(scene, 'made')
    .map(Number)
    .sort((a, b) => a - b);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe('a run', () => {
  test('goes on in one session until the promise is kept', async () => {
    const scene = await sceneOfTest();
    const run = await startRun(scene, ['Build it', ...MODEL], {
      turns: [{ text: 'one' }, { tools: [bash('echo hi')] }, { text: 'two' }, KEPT],
    }).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.requests).toHaveLength(4);
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'claimed_done', iteration: 3 });
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'claimed_done']);
  });

  longTest(
    'makes 25 pieces over several sessions, each told by a hand-over what it has to know',
    async () => {
      const scene = await piecesScene(25);
      // 200,000 tokens fit; from 160,000 on a session is left.
      const run = await startRun(
        scene,
        ['Make all pieces', ...MODEL, '--allow', 'Bash', '--max-iterations', '100'],
        maker((n) => (n % 6 >= 4 ? 163_000 : 20_000)),
      ).ended;
      expect({ code: run.code, stderr: run.stderr, said: run.code === 0 ? '' : run.stdout }).toEqual({
        code: 0,
        stderr: '',
        said: '',
      });
      const loop = await loopOf(scene);
      expect(loop.status).toBe('verified_done');
      expect(made(scene)).toEqual(upTo(25));
      const journal = await journalOf(scene, loop.id);
      const sessions = journal.flatMap((e) => (e.kind === 'intent' && !e.resume ? [e.session] : []));
      expect(new Set(sessions).size).toBeGreaterThanOrEqual(4);
      const briefs = run.requests.filter((r) => r.includes('You remember nothing of it'));
      expect(briefs.length).toBeGreaterThanOrEqual(3);
      for (const part of [
        'Make all pieces',
        'NOTE: the pieces so far lie in made/.',
        'is missing',
        'pieces',
      ]) {
        expect(briefs[0]).toContain(part);
      }
      expect(journal.filter((e) => e.kind === 'intent').length).toBe(
        journal.filter((e) => e.kind === 'result').length,
      );
    },
  );

  longTest('in fresh mode has a session for every iteration, and never two hooks for one event', async () => {
    const scene = await piecesScene(3);
    const run = await startRun(
      scene,
      ['Make all pieces', ...MODEL, '--mode', 'fresh', '--allow', 'Bash'],
      maker(() => 20_000),
    ).ended;
    expect(run.code).toBe(0);
    const loop = await loopOf(scene);
    const journal = await journalOf(scene, loop.id);
    // The hooks are installed in the project, too: each Stop is judged once.
    expect(decisionsOf(journal)).toEqual(['allow', 'allow', 'verified_done']);
    expect(new Set(journal.flatMap((e) => (e.kind === 'intent' ? [e.session] : []))).size).toBe(3);
  });

  longTest('in session mode stays in its session, however full', async () => {
    const scene = await piecesScene(4);
    const run = await startRun(
      scene,
      ['Make all pieces', ...MODEL, '--mode', 'session', '--allow', 'Bash'],
      maker(() => 163_000),
    ).ended;
    expect(run.code).toBe(0);
    const journal = await journalOf(scene, (await loopOf(scene)).id);
    expect(journal.filter((e) => e.kind === 'intent')).toHaveLength(1);
  });

  longTest('goes on after its money was spent, when it gets more', async () => {
    const scene = await piecesScene(2);
    const script = maker(() => 200_000);
    const first = await startRun(scene, ['Make it', ...MODEL, '--max-cost', '0.1', '--allow', 'Bash'], script)
      .ended;
    const { id } = await loopOf(scene);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 3, stderr: '' });
    expect(first.stdout).toContain(`to go on with more: untildone run --resume ${id} --max-cost +5`);
    const less = await startRun(scene, ['--resume', '--max-cost', '0.2'], script).ended;
    expect(less).toMatchObject({ code: 2, stderr: expect.stringContaining('has used up its limit of cost') });
    const second = await startRun(scene, ['--resume', '--max-cost', '+5', '--allow', 'Bash'], script).ended;
    expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: '' });
    const journal = await journalOf(scene, id);
    expect(journal).toContainEqual(
      expect.objectContaining({ kind: 'reopened', limits: 'cost_usd 0.1 -> 5.1' }),
    );
    expect(journal.filter((e) => e.kind === 'intent').map((e) => e.resume)).toEqual([false, true]);
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ id, status: 'verified_done' });
    const receipt = JSON.parse(await must(scene, ['receipt', id, '--format', 'json'])).receipt;
    expect(receipt.cost).toMatchObject({ usd: loop.cost_usd, estimatedUsd: 0, sessions: 1 });
    expect(receipt.cost.usd).toBeGreaterThan(1);
    const again = await startRun(scene, ['--resume', '--max-cost', '+5'], script).ended;
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is done') });
    const unknown = await startRun(scene, ['--resume', 'nothing-of-this-name'], script).ended;
    expect(unknown.stderr).toContain(`runs of this project: ${id} (verified_done)`);
  });

  longTest('spends no more than its budget and one step, and says so', async () => {
    const scene = await piecesScene(25);
    const expensive = { input_tokens: 100_000, output_tokens: 20_000 };
    const script = maker(() => 20_000);
    for (const rule of script.rules ?? [])
      for (const turn of rule.turns) Object.assign(turn, { usage: expensive });
    const run = await startRun(
      scene,
      ['Make all pieces', ...MODEL, '--max-cost', '3', '--allow', 'Bash'],
      script,
    ).ended;
    expect(run.code).toBe(3);
    const loop = await loopOf(scene);
    expect(loop).toMatchObject({ status: 'reached_limit', ending: { cause: 'cost' } });
    const step = (100_000 * 3 + 20_000 * 15) / 1_000_000;
    expect(loop.cost_usd).toBeGreaterThanOrEqual(3);
    expect(loop.cost_usd).toBeLessThanOrEqual(3 + 2 * step);
  });
});

describe('when something goes wrong', () => {
  longTest('a limit is waited out, in the same session and without an iteration', async () => {
    const scene = await sceneOfTest();
    const limited = {
      error: { status: 429, type: 'rate_limit_error', message: 'slow down', headers: { 'retry-after': '1' } },
    };
    const run = await startRun(scene, ['Build it', ...MODEL], { turns: [{ text: 'one' }, limited, KEPT] })
      .ended;
    expect(run.code).toBe(0);
    expect(await loopOf(scene)).toMatchObject({ status: 'claimed_done', iteration: 2 });
  });

  longTest('a login that does not work ends it at once, with what to do', async () => {
    const scene = await sceneOfTest();
    const denied = { error: { status: 403, type: 'permission_error', message: 'no' } };
    const run = await startRun(scene, ['Build it', ...MODEL], { turns: [denied], after: denied }).ended;
    expect(run.code).toBe(1);
    expect(await loopOf(scene)).toMatchObject({ status: 'failed', ending: { cause: 'auth' } });
  });

  longTest('a client that is killed in the middle is started again, in the same session', async () => {
    const scene = await piecesScene(3);
    const script = maker(() => 20_000);
    script.rules?.unshift({
      when: { last: 'Make all pieces' },
      turns: [{ tools: [bash('[ -e killed ] || { touch killed; kill -9 $CLAUDE_PID; }; sh next.sh')] }],
    });
    const run = await startRun(scene, ['Make all pieces', ...MODEL, '--allow', 'Bash'], script).ended;
    expect(run.code).toBe(0);
    const journal = await journalOf(scene, (await loopOf(scene)).id);
    expect(journal.find((e) => e.kind === 'result')).toMatchObject({ end: { kind: 'crashed' } });
    expect(made(scene)).toEqual(upTo(3));
  });

  test('Ctrl-C finishes the step and pauses; --resume goes on to the end', async () => {
    const scene = await piecesScene(4);
    const script = maker(() => 20_000);
    const first = startRun(scene, ['Make all pieces', ...MODEL, '--allow', 'Bash'], script);
    await waitFor(() => existing(scene, 'made').includes('1'));
    first.child.kill('SIGINT');
    const paused = await first.ended;
    expect(paused.code).toBe(130);
    const loop = await loopOf(scene);
    expect(loop.status).toBe('paused');
    expect(paused.stdout).toContain(`untildone run --resume ${loop.id}`);
    const second = await startRun(scene, ['--resume', loop.id, ...MODEL, '--allow', 'Bash'], script).ended;
    expect(second.code).toBe(0);
    expect(made(scene)).toEqual(upTo(4));
  });

  longTest('a runner that is killed ten times goes on each time, and every piece is made once', async () => {
    const scene = await piecesScene(12);
    const script = maker(() => 20_000);
    const flags = [...MODEL, '--allow', 'Bash'];
    let run = startRun(scene, ['Make all pieces', ...flags, '--max-iterations', '100'], script);
    for (let kill = 1; kill <= 10; kill++) {
      await waitFor(() => existing(scene, 'made').includes(String(kill)));
      run.child.kill('SIGKILL');
      await run.ended;
      run = startRun(scene, ['--resume', ...flags], script);
    }
    expect((await run.ended).code).toBe(0);
    expect(made(scene)).toEqual(upTo(12));
    expect(await loopOf(scene)).toMatchObject({ status: 'verified_done' });
    const journal = await journalOf(scene, (await loopOf(scene)).id);
    expect(journal.filter((e) => e.kind === 'result' && e.end.kind === 'lost').length).toBeGreaterThanOrEqual(
      5,
    );
  });

  longTest('a client whose runner is killed ends with it, and spends nothing more', async () => {
    // Without installed hooks, which would end it at its next tool call.
    const scene = await sceneOfTest();
    const endless = { tools: [bash('echo $CLAUDE_PID > client; sleep 1')] };
    const run = startRun(scene, ['Build it', ...MODEL, '--allow', 'Bash'], {
      rules: [{ when: { any: '.' }, turns: [endless] }],
    });
    const pid = await waitFor(() => Number(textIn(scene, 'client')));
    run.child.kill('SIGKILL');
    await run.ended;
    await waitFor(() => !isAlive(pid), undefined, 'the client to end');
  });

  longTest('two runners cannot take the same run', async () => {
    const scene = await sceneOfTest();
    const first = startRun(scene, ['Build it', ...MODEL], { turns: [{ hang: true }] });
    await waitFor(() => first.requests().length > 0);
    const loop = await loopOf(scene);
    const second = await startRun(scene, ['--resume', loop.id], { turns: [KEPT] }).ended;
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('another process drives run') });
    first.child.kill('SIGINT');
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(130);
    expect((await must(scene, ['status'])).toString()).toContain('paused');
  });
});

function textIn(scene: Scene, file: string): string {
  try {
    return readFileSync(join(scene.project, file), 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function existing(scene: Scene, folder: string): string[] {
  try {
    return readdirSync(join(scene.project, folder));
  } catch {
    return [];
  }
}
