import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { GateContext } from '../../../src/engine/gates/gate.ts';
import type { Workspace } from '../../../src/engine/ports/ports.ts';
import { inPlace } from '../../../src/engine/project/room/in-place.ts';
import { systemShell } from '../../../src/engine/project/shell/shell.ts';
import { openWorkspace } from '../../../src/engine/project/trees/workspace.ts';
import { initRepository } from '../repository.ts';
import { type Given, gateContext } from './context.ts';
import { fakeAgent } from './fake-agent.ts';

export interface JudgedProject {
  /** Everything below is inside. */
  root: string;
  dir: string;
  workspace: Workspace;
  /** Of our own repository of the project. */
  shadowDir: string;
  environment: Record<string, string>;
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  git(...args: string[]): string;
  /** What a gate would be given, with a shell in the project's own environment. */
  context(more?: Given): GateContext;
}

/** A git repository without a commit, removed with the test that made it. */
export async function projectOfTest(): Promise<JudgedProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'untildone-judged-')));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  const [dir, home, shadowDir] = [
    join(root, 'project'),
    join(root, 'home'),
    join(root, 'untildone', 'shadow'),
  ];
  await mkdir(dir);
  await mkdir(home);
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Somebody\n\temail = somebody@localhost\n');
  const environment = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: dir,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  initRepository(dir);
  const indexFile = join(root, 'untildone', 'index');
  const workspace = openWorkspace({ project: dir, shadowDir, indexFile });
  return {
    root,
    dir,
    workspace,
    shadowDir,
    environment,
    git,
    async write(path, text) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    },
    remove: (path) => rm(join(dir, path)),
    context: (more = {}) =>
      gateContext({
        project: dir,
        task: 'Build the todo API.',
        workspace,
        outputDir: join(root, 'output'),
        shell: systemShell(environment),
        place: async () => inPlace(dir, systemShell(environment), environment),
        agent: fakeAgent({ does: 'talks' }),
        ...more,
      }),
  };
}
