import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Workspace } from '../../../src/engine/ports/ports.ts';
import { openWorkspace } from '../../../src/engine/project/trees/workspace.ts';
import { initRepository } from '../repository.ts';

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export interface Scene {
  folder: string;
  project: string;
  shadowDir: string;
  indexFile: string;
  workspace: Workspace;
}

/** A project folder beside a home; a git repository unless said otherwise. */
export function scene({ git: inGit = true, project: at = 'project' } = {}): Scene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-workspace-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, at);
  mkdirSync(project, { recursive: true });
  if (inGit) initRepository(project);
  return { folder, ...opened(folder, project) };
}

export function opened(folder: string, project: string) {
  const options = {
    project,
    shadowDir: join(folder, 'home', 'shadow'),
    indexFile: join(folder, 'home', 'index'),
  };
  return { ...options, workspace: openWorkspace(options) };
}

export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'gc.auto=0'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

export function commit(project: string, message = 'work'): void {
  git(project, 'add', '--all');
  git(project, 'commit', '--quiet', '--allow-empty', '-m', message);
}

/** The tree that git itself makes of the project's folder with a fresh index. */
export function expectedTree(project: string): string {
  return git(project, 'rev-parse', 'HEAD^{tree}');
}

export async function pathsOf(workspace: Workspace, tree: string): Promise<string[]> {
  return (await workspace.changes(EMPTY_TREE, tree)).map((change) => change.path).sort();
}
