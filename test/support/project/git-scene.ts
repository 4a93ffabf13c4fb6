import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { createHome, type Home, homeAt } from '../../../src/engine/home/layout.ts';
import type { RunGit } from '../../../src/engine/run/git/commit-progress.ts';
import type { RunGitPorts } from '../../../src/engine/run/git/record.ts';
import { openRunGit, type RunGitOptions } from '../../../src/engine/run/git/run-git.ts';
import { addOrigin, initCommitted } from '../repository.ts';
import { write } from './project-scene.ts';

export const LOOP = '20260101-000000-abc123';
export const BRANCH = `untildone/build-it-${LOOP}`;

export interface GitScene {
  folder: string;
  project: string;
  home: Home;
  open(options?: Partial<RunGitOptions>, world?: Partial<RunGitPorts>): Promise<RunGit>;
}

/** A repository with one commit, a person with a name, and nothing of the machine's own git settings. */
export function gitScene(): GitScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-git-flow-')));
  const project = join(folder, 'project');
  const home = homeAt(join(folder, 'untildone-home'));
  const personal = join(folder, 'person');
  mkdirSync(project);
  mkdirSync(personal);
  vi.stubEnv('HOME', personal);
  vi.stubEnv('XDG_CONFIG_HOME', join(personal, 'config'));
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(personal, '.gitconfig'), '[user]\n\tname = A Person\n\temail = person@example.com\n');
  createHome(home);
  initCommitted(project);
  return {
    folder,
    project,
    home,
    open: (options, world) =>
      openRunGit({ mode: 'branch', merge: false, loop: LOOP, task: 'Build it', ...options }, project, {
        home,
        env: process.env,
        ...world,
      }),
  };
}

export const passes = (gate: string, more: Partial<Verdict> = {}): Verdict => ({
  gate,
  kind: 'run',
  class: 'measured',
  outcome: 'pass',
  summary: 'exit code 0',
  ...more,
});

export const fails = (gate: string, more: Partial<Verdict> = {}): Verdict =>
  passes(gate, { outcome: 'fail', summary: 'exit code 1', ...more });

/** git without any identity of ours: as the repository and the person's settings have it. */
export function plainGit(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

export function hook(project: string, name: string, script: string): void {
  write(project, join('.git', 'hooks', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(project, '.git', 'hooks', name), 0o755);
}

/** Every file and folder below, with its bytes and its time of change; `.git` apart from the index and HEAD left out. */
export function snapshot(project: string): Record<string, string> {
  const all: Record<string, string> = {};
  const note = (path: string) => {
    const stat = lstatSync(join(project, path));
    const bytes = stat.isFile() ? readFileSync(join(project, path)) : '';
    all[path] = `${stat.mode} ${stat.mtimeMs} ${createHash('sha256').update(bytes).digest('hex')}`;
    return stat;
  };
  const visit = (path: string) => {
    for (const name of readdirSync(join(project, path)).sort()) {
      if (name !== '.git' && note(join(path, name)).isDirectory()) visit(join(path, name));
    }
  };
  visit('');
  for (const name of ['index', 'HEAD']) note(join('.git', name));
  return all;
}

interface GhAnswer {
  /** The first words of the call. */
  to: string;
  stdout?: string;
  stderr?: string;
  exit?: number;
  /** Only so often; then the next one that fits answers. */
  times?: number;
  /** A call of git that it makes itself, as gh does when it has found out which repository is meant. */
  git?: string[];
}

export interface GhCall {
  args: string[];
  stdin: string;
}

/** A program named gh, found first on PATH: it writes down how it was called and answers as told. */
export function fakeGh(folder: string, answers: GhAnswer[]): () => GhCall[] {
  const bin = join(folder, 'bin');
  const log = join(folder, 'gh-calls.jsonl');
  mkdirSync(bin, { recursive: true });
  appendFileSync(log, '');
  writeFileSync(
    join(bin, 'gh'),
    `#!${process.execPath}
const fs = require('node:fs');
const args = process.argv.slice(2);
const calls = () => fs.readFileSync(${JSON.stringify(log)}, 'utf8').split('\\n').filter(Boolean).map((l) => JSON.parse(l));
const stdin = fs.readFileSync(0, 'utf8');
const used = (to) => calls().filter((c) => c.args.join(' ').startsWith(to)).length;
const answers = ${JSON.stringify(answers)};
const line = args.join(' ');
const fits = answers.filter((a) => line.startsWith(a.to));
const seen = fits.length > 0 ? used(fits[0].to) : 0;
let skipped = 0;
const answer = fits.find((a) => { skipped += a.times ?? Infinity; return seen < skipped; }) ?? {};
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, stdin }) + '\\n');
if (answer.git) require('node:child_process').execFileSync('git', answer.git);
fs.writeSync(1, answer.stdout ?? '');
fs.writeSync(2, answer.stderr ?? '');
process.exitCode = answer.exit ?? 0;
`,
  );
  chmodSync(join(bin, 'gh'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
  return () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as GhCall)
      .filter(({ args }) => args[0] !== '--version');
}

/** Only git is on PATH. */
export function withoutGh(folder: string): void {
  const bin = join(folder, 'only-git');
  mkdirSync(bin);
  symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(bin, 'git'));
  vi.stubEnv('PATH', bin);
}

/** A bare repository that the project knows as origin, with its main branch. */
export function origin({ folder, project }: GitScene): string {
  const remote = join(folder, 'origin.git');
  addOrigin(project, remote);
  return remote;
}
