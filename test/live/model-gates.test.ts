/** The gates that ask a model, with everything real but the model. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import { agentSdk } from '../../src/engine/client/sdk/ask-model.ts';
import { cleanEnvironment, findClaude } from '../../src/engine/client/sdk/find-client.ts';
import { agentGate } from '../../src/engine/gates/agent/index.ts';
import type { GateContext } from '../../src/engine/gates/gate.ts';
import { judgeGate } from '../../src/engine/gates/judge/index.ts';
import { inPlace } from '../../src/engine/project/room/in-place.ts';
import { systemShell } from '../../src/engine/project/shell/shell.ts';
import { scratchAt } from '../../src/engine/project/trees/scratch.ts';
import { openWorkspace } from '../../src/engine/project/trees/workspace.ts';
import { gateContext } from '../support/gates/context.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import type { Scene } from '../support/live/scene.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { longTest } from '../support/long.ts';

interface Work {
  scene: Scene;
  context: GateContext;
  /** Folders of copies that are there. */
  copies(): Promise<string[]>;
  /** What the model was shown, in its last request. */
  shown(): string;
}

/** A project in which `sum.js` was written since the start, and a model that does as scripted. */
async function workJudgedBy(script: Script): Promise<Work> {
  const scene = await sceneOfTest({ git: true, scripts: { asked: script } });
  const { project, root, environment } = scene;
  const shadowDir = join(root, 'shadow');
  const temporary = environment.TMPDIR ?? root;
  const workspace = openWorkspace({ project, shadowDir, indexFile: join(root, 'index') });
  const baseTree = await workspace.tree();
  await writeFile(join(project, 'sum.js'), 'export const sum = (a, b) => a + b;\n');
  const env = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor('asked'),
    extra: { TMPDIR: temporary, ANTHROPIC_MODEL: 'claude-opus-5-5' },
  });
  const claude = findClaude(undefined, { preferBundled: true })?.path ?? 'claude';
  return {
    scene,
    context: gateContext({
      project,
      session: 'session',
      task: 'Write sum.js.',
      workspace,
      baseTree,
      tree: await workspace.tree(),
      outputDir: join(root, 'output'),
      shell: systemShell(environment),
      place: async () => inPlace(project, systemShell(environment), environment),
      agent: agentSdk({ env, claude }),
      scratch: scratchAt({ shadowDir, folder: temporary }),
    }),
    copies: async () => (await readdir(temporary)).filter((name) => name.startsWith('untildone-scratch-')),
    shown: () => JSON.stringify(scene.simulator.requests('asked').at(-1)?.body),
  };
}

const opinion = (value: Record<string, unknown>) => ({ tools: [{ name: 'StructuredOutput', input: value }] });
const bash = (command: string) => ({ tools: [{ name: 'Bash', input: { command } }] });

test('judge: the model sees the diff, and its answer is the verdict', async () => {
  const fail = { verdict: 'fail', reason: 'no test', missing: ['sum.js:1 has no test'] };
  const { context, shown } = await workJudgedBy({ turns: [opinion(fail)] });
  const judgement = await judgeGate.judge(
    { question: 'Is it tested?' },
    context,
    new AbortController().signal,
  );
  expect(judgement).toMatchObject({
    outcome: 'fail',
    summary: 'no test',
    evidence: ['sum.js:1 has no test'],
  });
  expect(judgement.proof?.costUsd).toBeGreaterThan(0);
  expect(shown()).toContain('+export const sum = (a, b) => a + b;');
});

test('agent: it reads and runs in a copy that is thrown away', async () => {
  const pass = { verdict: 'pass', reason: 'it adds', missing: [], evidence: ['node: 5'] };
  const look = `node --input-type=module -e 'import("./sum.js").then((m) => console.log("sum", m.sum(2, 3)))'
    git diff HEAD --stat; echo broken > sum.js; pwd`;
  const { context, copies, shown, scene } = await workJudgedBy({ turns: [bash(look), opinion(pass)] });
  // Settings of the project are in the copy too, and are not loaded there.
  const ran = join(scene.root, 'ran');
  const hook = { hooks: [{ type: 'command', command: `touch ${ran}` }] };
  await mkdir(join(scene.project, '.claude'));
  await writeFile(
    join(scene.project, '.claude', 'settings.json'),
    JSON.stringify({ hooks: { Stop: [hook], PreToolUse: [hook] } }),
  );
  const tree = await context.workspace.tree();
  const options = { instruction: 'Check that sum adds.' };
  const judgement = await agentGate.judge(options, { ...context, tree }, new AbortController().signal);
  expect(judgement).toMatchObject({ outcome: 'pass', summary: 'it adds', evidence: ['node: 5'] });
  expect(shown()).toMatch(/sum 5.*sum\.js.*untildone-scratch-/);
  expect(existsSync(ran)).toBe(false);
  expect(await copies()).toEqual([]);
  expect(await context.workspace.tree()).toBe(tree);
});

longTest('agent: stopped in the middle of a command, it leaves neither process nor folder', async () => {
  const { context, copies, scene } = await workJudgedBy({ turns: [bash('echo $$ > begun; sleep 300')] });
  const abort = new AbortController();
  const judging = agentGate.judge({ instruction: 'Wait.' }, context, abort.signal);
  const begun = async () => {
    const [copy] = await copies();
    return (
      copy && readFile(join(scene.environment.TMPDIR ?? '', copy, 'project', 'begun'), 'utf8').catch(() => '')
    );
  };
  await waitFor(begun);
  abort.abort();
  expect(await judging).toMatchObject({ outcome: 'unproven' });
  expect(await copies()).toEqual([]);
  expect(await processesOf(scene.root)).toEqual([]);
});
