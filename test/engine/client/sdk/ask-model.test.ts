/** Finds the SDK and Claude Code from a bundle, as in the package. What needs Claude Code itself is in test/live. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentAnswer } from '../../../../src/engine/ports/ports.ts';

let root: string;
let claude: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'untildone-agent-sdk-'));
  await mkdir(join(root, 'alone'));
  await build({
    entryPoints: [resolve(import.meta.dirname, '../../../../src/engine/client/sdk/ask-model.ts')],
    outfile: join(root, 'alone', 'bundle.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
    logOverride: { 'empty-import-meta': 'silent' },
    external: ['@anthropic-ai/*'],
  });
  claude = join(root, 'claude');
  await writeFile(claude, '#!/bin/sh\nexit 1\n');
  await chmod(claude, 0o755);
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Asks from a bundle that has no packages around it. */
function askAlone(options: { project?: string; claude?: string }): Promise<AgentAnswer> {
  const code = `
    const { agentSdk } = require(${JSON.stringify(join(root, 'alone', 'bundle.cjs'))});
    const options = { env: { PATH: '/nonexistent', HOME: ${JSON.stringify(root)} }, ...${JSON.stringify(options)} };
    const ask = { prompt: 'p', systemPrompt: 's', schema: { type: 'object' }, tools: [], cwd: ${JSON.stringify(root)},
      maxCostUsd: 1, maxTurns: 1, signal: new AbortController().signal };
    agentSdk(options).ask(ask).then((answer) => console.log(JSON.stringify(answer)));`;
  return new Promise((done, fail) => {
    execFile(process.execPath, ['-e', code], { cwd: root }, (error, stdout) =>
      error ? fail(error) : done(JSON.parse(stdout)),
    );
  });
}

/** A project with an SDK of its own, which answers by itself. */
async function projectWithSdk(query: string): Promise<string> {
  const project = await mkdtemp(join(root, 'project-'));
  const sdk = join(project, 'node_modules', '@anthropic-ai', 'claude-agent-sdk');
  await mkdir(sdk, { recursive: true });
  await writeFile(join(sdk, 'package.json'), JSON.stringify({ type: 'module', exports: './sdk.mjs' }));
  await writeFile(join(sdk, 'sdk.mjs'), `export ${query}`);
  return project;
}

function yielding(result: object): string {
  return `async function* query() { yield ${JSON.stringify({ type: 'result', ...result })}; }`;
}

const COMPLETED = { subtype: 'success', is_error: false, terminal_reason: 'completed', total_cost_usd: 0.2 };

test('without the SDK the problem says what to install', async () => {
  expect(await askAlone({ claude })).toEqual({
    ok: false,
    problem:
      'the package @anthropic-ai/claude-agent-sdk is not installed; run: npm i -g @anthropic-ai/claude-agent-sdk (or npm i -D @anthropic-ai/claude-agent-sdk in the project)',
    costUsd: 0,
  });
});

test('an SDK that only the project has is used', async () => {
  const project = await projectWithSdk(yielding({ ...COMPLETED, structured_output: { a: 1 } }));
  expect(await askAlone({ claude, project })).toEqual({ ok: true, value: { a: 1 }, costUsd: 0.2 });
});

test('without a client the problem says so', async () => {
  const project = await projectWithSdk(yielding(COMPLETED));
  expect(await askAlone({ project })).toMatchObject({ ok: false, problem: expect.stringContaining('PATH') });
  const missing = join(root, 'nothing');
  expect(await askAlone({ project, claude: missing })).toMatchObject({
    ok: false,
    problem: `${missing} is not an executable file: name the program of Claude Code`,
  });
});

test('an error that the client calls a success is a problem', async () => {
  const result = { ...COMPLETED, is_error: true, terminal_reason: 'api_error', structured_output: { a: 1 } };
  const project = await projectWithSdk(yielding({ ...result, result: 'overloaded' }));
  expect(await askAlone({ claude, project })).toEqual({
    ok: false,
    problem: 'the model could not be reached: overloaded',
    costUsd: 0.2,
  });
});

test('a client that was stopped by somebody else has given no answer', async () => {
  const result = { ...COMPLETED, terminal_reason: 'stop_hook_prevented', structured_output: { a: 1 } };
  const project = await projectWithSdk(yielding({ ...result, result: '' }));
  expect(await askAlone({ claude, project })).toMatchObject({ ok: false, costUsd: 0.2 });
});

test('an answer that the client let through in a wrong shape is a problem', async () => {
  const project = await projectWithSdk(yielding({ ...COMPLETED, structured_output: 'yes' }));
  expect(await askAlone({ claude, project })).toMatchObject({
    ok: false,
    problem: expect.stringContaining('the answer of the model does not have the required shape: '),
    costUsd: 0.2,
  });
});

test('an SDK that throws is a problem, not an error', async () => {
  const project = await projectWithSdk('function query() { throw new Error("not this version"); }');
  expect(await askAlone({ claude, project })).toMatchObject({
    ok: false,
    problem: expect.stringContaining('not this version'),
  });
});
