import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimFiles } from '../../src/adapters/claims.ts';
import { homeAt, layOut, realPath } from '../../src/adapters/home.ts';
import { setStanding } from '../../src/adapters/standing.ts';
import { type ImportOptions, type ImportResult, importFrom, undoImport } from '../../src/commands/import.ts';
import * as judgeBundle from '../../src/commands/judges.ts';
import { openPorts } from '../../src/commands/ports.ts';
import { UsageError } from '../../src/commands/usage-error.ts';
import type { World } from '../../src/commands/world.ts';
import { addHooks } from '../../src/wire/claude-settings.ts';
import { parseContract } from '../../src/wire/contract.ts';
import { git } from '../adapters/support/project-scene.ts';
import { temporaryFolder } from '../adapters/workers.ts';
import { contractWith, frozenWith, run } from '../app/support/judging.ts';

let folder: string;
let world: World;
let lines: string[];
let questions: string[];
/** What the person answers, by what the question holds; everything else is a yes. */
let answers: Record<string, boolean>;

beforeEach(() => {
  folder = realPath(temporaryFolder());
  const home = homeAt(join(folder, 'untildone'));
  layOut(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_PROJECT_DIR: project };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  lines = [];
  questions = [];
  answers = {};
});

const path = (name: string) => join(world.project, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const write = (name: string, text: string) => {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
};
const said = () => lines.join('\n');

const io = {
  out: (line: string) => void lines.push(line),
  ask: async (question: string) => {
    questions.push(question);
    const known = Object.keys(answers).find((words) => question.includes(words));
    return known === undefined ? true : (answers[known] ?? true);
  },
};

function imported(from: ImportOptions['from'], more: Partial<ImportOptions> = {}): Promise<ImportResult> {
  lines = [];
  const options = { dryRun: false, yes: false, keepHooks: false, terminal: true, ...more };
  return importFrom({ ...options, ...(from ? { from } : {}) }, world, io);
}

const undo = (terminal = true) => {
  lines = [];
  return undoImport(terminal, world, io);
};

/** Everything below a folder, with its bytes. */
function snapshot(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const stat = lstatSync(join(root, name));
      if (stat.isSymbolicLink()) return [[name, `-> ${readlinkSync(join(root, name))}`]];
      return stat.isFile()
        ? [[name, `${stat.mode.toString(8)} ${readFileSync(join(root, name), 'latin1')}`]]
        : [];
    }),
  );
}

function contract() {
  const result = parseContract(read('untildone.yaml'), 'untildone.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.contract;
}

const command = (line: string, more: object = {}) => ({
  matcher: '',
  hooks: [{ type: 'command', command: line, ...more }],
});
const HOOKS = {
  Stop: [command('npm run lint && npm test', { timeout: 120 }), command('say done')],
  SubagentStop: [command('python3 .claude/hooks/validate_chunk.py')],
  SessionStart: [command('cat docs/plans/*/MEMORY.md 2>/dev/null | head -100'), command('npm ci')],
  PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'prettier --write .' }] }],
};
const SETTINGS = `${JSON.stringify({ model: 'opus', hooks: HOOKS }, null, 2)}\n`;
const PROJECT_SETTINGS = '.claude/settings.json';

describe('hooks of the settings', () => {
  beforeEach(() => write(PROJECT_SETTINGS, SETTINGS));

  test('become a contract, and go, when the person agrees to both', async () => {
    expect(await imported('harness')).toEqual({ exitCode: 0, contractWritten: true });
    expect(questions).toEqual([
      'Write this to untildone.yaml?',
      'Remove the 3 old hooks from .claude/settings.json?',
    ]);
    expect(contract()).toMatchObject({
      gates: {
        checks: { kind: 'run', options: { command: 'npm run lint && npm test' }, timeoutMs: 120_000 },
        validate_chunk: { kind: 'hook', onUnproven: 'allow' },
      },
      done: ['checks'],
      everyStop: { gates: ['checks'], blocks: 2 },
      subagent: { '*': ['validate_chunk'] },
      memory: { files: ['docs/plans/*/MEMORY.md'], lines: 100, update: false },
    });
    expect(JSON.parse(read(PROJECT_SETTINGS))).toEqual({
      model: 'opus',
      hooks: {
        Stop: [HOOKS.Stop[1]],
        SessionStart: [HOOKS.SessionStart[1]],
        PostToolUse: HOOKS.PostToolUse,
      },
    });
    expect(said()).toContain('Stop in .claude/settings.json: say done\n    -> stays: it tells somebody');
    expect(said()).toContain('PostToolUse is not judged by untildone');
    expect(said()).toContain('are not installed yet: untildone install');
  });

  test('are shown with what would change, and nothing is written, by a dry run', async () => {
    const before = snapshot(folder);
    expect(await imported('harness', { dryRun: true, terminal: false })).toEqual({ exitCode: 0 });
    expect(said()).toContain('+  checks: { run: npm run lint && npm test, timeout: 2m }');
    expect(said()).toMatch(/-\s+"command": "npm run lint && npm test"/);
    expect(questions).toEqual([]);
    expect(snapshot(folder)).toEqual(before);
  });

  test('stay untouched when the person declines', async () => {
    const before = snapshot(folder);
    answers = { 'Write this': false };
    expect(await imported('harness')).toEqual({ exitCode: 0 });
    expect(snapshot(folder)).toEqual(before);
    expect(lines.at(-1)).toBe('Nothing was written.');
  });

  test('stay in the settings when the person wants only the contract', async () => {
    answers = { Remove: false };
    await imported('harness');
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
    expect(said()).toContain('The old hooks in .claude/settings.json still run beside the gates.');
    expect(existsSync(path('untildone.yaml'))).toBe(true);
    await undo();
    await imported('harness', { keepHooks: true });
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
    expect(said()).not.toContain('+++ .claude/settings.json');
  });

  test('are not written without a terminal, unless that is said', async () => {
    const before = snapshot(folder);
    expect(await imported('harness', { terminal: false })).toEqual({ exitCode: 2 });
    expect(lines.at(-1)).toContain('untildone import --from harness --yes');
    expect(snapshot(folder)).toEqual(before);
    expect(await imported('harness', { terminal: false, yes: true })).toMatchObject({ exitCode: 0 });
    expect(read(PROJECT_SETTINGS)).not.toContain('npm run lint');
    expect(questions).toEqual([]);
  });

  test('come back byte for byte, and the contract goes', async () => {
    const before = snapshot(world.project);
    await imported('harness');
    expect(await undo()).toBe(0);
    expect(lines).toEqual([
      `Put back: ${path(PROJECT_SETTINGS)}`,
      `Removed: ${path('untildone.yaml')}, which the import had made`,
    ]);
    expect(snapshot(world.project)).toEqual(before);
    await expect(undo()).rejects.toThrow(UsageError);
  });

  test('come back into a contract that was there, too', async () => {
    write('untildone.yaml', '# mine\ngates:\n  tests:   { run: make test }   # slow\ndone: [tests]\n');
    const before = snapshot(world.project);
    await imported('harness');
    expect(read('untildone.yaml')).toContain(
      '# mine\ngates:\n  tests:   { run: make test }   # slow\n  checks: ',
    );
    expect(contract().done).toEqual(['tests']);
    await undo();
    expect(snapshot(world.project)).toEqual(before);
  });

  test('what was changed since is left as it is, and the rest comes back if the person wants that', async () => {
    await imported('harness');
    write('untildone.yaml', 'gates: { mine: { run: x } }\n');
    expect(await undo(false)).toBe(2);
    expect(read(PROJECT_SETTINGS)).not.toBe(SETTINGS);
    expect(await undo()).toBe(0);
    expect(said()).toContain('untildone.yaml was changed since the import (there was none before)');
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
    expect(read('untildone.yaml')).toContain('mine');
  });

  test('imported twice are gates once', async () => {
    answers = { Remove: false };
    await imported('harness');
    const first = read('untildone.yaml');
    answers = {};
    await imported('harness');
    expect(read('untildone.yaml')).toBe(first);
    expect(said()).toContain('untildone.yaml had all of it already.');
    expect(read(PROJECT_SETTINGS)).not.toContain('npm run lint');
  });

  test('beside ours are told from ours', async () => {
    write(PROJECT_SETTINGS, addHooks(SETTINGS).text);
    await imported('harness');
    const left = JSON.parse(read(PROJECT_SETTINGS));
    expect(JSON.stringify(left)).not.toContain('validate_chunk');
    expect(addHooks(read(PROJECT_SETTINGS)).changed).toBe(false);
    expect(said()).not.toContain('not installed yet');
  });

  test('of the user go only when the person says so by name', async () => {
    const user = join(folder, '.claude', 'settings.json');
    mkdirSync(dirname(user), { recursive: true });
    writeFileSync(user, JSON.stringify({ hooks: { Stop: [command('pytest')] } }));
    await imported('harness', { yes: true, terminal: false });
    expect(contract().everyStop?.gates).toEqual(['checks', 'tests']);
    expect(readFileSync(user, 'utf8')).toContain('pytest');
    expect(said()).toContain('it guards all your projects');
    await imported('harness');
    expect(questions.at(-1)).toContain('They guard all your projects, not only this one.');
    expect(JSON.parse(readFileSync(user, 'utf8'))).toEqual({});
  });

  test('in a file with a mistake are left alone, and the mistake is named', async () => {
    write('.claude/settings.local.json', '{ // mine\n}');
    await imported('harness');
    expect(said()).toMatch(/Not read: .*settings\.local\.json:1:3: not JSON: a comment/);
    expect(contract().gates).toHaveProperty('checks');
  });

  test('are not merged into a contract with a mistake', async () => {
    write('untildone.yaml', 'gates: { a: { runn: x } }\n');
    await expect(imported('harness')).rejects.toThrow(UsageError);
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
  });

  test('show no keys of the settings', async () => {
    write(PROJECT_SETTINGS, JSON.stringify({ env: { API_KEY: 'secret-value' }, hooks: HOOKS }, null, 2));
    await imported('harness');
    expect(said()).not.toContain('secret-value');
    expect(read(PROJECT_SETTINGS)).toContain('secret-value');
  });
});

test('where there are no hooks, that is said', async () => {
  expect(await imported('harness')).toEqual({ exitCode: 0 });
  expect(said()).toBe('No hooks were found that could be imported.');
  write(PROJECT_SETTINGS, JSON.stringify({ hooks: { Stop: [command('say done')] } }));
  expect(await imported('harness')).toEqual({ exitCode: 0 });
  expect(lines.at(-1)).toBe('Nothing of this can be imported.');
  expect(existsSync(path('untildone.yaml'))).toBe(false);
});

test('after going back, an approval that still counts is named', async () => {
  write(PROJECT_SETTINGS, SETTINGS);
  await imported('harness');
  const standing = contractWith({ a: run() }, { everyStop: { gates: ['a'], blocks: 2 } });
  setStanding(world.home, world.project, frozenWith(standing, { project: world.project }));
  await undo();
  expect(lines.at(-1)).toContain('untildone trust --revoke');
});

const RALPH = '.claude/ralph-loop.local.md';
const ralph = (session: string, more = '') =>
  `---\nactive: true\niteration: 4\nsession_id: ${session}\nmax_iterations: 20\ncompletion_promise: "ALL DONE"\nstarted_at: "2026-01-01T00:00:00Z"\n${more}---\n\nBuild the shop.\n`;
const loopOf = (session: string) => {
  const ref = world.store.loopOfSession(session);
  if (!ref) throw new Error('there is no loop');
  return { ref, state: world.store.read(ref) };
};

describe('a ralph loop', () => {
  test('goes on as a loop of our own, with its task, its promise and its count', async () => {
    write(RALPH, ralph('s1'));
    expect(await imported('ralph-loop')).toEqual({ exitCode: 0, contractWritten: true });
    expect(contract()).toMatchObject({
      task: 'Build the shop.',
      gates: { promised: { kind: 'promise', options: { text: 'ALL DONE' } } },
      limits: { iterations: 20 },
    });
    const { ref, state } = loopOf('s1');
    expect(state).toMatchObject({ status: 'active', iteration: 4, maxIterations: 20, dialect: 'native' });
    expect(world.store.task(ref)).toBe('Build the shop.');
    expect(existsSync(path(RALPH))).toBe(false);
    expect(world.store.isMarked('s1')).toBe(true);
  });

  test('comes back with every byte, and its loop is cancelled', async () => {
    write(RALPH, ralph('s1', 'unknown: kept\r\n'));
    const before = snapshot(world.project);
    await imported('ralph-loop');
    expect(await undo()).toBe(0);
    expect(snapshot(world.project)).toEqual(before);
    expect(loopOf('s1').state.status).toBe('cancelled');
    expect(said()).toContain('holds a session again from its next stop on');
  });

  test('that was taken over already goes on where that loop is, which ends', async () => {
    write(RALPH, ralph('s1'));
    const old = world.store.layDown({
      ...{ loop: 'old', session: 's1', project: world.project, dialect: 'ralph-loop', task: 'x' },
      contract: frozenWith(contractWith({}), { project: world.project }),
      transcriptOffset: 0,
    });
    world.store.append(old, () => ({ kind: 'synced', iteration: 9 }));
    claimFiles(world.home).change(path(RALPH), () => ({
      ...{ v: 1, dialect: 'ralph-loop', path: path(RALPH), identity: 'x' },
      session: 's1',
      loopDir: old.dir,
    }));
    await imported('ralph-loop');
    expect(world.store.read(old)).toMatchObject({ status: 'cancelled', ending: { cause: 'state_replaced' } });
    expect(loopOf('s1').state.iteration).toBe(9);
  });

  test('of nobody becomes a contract, and stays where it is', async () => {
    write(RALPH, ralph(''));
    expect(await imported('ralph-loop')).toMatchObject({ exitCode: 0 });
    expect(existsSync(path(RALPH))).toBe(true);
    expect(said()).toContain('untildone import --from ralph-loop --session ID');
    expect(contract().task).toBe('Build the shop.');
    await undo();
    await imported('ralph-loop', { session: 's7' });
    expect(loopOf('s7').state.iteration).toBe(4);
    expect(existsSync(path(RALPH))).toBe(false);
  });

  test('keeps the promise that a contract has already', async () => {
    write('untildone.yaml', 'gates: { p: { promise: MINE } }\n');
    write(RALPH, ralph('s1'));
    await imported('ralph-loop');
    expect(contract().gates).toEqual({ p: { kind: 'promise', options: { text: 'MINE' } } });
    expect(said()).toContain('that one counts, not "ALL DONE"');
  });

  test('is left where it is when no loop can be started', async () => {
    write(RALPH, ralph('s1'));
    await imported('ralph-loop');
    write(RALPH, ralph('s1'));
    await expect(imported('ralph-loop')).rejects.toThrow(/already has a living loop/);
    expect(existsSync(path(RALPH))).toBe(true);
  });

  test.each([
    ['none', undefined, /there is no state/],
    ['one that cannot be read', 'no front matter', /no front matter/],
  ])('%s is refused', async (_, text, why) => {
    if (text !== undefined) write(RALPH, text);
    await expect(imported('ralph-loop')).rejects.toThrow(why);
    expect(existsSync(path('untildone.yaml'))).toBe(false);
  });
});

describe('a feature list', () => {
  const LOOPS = '.claude/data/ralph-loops';
  const list = (name: string) => {
    const features = [{ id: 1, description: 'cart', steps: ['add'], passes: false }];
    write(`${LOOPS}/${name}/feature_list.json`, JSON.stringify({ total_features: 1, features }));
    write(`${LOOPS}/${name}/progress.txt`, 'Max Iterations: 12\nIteration: 3\nStatus: IN_PROGRESS\n');
    write(`${LOOPS}/${name}/RALPH_PROMPT.md`, '# Build the shop\n');
  };

  beforeEach(() => {
    git(world.project, 'init', '--quiet', '--initial-branch=main');
  });

  test('becomes a gate; the link to it is put aside', async () => {
    list('shop');
    symlinkSync('shop', path(`${LOOPS}/current`));
    const before = snapshot(path(LOOPS));
    expect(await imported('feature-list', { session: 's1' })).toMatchObject({ exitCode: 0 });
    expect(contract()).toMatchObject({
      gates: { features: { kind: 'features', options: { file: `${LOOPS}/shop/feature_list.json` } } },
      limits: { iterations: 12 },
    });
    expect(loopOf('s1').state).toMatchObject({ status: 'active', iteration: 3, maxIterations: 12 });
    expect(existsSync(path(`${LOOPS}/current`))).toBe(false);
    await undo();
    expect(snapshot(path(LOOPS))).toEqual(before);
  });

  test('in a folder of its own is put aside with it', async () => {
    list('current');
    await imported('feature-list', { session: 's1' });
    expect(contract().gates.features).toMatchObject({
      options: { file: `${LOOPS}/current.imported/feature_list.json` },
    });
    expect(statSync(path(`${LOOPS}/current.imported/progress.txt`)).isFile()).toBe(true);
    await undo();
    expect(existsSync(path(`${LOOPS}/current/feature_list.json`))).toBe(true);
  });

  test('that names no session changes nothing but the contract', async () => {
    list('shop');
    symlinkSync('shop', path(`${LOOPS}/current`));
    await imported('feature-list');
    expect(existsSync(path(`${LOOPS}/current`))).toBe(true);
    expect(contract().gates).toHaveProperty('features');
  });
});

describe('states that have no gates of their own', () => {
  beforeEach(() => {
    git(world.project, 'init', '--quiet', '--initial-branch=main');
    write('package.json', JSON.stringify({ scripts: { test: 'exit 1' } }));
  });

  test('a lock becomes a task with the gates that fit the project', async () => {
    write('.claude/runtime/locks/.lock_active', 'session_id: s1\n');
    write('.claude/runtime/locks/.lock_goal', 'Finish the shop\n');
    const before = snapshot(path('.claude'));
    expect(await imported('lock')).toMatchObject({ exitCode: 0 });
    expect(contract()).toMatchObject({
      task: 'Finish the shop',
      gates: { tests: { kind: 'run', options: { command: 'npm test' } } },
    });
    expect(readdirSync(path('.claude/runtime/locks'))).toEqual([]);
    expect(loopOf('s1').state).toMatchObject({ status: 'active', maxIterations: 50 });
    await undo();
    expect(snapshot(path('.claude'))).toEqual(before);
  });

  test('the files of VERIFIED_DONE are those of a session', async () => {
    const state = join(folder, '.ralph/state/s1');
    mkdirSync(join(state, 'tasks'), { recursive: true });
    const loop = { task: 'Finish it', iteration: 2, max_iterations: 9, verified_done: false };
    writeFileSync(join(state, 'loop.json'), JSON.stringify(loop));
    writeFileSync(join(state, 'tasks', '1.json'), JSON.stringify({ status: 'pending' }));
    const before = snapshot(state);
    await expect(imported('verified-done')).rejects.toThrow(/--session ID/);
    expect(await imported('verified-done', { session: 's1' })).toMatchObject({ exitCode: 0 });
    expect(contract()).toMatchObject({ task: 'Finish it', gates: { tests: { kind: 'run' } } });
    expect(loopOf('s1').state).toMatchObject({ iteration: 2, maxIterations: 9 });
    expect(snapshot(state)).toEqual({});
    await undo();
    expect(snapshot(state)).toEqual(before);
  });
});

describe('without a name', () => {
  test('what there is is listed, with what to type', async () => {
    write(PROJECT_SETTINGS, SETTINGS);
    write(RALPH, ralph('s1'));
    const before = snapshot(folder);
    expect(await imported(undefined)).toEqual({ exitCode: 0 });
    expect(lines).toEqual([
      'harness: 3 of the hooks in your settings can become gates',
      '  untildone import --from harness --dry-run',
      `ralph-loop: ${path(RALPH)} (Build the shop.)`,
      '  untildone import --from ralph-loop --dry-run',
    ]);
    expect(snapshot(folder)).toEqual(before);
  });

  test('where there is nothing, that is said', async () => {
    await imported(undefined);
    expect(lines).toEqual([`Nothing that could be imported was found in ${world.project}.`]);
  });
});
