/** The hooks and settings with which the person's git would commit and push: what a session may not slip in. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { FlowGit } from './user-git.ts';

export interface GitSetup {
  /** Digest of the hooks. */
  hooks: string;
  /** Digest of the settings that name programs, people or places. */
  settings: string;
}

/** Settings that decide what git runs, in whose name it commits and where it pushes. Upstreams of branches may change. */
const DECIDES =
  /^(?:core\.(?:hookspath|sshcommand|gitproxy|fsmonitor|worktree|bare|attributesfile)|(?:filter|merge|credential|gpg|user|author|committer|commit|push|remote|url|http|include|includeif|protocol|ssh)\.)/;

export async function setupOf(git: FlowGit): Promise<GitSetup> {
  const list = await git.asPerson({ args: ['config', '--list', '-z'] });
  const settings = list.stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => DECIDES.test(entry));
  return { hooks: hooksDigest(await hooksFolder(git)), settings: sha256(settings.join('\0')) };
}

async function hooksFolder(git: FlowGit): Promise<string> {
  const { stdout } = await git.asPerson({ args: ['config', '--type=path', '--get', 'core.hooksPath'] });
  const set = stdout.toString('utf8').trim();
  return set === '' ? join(git.repository.commonDir, 'hooks') : resolve(git.repository.top, set);
}

function hooksDigest(folder: string): string {
  // husky keeps a fixed starter for each hook in `_`; what they run lies one folder above.
  const isHusky = basename(folder) === '_' && basename(dirname(folder)) === '.husky';
  const files = [...filesIn(folder), ...(isHusky ? filesIn(dirname(folder)) : [])];
  return sha256(JSON.stringify(files));
}

function filesIn(folder: string): [string, number, string][] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.flatMap((name): [string, number, string][] => {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || name.endsWith('.sample')) return [];
    return [[name, stat.mode & 0o111, sha256(readSmall(path) ?? '')]];
  });
}

/** What of the setup is as at none of the given times; undefined when all is well. */
export function changedSince(known: readonly GitSetup[], now: GitSetup): 'hooks' | 'settings' | undefined {
  if (!known.some(({ hooks }) => hooks === now.hooks)) return 'hooks';
  return known.some(({ settings }) => settings === now.settings) ? undefined : 'settings';
}
