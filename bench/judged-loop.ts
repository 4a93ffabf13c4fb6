import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI, HOOK, type HookScene, rewinder, run } from './hook-scene.ts';

/** A loop with measured gates. Unless it may end, a promise that is never kept holds it: every Stop is judged and blocked. */
export interface JudgedLoop {
  project: string;
  write(files: Readonly<Record<string, string>>): void;
  /** How many milliseconds a Stop takes whose answer holds these words. */
  stop(expected: string): number;
  /** Begins another loop, in another session, on what there is now. */
  restart(): void;
}

export interface Judged {
  contract: string;
  files?: Readonly<Record<string, string>>;
  /** Clean rooms need a repository. */
  git?: boolean;
  mayEnd?: boolean;
}

export function judgedLoop(
  scene: HookScene,
  name: string,
  { contract, files = {}, git = false, mayEnd = false }: Judged,
): JudgedLoop {
  const project = join(scene.root, name);
  let session = randomUUID();
  const environment = () => ({ ...scene.environment(session), CLAUDE_PROJECT_DIR: project });
  const write = (texts: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
  };
  const call = (command: string, args: string[]) =>
    run(command, args, { cwd: project, env: environment(), encoding: 'utf8' });
  write({ ...files, 'untildone.yaml': contract });
  if (git) {
    call('git', ['init', '--quiet']);
    call('git', ['add', '--all']);
    call('git', [
      '-c',
      'user.name=bench',
      '-c',
      'user.email=bench@localhost',
      'commit',
      '--quiet',
      '--message',
      'start',
    ]);
  }
  const cli = (...args: string[]) => call(scene.node, [CLI, ...args]);
  const fingerprint = /Fingerprint: (\w+)/.exec(cli('trust', '--show').stdout)?.[1] ?? '';
  cli('trust', '--fingerprint', fingerprint);
  const limits = ['--max-iterations', 'unlimited', '--max-duration', 'unlimited'];
  const start = () => {
    session = randomUUID();
    cli('start', 'task', ...(mayEnd ? [] : ['--promise', 'NEVER']), ...limits);
    // Too little is done here: without this the loop would be taken for stalled.
    return rewinder(session, scene.untildoneHome);
  };
  let rewind = start();
  let stops = 0;
  return {
    project,
    write,
    restart: () => {
      rewind = start();
    },
    stop(expected) {
      const event = {
        hook_event_name: 'Stop',
        session_id: session,
        cwd: project,
        last_assistant_message: `part ${++stops}`,
      };
      const { took, stdout } = run(scene.node, HOOK, {
        cwd: project,
        env: environment(),
        input: JSON.stringify(event),
        encoding: 'utf8',
      });
      if (!stdout.includes(expected)) throw new Error(`the gates did not say "${expected}": ${stdout}`);
      rewind();
      return took;
    },
  };
}
