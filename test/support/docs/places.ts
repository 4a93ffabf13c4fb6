/** Where blocks of pages are run: a scratch project with a scratch home, in the state that the page speaks of. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { simpleCommands } from '../../../src/engine/core/shell/words.ts';
import { loadProgram, type Program, runCli, runHook } from '../in-process.ts';
import { ROOT } from './blocks.ts';

const BIN = join(ROOT, 'dist/untildone.cjs');

export interface Place {
  root: string;
  home: string;
  project: string;
  env: Record<string, string>;
}

export interface Printed {
  code: number | null;
  /** Both streams, in the order in which they came. */
  output: string;
}

const SESSION = '5f0c6a52-0d7e-4c39-9d6f-2f1c2b9a7e11';

/** In shell, because nothing starts sooner. */
const FILES: Record<string, string> = {
  'greet.sh': 'echo "Hello $1"\n',
  'test/greet.test.sh': [
    'said=$(sh greet.sh Ann)',
    'test "$said" = "Hello Ann!" && exit 0',
    'echo "expected: Hello Ann!, found: $said"',
    'exit 1',
    '',
  ].join('\n'),
};

const TEST = 'sh test/greet.test.sh';
const CONTRACT = `gates:
  tests:  { run: ${TEST}, timeout: 2m }
  intact: { tests_intact: true }
limits: { iterations: 20, duration: 4h }
`;

/** The states that a page can ask for: \`sh run=loop\`. Each is made of what you would type. */
const PLACES: Record<string, (place: Place) => Promise<void>> = {
  /** A git repository with a failing test; nothing of untildone. */
  project: async () => {},
  /** With a contract, trusted, and the hooks installed. */
  ready: makeReady,
  /** A session with a loop, which was held once. */
  loop: async (place) => {
    await makeReady(place);
    await startLoop(place);
    await stop(place, 'The greeting is done.');
  },
  /** The same, and the work was done then. */
  done: async (place) => {
    await makeReady(place);
    await startLoop(place);
    await stop(place, 'The greeting is done.');
    write(place, 'greet.sh', 'echo "Hello $1!"\n');
    await stop(place, 'Now it is.');
  },
  /** Two sessions with a loop each. */
  'two-loops': async (place) => {
    await makeReady(place);
    await startLoop(place);
    await must(
      place,
      'untildone start --session 2d9e7f04-7f0e-4f0b-8f57-6a1d3c5e8b20 "Greet in French, too"',
    );
  },
  /** A loop, but the hooks were taken out of the settings. */
  unhooked: async (place) => {
    await makeReady(place);
    await startLoop(place);
    await must(place, 'untildone uninstall');
  },
  /** A loop, and a setting that switches all hooks off. */
  disabled: async (place) => {
    await makeReady(place);
    await startLoop(place);
    write(place, '.claude/settings.local.json', '{ "disableAllHooks": true }\n');
  },
  /** The contract was changed after it was trusted. */
  untrusted: async (place) => {
    await makeReady(place);
    write(place, 'untildone.yaml', CONTRACT.replace(TEST, 'sh -e test/greet.test.sh'));
  },
  /** A gate that takes longer than its time limit. */
  unproven: async (place) => {
    await makeReady(place, 'gates:\n  tests: { run: sleep 30, timeout: 1s }\n');
  },
};

export const PLACE_NAMES = Object.keys(PLACES);

export async function openPlace(name: string): Promise<Place> {
  const prepare = PLACES[name];
  if (!prepare) throw new Error(`no place "${name}"; there are ${PLACE_NAMES.join(', ')}`);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone a page-')));
  const [home, project, bin] = ['home', 'greeting', 'bin'].map((folder) => join(root, folder)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, project, bin]) mkdirSync(folder);
  putOnPath(bin);
  const place = { root, home, project, env: environment(home, bin) };
  for (const [file, text] of Object.entries(FILES)) write(place, file, text);
  await must(place, 'git init -q -b main && git add -A && git commit -q -m "A greeting"');
  await prepare(place);
  return place;
}

export function closePlace({ root }: Place): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

function environment(home: string, bin: string): Record<string, string> {
  const author = { GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.com' };
  return {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ...author,
    ...committer,
  };
}

/** `untildone` and `npx untildone`, as they are after an installation. */
function putOnPath(bin: string): void {
  const program = `"${process.execPath}" "${BIN}"`;
  const scripts = {
    untildone: `exec ${program} "$@"`,
    npx: `[ "$1" = --yes ] && shift\n[ "$1" = untildone ] && shift && exec ${program} "$@"\necho "npx $1: not here" >&2; exit 127`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

function write({ project }: Place, file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
}

async function makeReady(place: Place, contract = CONTRACT): Promise<void> {
  write(place, 'untildone.yaml', contract);
  const shown = await must(place, 'untildone trust --show');
  const [, fingerprint = ''] = /Fingerprint: (\w+)/.exec(shown) ?? [];
  await must(place, `untildone trust --fingerprint ${fingerprint}`);
  await must(place, 'untildone install');
  await must(place, 'git add -A && git commit -q -m "A contract"');
}

const startLoop = (place: Place) =>
  must(place, `untildone start --session ${SESSION} "End greetings with an exclamation mark"`);

/** What Claude Code tells the hook at a Stop. */
async function stop(place: Place, message: string): Promise<void> {
  const event = {
    hook_event_name: 'Stop',
    session_id: SESSION,
    cwd: place.project,
    last_assistant_message: message,
  };
  await must(place, 'untildone hook', JSON.stringify(event));
}

async function must(place: Place, line: string, input = ''): Promise<string> {
  const { code, output } = await type(place, line, input);
  if (code !== 0) throw new Error(`${line}: exit ${code}\n${output}`);
  return output;
}

/** Types one line into a shell that stands in the project. A plain call of untildone is one in this process. */
export async function type(place: Place, line: string, input = ''): Promise<Printed> {
  const args = plainCall(line);
  return args ? inThisProcess(place, args, input) : inShell(place, line, input);
}

let program: Promise<Program> | undefined;

async function inThisProcess({ project, env }: Place, args: string[], input: string): Promise<Printed> {
  program ??= loadProgram();
  const command = { line: '', cwd: project, env, input, limitMs: 0 };
  const ran =
    args[0] === 'hook'
      ? await runHook(await program, command)
      : await runCli(await program, args, command, BIN);
  return { code: ran.exitCode ?? null, output: `${ran.stdout}${ran.stderr}` };
}

/** The words behind `untildone`, where the line is nothing but that. */
function plainCall(line: string): string[] | undefined {
  const [command, more] = simpleCommands(line);
  if (!command || more || command.assigns || command.writes.length > 0 || /[$~*`]/.test(line))
    return undefined;
  const [first, ...rest] = command.words;
  const words = first === 'npx' ? rest.filter((word) => word !== '--yes') : [first, ...rest];
  return words[0] === 'untildone' ? (words.slice(1) as string[]) : undefined;
}

function inShell({ project, env }: Place, line: string, input: string): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', line], { cwd: project, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
