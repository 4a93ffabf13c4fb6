import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import type { GhCli } from '../../../src/read/reflect/issues/file-issues.ts';
import { scratchFolder } from './made-transcript.ts';

export interface GhState {
  calls: string[][];
  labels: string[];
  issues: {
    number: number;
    title: string;
    body: string;
    labels: string[];
    open: boolean;
    comments: string[];
  }[];
  enabled: boolean;
  /** Commands that fail, by their first two words. */
  broken: Record<string, { text: string; code?: number }>;
}

/** What the real `gh` answers to these arguments: its outputs and exit codes. It is also the text of a program. */
function answer(
  state: GhState,
  args: string[],
  input: string,
): { code: number; out?: string; error?: string } {
  state.calls.push(args);
  const given = (name: string) => args.flatMap((arg, i) => (arg === name ? [args[i + 1] ?? ''] : []));
  const url = (number: number) => `https://github.com/octo/shop/issues/${number}`;
  const what = args.slice(0, 2).join(' ');
  const third = args[2] ?? '';
  const broken = state.broken[what];
  if (broken) return { code: broken.code ?? 1, error: broken.text };
  if (what === 'repo view')
    return { code: 0, out: JSON.stringify({ nameWithOwner: 'octo/shop', hasIssuesEnabled: state.enabled }) };
  if (what === 'label list') return { code: 0, out: JSON.stringify(state.labels.map((name) => ({ name }))) };
  if (what === 'label create') {
    if (state.labels.includes(third)) return { code: 1, error: `label with name "${third}" already exists` };
    state.labels.push(third);
    return { code: 0 };
  }
  if (what === 'issue list') {
    const listed = state.issues.filter(
      (one) => one.open && given('--label').every((l) => one.labels.includes(l)),
    );
    return {
      code: 0,
      out: JSON.stringify(listed.map(({ number, body }) => ({ number, url: url(number), body }))),
    };
  }
  if (what === 'issue create') {
    const labels = given('--label');
    const missing = labels.find((label) => !state.labels.includes(label));
    if (missing !== undefined) return { code: 1, error: `could not add label: '${missing}' not found` };
    const number = state.issues.length + 1;
    const [title = ''] = given('--title');
    state.issues.push({ number, title, body: input, labels, open: true, comments: [] });
    return { code: 0, out: url(number) };
  }
  if (what === 'issue comment') {
    const issue = state.issues.find((one) => String(one.number) === third);
    if (!issue)
      return { code: 1, error: `GraphQL: Could not resolve to an issue with the number of ${third}.` };
    issue.comments.push(input);
    return { code: 0, out: `${url(issue.number)}#issuecomment-1` };
  }
  return { code: 1, error: `unknown command "${args[0]}" for "gh"` };
}

function fresh(changes: Partial<GhState>): GhState {
  return { calls: [], labels: [], issues: [], enabled: true, broken: {}, ...changes };
}

/** A `gh` in this process. */
export function fakeGh(changes: Partial<GhState> = {}): { gh: GhCli; state: GhState } {
  const state = fresh(changes);
  const gh: GhCli = {
    call: async (args, input = '') => {
      const { code, out = '', error = '' } = answer(state, [...args], input);
      return { ok: code === 0, stdout: `${out}\n`, problem: code === 0 ? '' : `gh says: ${error}` };
    },
  };
  return { gh, state };
}

/** A `gh` first on PATH, until `vi.unstubAllEnvs`. It keeps issues and labels in a file. */
export function ghOnPath(changes: Partial<GhState> = {}): { state(): GhState } {
  const folder = scratchFolder();
  const store = join(folder, 'gh.json');
  if (!existsSync(store)) writeFileSync(store, JSON.stringify(fresh(changes)));
  mkdirSync(join(folder, 'bin'));
  const program = `#!${process.execPath}
const fs = require('node:fs');
const answer = ${answer.toString()};
const store = ${JSON.stringify(store)};
const state = JSON.parse(fs.readFileSync(store, 'utf8'));
const args = process.argv.slice(2);
const { code, out, error } = answer(state, args, args.includes('--body-file') ? fs.readFileSync(0, 'utf8') : '');
fs.writeFileSync(store, JSON.stringify(state));
if (out !== undefined) process.stdout.write(out + '\\n');
if (error !== undefined) process.stderr.write(error + '\\n');
process.exitCode = code;
`;
  writeFileSync(join(folder, 'bin', 'gh'), program);
  chmodSync(join(folder, 'bin', 'gh'), 0o755);
  vi.stubEnv('PATH', `${join(folder, 'bin')}${delimiter}${process.env.PATH ?? ''}`);
  return { state: () => JSON.parse(readFileSync(store, 'utf8')) as GhState };
}
