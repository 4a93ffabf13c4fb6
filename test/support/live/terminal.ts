/** The real client in a terminal, as a person sits before it: some events come only there. */
import { spawn, spawnSync } from 'node:child_process';
import type { Script } from '../../../src/dev/simulator/script.ts';
import type { SimulatorRequest } from '../../../src/dev/simulator/server.ts';
import { cleanEnvironment, findClaude } from '../../../src/engine/client/sdk/find-client.ts';
import { quoteForShell } from '../../../src/engine/core/shell/words.ts';
import { waitFor } from './processes.ts';
import type { Scene } from './scene.ts';
import { screenOf } from './screen.ts';

export const PTY = 'script';
const [COLUMNS, ROWS] = [120, 40];

/** `script` of util-linux gives a program a real terminal. */
export const hasTerminal =
  spawnSync(PTY, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

export interface TerminalClient {
  /** Waits until a request of the client is the one that is wanted. */
  untilRequest(wanted: (body: string) => boolean, what: string): Promise<SimulatorRequest>;
  requests(): SimulatorRequest[];
  /** Waits until this stands on the screen. */
  untilShown(wanted: RegExp, what: string): Promise<string>;
  /** Types at the prompt. Return is `\r`. */
  type(keys: string): void;
}

/** Ended with its scene, together with everything else that runs there. */
export function inTerminal(
  scene: Scene,
  client: { prompt: string; script: Script; args?: string[]; env?: Record<string, string>; binary?: string },
): TerminalClient {
  const claude = findClaude(undefined, { preferBundled: true });
  if (!claude) throw new Error('no client: install the optional dependencies, or put `claude` on PATH');
  scene.simulator.load('terminal', client.script);
  const { UNTILDONE_HOME = '', TMPDIR = '' } = scene.environment;
  const environment = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor('terminal'),
    extra: { UNTILDONE_HOME, TMPDIR, TERM: 'xterm-256color', ...client.env },
  });
  const words = [
    ...[client.binary ?? claude.path, '--model', 'claude-opus-5-5', '--permission-mode', 'acceptEdits'],
    ...['--allowedTools', 'Bash', ...(client.args ?? []), '--', client.prompt],
  ];
  const command = `stty cols ${COLUMNS} rows ${ROWS}; exec ${words.map(quoteForShell).join(' ')}`;
  const terminal = spawn(PTY, ['-qec', command, '/dev/null'], { cwd: scene.project, env: environment });
  const screen = screenOf(COLUMNS, ROWS);
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => screen.write(text));
  terminal.stderr.resume();
  const requests = () => scene.simulator.requests('terminal').filter(({ kind }) => kind === 'messages');
  return {
    requests,
    untilShown: async (wanted, what) => {
      try {
        return (await waitFor(() => wanted.exec(screen.text())?.[0], undefined, what)) as string;
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${screen.text()}`);
      }
    },
    type: (keys) => {
      terminal.stdin.write(keys);
    },
    untilRequest: (wanted, what) =>
      waitFor(
        () => {
          const found = requests().find(({ body }) => wanted(JSON.stringify(body)));
          if (!found && terminal.exitCode !== null)
            throw new Error(`the client ended before ${what}\n${screen.text()}`);
          return found;
        },
        undefined,
        what,
      ) as Promise<SimulatorRequest>,
  };
}
