/** Measures how long a tree takes to name, against `git status` on the same files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { openWorkspace } from '../src/engine/project/trees/workspace.ts';
import { compareMedians, type Row } from './report.ts';

const ROUNDS = 15;

/** Makes a repository of so many files, measures, and removes it. Both are measured in turn. */
export async function measureTrees(files = 50_000): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-bench-tree-'));
  try {
    const project = join(folder, 'project');
    makeRepository(project, files);
    const workspace = openWorkspace({
      project,
      shadowDir: join(folder, 'home', 'shadow'),
      indexFile: join(folder, 'home', 'index'),
    });
    const first = await timed(() => workspace.tree());
    // Entries as young as the index are read again by git; a second later they are not.
    await setTimeout(1_100);
    await workspace.tree();
    git(project, 'update-index', '--refresh');
    const unchanged: number[] = [];
    const changed: number[] = [];
    const status: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      status.push(await timed(() => git(project, 'status', '--porcelain')));
      unchanged.push(await timed(() => workspace.tree()));
    }
    for (let round = 0; round < ROUNDS; round++) {
      writeFileSync(join(project, 'src', 'd0', 'f0.ts'), `export const round = ${round};\n`);
      status.push(await timed(() => git(project, 'status', '--porcelain')));
      changed.push(await timed(() => workspace.tree()));
    }
    const compared = (name: string) => ({ name: `tree of ${files} files, ${name}`, against: 'git status' });
    return [
      compareMedians([first], status, compared('the very first')),
      compareMedians(unchanged, status, compared('nothing changed')),
      compareMedians(changed, status, compared('one file changed')),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeRepository(project: string, files: number): void {
  const perFolder = 100;
  for (let made = 0; made < files; made++) {
    const folder = join(project, 'src', `d${Math.floor(made / perFolder)}`);
    if (made % perFolder === 0) mkdirSync(folder, { recursive: true });
    const lines = `export const value${made} = ${made};\n`.repeat(10 + (made % 30));
    writeFileSync(join(folder, `f${made % perFolder}.ts`), lines);
  }
  writeFileSync(join(project, '.gitignore'), 'node_modules/\ndist/\n*.log\n');
  git(project, 'init', '--quiet');
  git(project, '-c', 'core.looseCompression=1', 'add', '--all');
  git(
    project,
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@localhost',
    'commit',
    '--quiet',
    '-m',
    'bench',
  );
}

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', ...args], { cwd, stdio: 'pipe' });
}

async function timed(body: () => unknown): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}
