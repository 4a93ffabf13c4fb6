import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { customGate } from '../../../../src/engine/gates/custom/index.ts';
import { systemShell } from '../../../../src/engine/project/shell/shell.ts';
import type { Given } from '../../../support/gates/context.ts';
import { makeProject, noAbort, type TestProject } from '../../../support/gates/project.ts';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

interface Asked {
  with?: Record<string, unknown>;
  context?: Given;
  signal?: AbortSignal;
}

async function judge(file: string, asked: Asked = {}) {
  const context = project.context({ name: 'own', ...asked.context });
  const options = { file, ...(asked.with ? { with: asked.with } : {}) };
  return customGate.judge(options, context, asked.signal ?? noAbort);
}

function script(text: string): void {
  project.write('check', `#!/bin/sh\n${text}\n`, 0o755);
}

function module(text: string, file = 'check.mjs'): void {
  project.write(file, text);
}

const ANSWER = {
  outcome: 'fail',
  summary: 'two are missing',
  evidence: ['a.txt:1', 'b.txt:2'],
  next: 'Write them.',
  fingerprint: 'a b',
};

describe('an executable', () => {
  test('is asked on stdin and answers on stdout', async () => {
    script(`cat > question; echo working >&2; echo '${JSON.stringify({ ...ANSWER, more: 1 })}'`);
    const context = { lastMessage: 'Done – "really"\n', tree: 't1', baseTree: 't0' };
    const judgement = await judge('check', { with: { limit: 3 }, context });
    expect(judgement).toMatchObject(ANSWER);
    expect(judgement).not.toHaveProperty('more');
    expect(judgement.proof).toMatchObject({ command: './check', exitCode: 0 });
    expect(readFileSync(judgement.proof?.outputFile ?? '', 'utf8')).toContain('working');
    expect(JSON.parse(project.read('question'))).toEqual({
      v: 1,
      gate: 'own',
      project: project.root,
      task: 'Build the shop',
      session: 'session-1',
      ...context,
      with: { limit: 3 },
    });
  });

  test('may be any program and have any name', async () => {
    const name = "checks/it's $(touch hacked) a check";
    project.write(name, '#!/usr/bin/env node\nconsole.log(\'{"outcome":"pass","summary":"fine"}\')', 0o755);
    expect(await judge(name)).toMatchObject({ outcome: 'pass', summary: 'fine' });
    expect(existsSync(join(project.root, 'hacked'))).toBe(false);
  });

  test('evidence may be one text', async () => {
    script('printf %s \'{"outcome":"skip","summary":"x","evidence":"a\\nb"}\'');
    expect(await judge('check')).toMatchObject({ outcome: 'skip', evidence: ['a', 'b'] });
  });

  test.each([
    ['exit code 3', 'echo \'{"outcome":"pass","summary":"x"}\'; echo why >&2; exit 3', 'exit code 3'],
    ['no answer', 'echo why >&2', 'no answer on stdout'],
    ['no JSON', 'echo why', 'not one JSON object'],
    ['two answers', 'echo \'{"outcome":"pass","summary":"x"}{"why":1}\'', 'not one JSON object'],
    ['a list', 'echo \'["why"]\'', 'not one JSON object'],
    ['an unknown outcome', 'echo \'{"outcome":"ok","summary":"why"}\'', '"outcome" is none of pass, fail'],
    ['no summary', 'echo \'{"outcome":"pass","why":1}\'', '"summary" is missing'],
    [
      'wrong evidence',
      'echo \'{"outcome":"pass","summary":"x","evidence":[1],"why":1}\'',
      '"evidence" is no list',
    ],
  ])('with %s is unproven, and says why', async (_name, text, why) => {
    script(text);
    const judgement = await judge('check');
    expect(judgement.outcome).toBe('unproven');
    expect(judgement.summary).toContain(why);
    expect(judgement.evidence?.join('\n')).toContain('why');
  });

  test('that is missing or lacks the run bit is unproven', async () => {
    expect((await judge('gone')).summary).toContain('was not found');
    project.write('plain', '#!/bin/sh\n');
    expect((await judge('plain')).summary).toContain('not executable');
  });

  test('out of the project is not run', async () => {
    expect(await judge('../check')).toMatchObject({ outcome: 'unproven' });
    expect(await judge('/bin/true')).toMatchObject({ outcome: 'unproven' });
  });

  test('that does not end is ended', async () => {
    script('sleep 300');
    const judgement = await judge('check', { signal: AbortSignal.timeout(200) });
    expect(judgement).toMatchObject({ outcome: 'unproven' });
    expect(judgement.summary).toContain('abort');
  });
});

describe('a module', () => {
  test('judges by its default export', async () => {
    module(
      `export default defineGate({
         async judge(question) {
           console.log('on stdout'); process.stdout.write('as well');
           return { outcome: 'pass', summary: question.gate + ' ' + question.with.limit };
         },
       });`,
    );
    const judgement = await judge('check.mjs', { with: { limit: 3 } });
    expect(judgement).toMatchObject({ outcome: 'pass', summary: 'own 3' });
    expect(readFileSync(judgement.proof?.outputFile ?? '', 'utf8')).toContain('on stdout\nas well');
  });

  test.each([
    ['check.mjs', 'export default (question) => ({ outcome: "pass", summary: question.gate });'],
    [
      'check.mjs',
      'export default { word: "own", judge() { return { outcome: "pass", summary: this.word }; } };',
    ],
    ['check.cjs', 'module.exports = { judge: (q) => ({ outcome: "pass", summary: q.gate }) };'],
    ['check.js', 'module.exports = { judge: (q) => ({ outcome: "pass", summary: q.gate }) };'],
    [
      'it is.mjs',
      'import { basename } from "node:path"; export default () => ({ outcome: "pass", summary: basename("/own") });',
    ],
    ['100% #1?.mjs', 'export default () => ({ outcome: "pass", summary: "own" });'],
    ['-e.mjs', 'export default () => ({ outcome: "pass", summary: "own" });'],
  ])('%s: %s', async (file, text) => {
    module(text, file);
    expect(await judge(file)).toMatchObject({ outcome: 'pass', summary: 'own' });
  });

  test('that leaves something open does not wait for it', async () => {
    module('setInterval(() => {}, 1000); export default () => ({ outcome: "pass", summary: "own" });');
    expect(await judge('check.mjs')).toMatchObject({ outcome: 'pass' });
  });

  test('with a long answer gives it whole', async () => {
    module(
      'export default () => ({ outcome: "fail", summary: "x", evidence: Array(5000).fill("y".repeat(100)) });',
    );
    expect((await judge('check.mjs')).evidence).toHaveLength(5000);
  });

  test.each([
    [
      'throws',
      'export default () => { throw new RangeError("broken inside"); };',
      'RangeError: broken inside',
    ],
    ['cannot be parsed', 'export default {', 'SyntaxError'],
    ['exports nothing', 'export const judge = 1;', 'no default export with a function "judge"'],
    ['is not there', '', 'gone.mjs'],
  ])('that %s is unproven with the error', async (what, text, error) => {
    const file = what === 'is not there' ? 'gone.mjs' : 'check.mjs';
    if (text !== '') module(text);
    const judgement = await judge(file);
    expect(judgement.outcome).toBe('unproven');
    expect(judgement.evidence?.join('\n')).toContain(error);
  });

  test('that answers nothing, or never, is unproven', async () => {
    module('export default () => undefined;');
    expect((await judge('check.mjs')).summary).toContain('not one JSON object');
    module('export default () => new Promise(() => {});');
    expect(await judge('check.mjs')).toMatchObject({ outcome: 'unproven' });
    module('export default () => { for (;;); };');
    expect(await judge('check.mjs', { signal: AbortSignal.timeout(300) })).toMatchObject({
      outcome: 'unproven',
    });
  });

  test('in TypeScript runs where node can, else is unproven and says so', async () => {
    module(
      'export default (question: { gate: string }) => ({ outcome: "pass", summary: question.gate });',
      'check.ts',
    );
    const judgement = await judge('check.ts');
    const ask = 'process.version + " " + process.features.typescript';
    const said = execFileSync(process.execPath, ['--print', ask], { encoding: 'utf8' });
    const [version, typescript = ''] = said.trim().split(' ');
    if (/^(?:strip|transform)$/.test(typescript)) {
      expect(judgement).toMatchObject({ outcome: 'pass', summary: 'own' });
    } else {
      expect(judgement).toMatchObject({ outcome: 'unproven' });
      expect(judgement.summary).toBe(`a gate in TypeScript needs Node 22.18 or newer; this is ${version}`);
    }
  });

  test('is run by the node of untildone where there is none on PATH', async () => {
    module('export default () => ({ outcome: "pass", summary: "own" });');
    const shell = systemShell({ PATH: project.root });
    expect(await judge('check.mjs', { context: { shell } })).toMatchObject({ outcome: 'pass' });
  });
});

describe('from the start of the loop on', () => {
  const frozen = async (file: string) => customGate.freeze?.({ file }, project.freezing());

  test('a changed gate fails by name and is not run', async () => {
    script('echo \'{"outcome":"fail","summary":"not yet"}\'');
    const context = { frozen: await frozen('check') };
    expect(await judge('check', { context })).toMatchObject({ outcome: 'fail', summary: 'not yet' });
    script('touch ran; echo \'{"outcome":"pass","summary":"fine"}\'');
    const judgement = await judge('check', { context });
    expect(judgement).toMatchObject({ outcome: 'fail' });
    expect(judgement.summary).toContain('check, which judges this, was changed');
    expect(existsSync(join(project.root, 'ran'))).toBe(false);
  });

  test('a gate that was not there may not be written by the agent', async () => {
    const context = { frozen: await frozen('check') };
    script('echo \'{"outcome":"pass","summary":"fine"}\'');
    expect(await judge('check', { context })).toMatchObject({ outcome: 'fail' });
  });

  test('a file too long to keep is left to its hash', async () => {
    project.write('large', 'x'.repeat(300_000));
    expect(await frozen('large')).toBeUndefined();
  });

  test('a person approves the file that is run', () => {
    expect(customGate.commands?.({ file: 'checks/a b.sh' }, undefined)).toEqual(["'./checks/a b.sh'"]);
    expect(customGate.commands?.({ file: 'checks/a.mjs' }, undefined)).toEqual(['node ./checks/a.mjs']);
  });
});

describe('the guide', () => {
  const root = join(import.meta.dirname, '../../../..');
  const guide = readFileSync(join(root, 'docs/guides/write-your-own-gate.md'), 'utf8');
  const examples = new Map(
    [...guide.matchAll(/^```\w+ (checks\/\S+)\n([\s\S]*?)^```$/gm)].map((m) => [m[1], m[2]]),
  );

  function example(file: string): void {
    const text = examples.get(file);
    if (text === undefined) throw new Error(`the guide has no example ${file}`);
    project.write(file, text, file.endsWith('.sh') ? 0o755 : 0o644);
  }

  test('its executable judges the size of files', async () => {
    example('checks/file-size.sh');
    expect(await judge('checks/file-size.sh')).toMatchObject({
      outcome: 'pass',
      summary: 'no file is larger than 500 kB',
    });
    project.write('a "large" file', 'x'.repeat(300_000));
    expect(await judge('checks/file-size.sh', { with: { kilobytes: 100 } })).toMatchObject({
      outcome: 'fail',
      summary: 'files larger than 100 kB',
      evidence: ['./a "large" file'],
    });
  });

  test('its module judges the change log, and is the template', async () => {
    expect(examples.get('checks/changelog.mjs')).toBe(
      readFileSync(join(root, 'src/engine/gates/custom/template.mjs'), 'utf8'),
    );
    example('checks/changelog.mjs');
    project.write('package.json', '{"version": "1.2.0"}');
    project.write('CHANGELOG.md', '# Changes\n\n## 1.1.0\n');
    const failing = await judge('checks/changelog.mjs');
    expect(failing).toMatchObject({ outcome: 'fail', evidence: ['its newest section is "## 1.1.0"'] });
    expect(failing.next).toContain('## 1.2.0');
    project.write('NEWS.md', '## 1.2.0\n');
    expect(await judge('checks/changelog.mjs', { with: { file: 'NEWS.md' } })).toMatchObject({
      outcome: 'pass',
    });
  });

  test('its plain object judges lock files', async () => {
    example('checks/no-lockfile-mix.mjs');
    project.write('yarn.lock', '');
    expect(await judge('checks/no-lockfile-mix.mjs')).toMatchObject({
      outcome: 'pass',
      summary: 'yarn.lock',
    });
    project.write('package-lock.json', '');
    expect(await judge('checks/no-lockfile-mix.mjs')).toMatchObject({
      outcome: 'fail',
      evidence: ['package-lock.json', 'yarn.lock'],
    });
  });
});

test('a gate that guards prompts or tasks is told them', async () => {
  module(
    'export default { judge: ({ event }) => ({ outcome: "fail", summary: event?.prompt ?? event?.task_subject ?? "none" }) }',
  );
  const asked = async (event?: Given['event']) =>
    (await judge('check.mjs', { context: event ? { event } : {} })).summary;
  expect(await asked({ name: 'UserPromptSubmit', session: 's', prompt: 'go on' })).toBe('go on');
  expect(await asked({ name: 'TaskCompleted', session: 's', taskId: '1', subject: 'x' })).toBe('x');
  expect(await asked()).toBe('none');
});
