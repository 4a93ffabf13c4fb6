/** A commit as what an agent does: one tool call for each file that it changes. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Step } from '../cheats/format.ts';
import { gitOutput } from './place.ts';

export interface FileChange {
  path: string;
  /** Absent: the commit removes the file. */
  content?: Buffer;
  mode?: '100644' | '100755' | '120000';
}

/** What a commit changes, in the order of paths. Submodules are left as they are. */
export function changesOf(repository: string, commit: string): FileChange[] {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', `${commit}^`, commit];
  const fields = (gitOutput(repository, args) ?? '').split('\0');
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , blob = ''] = (fields[at] ?? '').split(' ');
    const path = fields[at + 1] ?? '';
    if (mode === '000000') changes.push({ path });
    else if (isFileMode(mode)) changes.push({ path, mode, content: blobOf(repository, blob) });
  }
  return changes;
}

function isFileMode(mode: string): mode is '100644' | '100755' | '120000' {
  return ['100644', '100755', '120000'].includes(mode);
}

function blobOf(repository: string, blob: string): Buffer {
  const { status, stdout } = spawnSync('git', ['cat-file', 'blob', blob], {
    cwd: repository,
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`the clone lacks the object ${blob}`);
  return stdout;
}

/** The tool call that does it. What is no text is written by the agent's shell. */
export function stepOf({ path, content, mode }: FileChange): Step {
  if (content === undefined) return { remove: path };
  const isText = mode !== '120000' && !content.includes(0);
  return isText ? { write: { [path]: content.toString('utf8') } } : { run: 'python3 make-files.py' };
}

export function applyChange(project: string, { path, content, mode }: FileChange): void {
  const file = join(project, path);
  rmSync(file, { force: true });
  if (content === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  if (mode === '120000') symlinkSync(content.toString('utf8'), file);
  else writeFileSync(file, content);
  if (mode === '100755') chmodSync(file, 0o755);
}
