import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { layoutFor, layoutNames } from '../../../src/dev/conformance/layouts.ts';
import type { Ran } from '../../../src/dev/conformance/run-command.ts';
import type { Format } from '../../../src/dev/conformance/scenario.ts';
import { TOOL_EVENTS } from '../../../src/engine/hook/wiring/detect-foreign-state.ts';
import { temporaryFolder } from '../files/workers.ts';
import { loadProgram, runCli, runHook, runToolHook } from '../in-process.ts';
import { steady } from './steady.ts';

/** A project and a home in which golden files are recorded: hooks and commands are calls in this process. */
export interface GoldenScene {
  readonly project: string;
  readonly home: string;
  readonly env: Record<string, string>;
  write(path: string, text: string): void;
  /** Lays out the state of a foreign format, as its own commands would, for the session of the scene. */
  layOut(format: Format, promise?: string): void;
  /** What a hook answers, in words: the event, stdin's fields, stdout, stderr, the exit code. */
  hook(event: Readonly<Record<string, unknown>>): Promise<string>;
  /** What a command prints, and how it ends. */
  command(...args: string[]): Promise<Ran>;
  /** What a command prints that must succeed. */
  done(...args: string[]): Promise<string>;
  trust(): Promise<void>;
  /** The lines of all journals as they are, the oldest loop first. */
  journals(): string[];
  /** The files of foreign formats, each with its text. */
  foreignFiles(): string;
  steady(text: string): string;
}

export const SESSION = '11111111-1111-4111-8111-111111111111';

export async function goldenScene(): Promise<GoldenScene> {
  const program = await loadProgram();
  const folder = realpathSync(temporaryFolder());
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  mkdirSync(project);
  mkdirSync(home);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TZ: 'UTC',
    CLAUDE_PROJECT_DIR: project,
    GIT_CONFIG_NOSYSTEM: '1',
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
    NO_COLOR: '1',
  };
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: project, env });
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
  execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'Begin'], { cwd: project, env });
  const at = (path: string) =>
    join(path.startsWith('home/') ? folder : project, path.replace(/^project\//, ''));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const given = (input: string) => ({ line: '', env, cwd: project, input, limitMs: 0 });
  const command = (...args: string[]) => runCli(program, args, given(''));
  const done = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await command(...args);
    if (exitCode !== 0) throw new Error(`untildone ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
    return stdout;
  };
  const asSteady = (text: string) => steady(text, { project, home });
  return {
    project,
    home,
    env,
    write,
    command,
    done,
    steady: asSteady,
    layOut(format, promise) {
      const loop = { session: 'S1', iteration: 1, maxIterations: 5, promise, task: 'Build the thing' };
      const { layOut } = layoutFor(format, layoutNames(format));
      const filled = (text: string) =>
        text.replaceAll('{S1}', SESSION).replaceAll('{now}', new Date().toISOString());
      for (const [path, text] of Object.entries(layOut(loop))) write(filled(path), filled(text));
    },
    async hook(event) {
      const whole = { session_id: SESSION, cwd: project, ...event };
      const hookEnv = { ...env, CLAUDE_CODE_SESSION_ID: SESSION };
      const run = TOOL_EVENTS.has(String(event.hook_event_name)) ? runToolHook : runHook;
      const ran = await run(program, { ...given(JSON.stringify(whole)), env: hookEnv });
      const { hook_event_name: name, ...fields } = event;
      const said = [
        `${name} ${JSON.stringify(fields)}`,
        ...inLines('stdout', ran.stdout),
        ...inLines('stderr', ran.stderr),
        ...(ran.exitCode === 0 ? [] : [`  exit ${ran.exitCode}`]),
      ];
      return asSteady(said.length === 1 ? `${said[0]}\n  nothing` : said.join('\n'));
    },
    async trust() {
      const fingerprint = /^Fingerprint: (\S+)$/m.exec(await done('trust', '--show'))?.[1] ?? '';
      await done('trust', '--fingerprint', fingerprint);
    },
    journals: () => journalLines(join(home, '.untildone/projects')),
    foreignFiles: () =>
      [join(project, '.claude'), join(home, '.ralph')]
        .flatMap(filesBelow)
        .map((path) => `${path}\n${readFileSync(path, 'utf8').replace(/^(?=.)/gm, '  ')}`)
        .join('\n'),
  };
}

/** JSON is laid out in lines, so that a difference is short. */
function inLines(name: string, text: string): string[] {
  if (text === '') return [];
  const laidOut = text.startsWith('{') ? JSON.stringify(JSON.parse(text), null, 2) : text.trimEnd();
  return [`  ${name}`, ...laidOut.split('\n').map((line) => `    ${line}`)];
}

function journalLines(projects: string): string[] {
  const journals = filesBelow(projects).filter((path) => path.endsWith('/journal.jsonl'));
  const texts = journals.map((path) => readFileSync(path, 'utf8').trimEnd());
  const beginOf = (text: string) => /"at":"([^"]+)"/.exec(text)?.[1] ?? '';
  return texts.sort((a, b) => (beginOf(a) < beginOf(b) ? -1 : 1)).flatMap((text) => text.split('\n'));
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile()).sort();
}
