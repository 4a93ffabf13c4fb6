import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askForProposal, keepProposal } from '../../../src/reflect/deep/deep.ts';
import { promptFor, proposalFrom, weakenedGates } from '../../../src/reflect/deep/proposal.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

const CONTRACT = 'gates:\n  tests: { run: npm test }\n';
const TEXTS = { 'untildone.yaml': CONTRACT, 'CLAUDE.md': 'Be brief.' };
const edit = (file: string, old: string, fresh: string) => ({ file, why: 'because', old, new: fresh });
const LINT = edit('untildone.yaml', 'npm test }\n', 'npm test }\n  lint: { run: npm run lint }\n');

describe('a proposal', () => {
  test.each([
    ['no edits', [], { kind: 'nothing' }],
    ['an edit that changes nothing', [edit('CLAUDE.md', 'brief', 'brief')], { kind: 'nothing' }],
    [
      'a text that is not there',
      [edit('CLAUDE.md', 'long', 'x')],
      { kind: 'unusable', problem: expect.stringContaining('exactly once') },
    ],
    ['a text that is there twice', [edit('untildone.yaml', 't', 'x')], { kind: 'unusable' }],
    [
      'a wrong contract',
      [edit('untildone.yaml', 'run:', 'rum:')],
      { kind: 'unusable', problem: expect.stringContaining('has mistakes: line 2') },
    ],
    [
      'too many edits',
      Array(6).fill(LINT),
      { kind: 'unusable', problem: expect.stringContaining('6 edits') },
    ],
    [
      'a new gate',
      [LINT],
      {
        kind: 'proposed',
        changes: [
          { file: 'untildone.yaml', before: CONTRACT, after: `${CONTRACT}  lint: { run: npm run lint }\n` },
        ],
      },
    ],
    [
      'an addition',
      [edit('CLAUDE.md', '', 'Run lint.')],
      { kind: 'proposed', changes: [{ after: 'Be brief.\nRun lint.\n' }] },
    ],
    [
      'two edits of a file',
      [edit('CLAUDE.md', 'brief', 'short'), edit('CLAUDE.md', '', 'Run lint.')],
      { kind: 'proposed', changes: [{ after: 'Be short.\nRun lint.\n' }] },
    ],
  ])('with %s', (_, edits, expected) => {
    expect(proposalFrom({ summary: 'so', edits }, TEXTS)).toMatchObject(expected);
  });

  test('says which gates it takes away or changes', () => {
    const made = (after: string) =>
      weakenedGates([{ file: 'untildone.yaml', why: '', before: CONTRACT, after }]);
    expect(made(`${CONTRACT}  lint: { run: npm run lint }\n`)).toEqual([]);
    expect(made('gates:\n  lint: { run: npm run lint }\n')).toEqual([
      'the gate tests is no longer asked for',
    ]);
    expect(made('gates:\n  tests: { run: npm test || true }\n')).toEqual(['the gate tests is another one']);
  });

  test('is kept as a patch that git applies, of files that are there and of new ones', () => {
    const folder = temporaryFolder();
    const project = join(folder, 'project');
    mkdirSync(project);
    execFileSync('git', ['init', '--quiet'], { cwd: project });
    writeFileSync(join(project, 'untildone.yaml'), CONTRACT);
    const texts = { 'untildone.yaml': CONTRACT };
    const made = proposalFrom({ summary: 'so', edits: [LINT, edit('CLAUDE.md', '', 'Run lint.')] }, texts);
    const kept = keepProposal(made.kind === 'proposed' ? made.changes : [], join(folder, 'home'), 0);
    execFileSync('git', ['apply', kept.patch], { cwd: project });
    expect(readFileSync(join(project, 'CLAUDE.md'), 'utf8')).toBe('Run lint.\n');
    expect(readFileSync(join(project, 'untildone.yaml'), 'utf8')).toBe(
      readFileSync(kept.contract ?? '', 'utf8'),
    );
  });
});

test('the model reads the digest and two files without secrets, has no tools, and a bound', async () => {
  const project = temporaryFolder();
  writeFileSync(join(project, 'CLAUDE.md'), 'key: sk-ant-REDACTED\n');
  const asked: Record<string, unknown>[] = [];
  const agent = {
    ask: async (ask: object) => {
      asked.push({ ...ask });
      return { ok: false as const, problem: 'over budget', costUsd: 0.4 };
    },
  };
  const digest = { findings: [{ title: 'npm test failed 9 times', token: 'ghp_0123456789abcdef0123' }] };
  const signal = new AbortController().signal;
  const answer = await askForProposal({ digest, project, maxCostUsd: 0.5, signal }, agent);
  expect(answer).toEqual({ kind: 'no_answer', problem: 'over budget', costUsd: 0.4 });
  expect(asked[0]).toMatchObject({ tools: [], maxCostUsd: 0.5, cwd: project });
  const prompt = String(asked[0]?.prompt);
  expect(prompt).toContain('npm test failed 9 times');
  expect(prompt).not.toMatch(/sk-ant-api03|ghp_0123/);
  expect(promptFor({ long: 'x'.repeat(200_000) }, {}).length).toBeLessThan(70_000);
});
