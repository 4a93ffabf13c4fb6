import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { foreignFiles } from '../../src/adapters/foreign-files.ts';
import { addStateCommands } from '../../src/commands/cli-state.ts';
import {
  type InitOptions,
  type StateWorld,
  stateComplete,
  stateInit,
  stateSet,
} from '../../src/commands/state.ts';
import { stateShow } from '../../src/commands/state-show.ts';
import { UsageError } from '../../src/commands/usage-error.ts';
import { verifiedDoneDialect } from '../../src/dialects/verified-done/index.ts';
import { makeFifo, temporaryFolder } from '../adapters/workers.ts';
import { T0 } from '../core/samples.ts';

let home: string;
let world: StateWorld;
let lines: string[];
beforeEach(() => {
  home = temporaryFolder();
  lines = [];
  world = { env: { HOME: home }, now: T0, out: (line) => void lines.push(line) };
});

const file = (name: string, session = 's1') => join(home, '.ralph/state', session, `${name}.json`);
const put = (name: string, text: string) => {
  mkdirSync(dirname(file(name)), { recursive: true });
  writeFileSync(file(name), text);
};
const text = (name: string) => readFileSync(file(name), 'utf8');
const content = (name: string) => JSON.parse(text(name)) as Record<string, unknown>;
const init = (options: Partial<InitOptions> = {}) =>
  stateInit('s1', { file: 'loop', task: 'fix it', force: false, ...options }, world);
const set = (name: string, ...words: string[]) => stateSet('s1', name, words, world);
const reading = () =>
  verifiedDoneDialect.read({ session: 's1', folder: home, userHome: home, now: T0 }, foreignFiles);
const held = () => {
  const read = reading();
  return read.kind === 'loop' && read.loop.rest === undefined;
};

describe('init', () => {
  test("lays out a loop in the document's schema, for its owner alone", () => {
    init({ maxIterations: 7 });
    expect(content('loop')).toEqual({
      session_id: 's1',
      task: 'fix it',
      iteration: 1,
      max_iterations: 7,
      validation_result: null,
      last_error: null,
      verified_done: false,
      created_at: '2026-01-01T00:00:00Z',
      last_updated: '2026-01-01T00:00:00Z',
    });
    expect(statSync(file('loop')).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file('loop'))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(file('loop')))).toEqual(['loop.json']);
    expect(held()).toBe(true);
  });

  test('lays out an orchestrator with the nine conditions open', () => {
    init({ file: 'orchestrator', complexity: 8 });
    expect(Object.keys(content('orchestrator'))).toEqual([
      'session_id',
      'task',
      'phase',
      'verified_done',
      'conditions',
      'complexity',
      'iterations',
      'created_at',
      'last_updated',
    ]);
    expect(content('orchestrator').conditions).toEqual({
      memory_search: false,
      task_classified: false,
      must_have_answered: false,
      plan_approved: false,
      implementation_complete: false,
      correctness_passed: null,
      quality_passed: null,
      adversarial_passed: null,
      retrospective_done: false,
    });
    expect(held()).toBe(true);
  });

  test('an unfinished one stays, unless --force', () => {
    init();
    const before = text('loop');
    expect(() => init({ task: 'another' })).toThrow(
      /is not finished; go on with it, or begin anew with --force/,
    );
    expect(text('loop')).toBe(before);
    init({ task: 'another', force: true });
    expect(content('loop').task).toBe('another');
  });

  test('a finished one, and a loop that is out of iterations, make room', () => {
    init();
    stateComplete('s1', 'loop', world);
    init({ task: 'second', maxIterations: 3 });
    set('loop', 'iteration=3');
    init({ task: 'third' });
    expect(content('loop').task).toBe('third');
  });

  test('one that cannot be read stays, unless --force', () => {
    put('loop', '{ torn');
    expect(() => init()).toThrow(/is not JSON .* or begin anew with --force/);
    init({ force: true });
    expect(content('loop').task).toBe('fix it');
  });

  test.each<[Partial<InitOptions>, RegExp]>([
    [{ task: ' ' }, /task is empty; type:/],
    [{ file: 'orchestrator', maxIterations: 3 }, /--max-iterations is for loop/],
    [{ complexity: 3 }, /--complexity is for orchestrator/],
  ])('%j is wrong use', (options, words) => {
    expect(() => init(options)).toThrow(UsageError);
    expect(() => init(options)).toThrow(words);
    expect(existsSync(file('loop'))).toBe(false);
  });

  test('a task of any characters comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (task) => {
        fc.pre(task.trim() !== '');
        init({ task, force: true });
        expect(content('loop').task).toBe(task);
      }),
      { numRuns: 50 },
    );
  });
});

describe('set', () => {
  test('writes flags, numbers and text by dotted keys, and when', () => {
    init({ file: 'orchestrator' });
    world.now = T0 + 60_000;
    set(
      'orchestrator',
      'conditions.plan_approved=true',
      'phase=implementation',
      'iterations=2',
      'note=a=b',
      'x.y.z=-5',
    );
    expect(content('orchestrator')).toMatchObject({
      phase: 'implementation',
      iterations: 2,
      note: 'a=b',
      x: { y: { z: -5 } },
      conditions: { plan_approved: true, memory_search: false },
      created_at: '2026-01-01T00:00:00Z',
      last_updated: '2026-01-01T00:01:00Z',
    });
    expect(lines).toContain('orchestrator.json: conditions.plan_approved = true');
  });

  test('everything else stays byte by byte: unknown keys, their order, large numbers, indentation, mode', () => {
    const before =
      '{\r\n\t"id": 12345678901234567890,\r\n\t"iteration": 1,\r\n\t"mine": {"a": 1.0 },\r\n\t"last_updated": "x"\r\n}';
    put('loop', before);
    set('loop', 'iteration=2');
    expect(text('loop')).toBe(
      before.replace('"iteration": 1', '"iteration": 2').replace('"x"', '"2026-01-01T00:00:00Z"'),
    );
    expect(statSync(file('loop')).mode & 0o777).toBe(0o644);
  });

  test('makes a quality gate and tasks that are not there yet; for the others it names init', () => {
    set(
      'quality-gate',
      'last_result=failed',
      'stages.security.status=failed',
      'stages.security.details=a key is in the code',
    );
    expect(content('quality-gate')).toMatchObject({
      session_id: 's1',
      last_result: 'failed',
      stages: { security: { status: 'failed', details: 'a key is in the code' } },
    });
    set('tasks/3', 'subject=write the docs');
    expect(content('tasks/3')).toMatchObject({ id: '3', status: 'pending', subject: 'write the docs' });
    expect(held()).toBe(true);
    set('tasks/3.json', 'status=completed');
    set('quality-gate.json', 'last_result=passed', 'stages.security.status=passed');
    expect(held()).toBe(false);
    expect(() => set('loop', 'iteration=2')).toThrow(
      /there is no .*loop\.json; type: untildone state init s1 loop/,
    );
    expect(existsSync(file('loop'))).toBe(false);
  });

  test('null on the way makes room', () => {
    put('quality-gate', '{"stages": null}');
    set('quality-gate', 'stages.security.status=pending');
    expect(content('quality-gate').stages).toEqual({ security: { status: 'pending' } });
  });

  test.each([
    ['phase', /sets nothing/],
    ['=x', /sets nothing/],
    ['a..b=1', /is not a key/],
    ['a b=1', /is not a key/],
    ['__proto__.polluted=true', /is not a key/],
    ['conditions.constructor.x=1', /is not a key/],
    ['a.b.c.d.e.f.g.h.i=1', /is not a key/],
    ['verified_done=yes', /verified_done is true, false or null/],
    ['conditions.plan_approved=1', /is true, false or null/],
    ['iterations=many', /is a whole number/],
    ['complexity=-1', /is a whole number/],
    ['complexity=7.5', /is a whole number/],
    ['conditions=true', /conditions is an object; name a key in it/],
    ['task.name=x', /task is a string, so nothing can be set in it/],
  ])('%s is refused, and nothing is written', (word, words) => {
    init({ file: 'orchestrator' });
    const before = text('orchestrator');
    expect(() => set('orchestrator', 'phase=other', word)).toThrow(UsageError);
    expect(() => set('orchestrator', 'phase=other', word)).toThrow(words);
    expect(text('orchestrator')).toBe(before);
    expect({}).not.toHaveProperty('polluted');
  });

  test('nothing to set is wrong use', () => {
    init();
    expect(() => set('loop')).toThrow(/nothing to set; type/);
  });

  test.each(['orchestra', 'tasks/', 'tasks/../loop', 'tasks//x', '../s2/loop', 'tasks/a b', ''])(
    'the file %j is refused',
    (name) => {
      expect(() => set(name, 'status=pending')).toThrow(/is no file of the state; type orchestrator, loop/);
      expect(existsSync(join(home, '.ralph'))).toBe(false);
    },
  );

  test.each([
    ['{ torn', /line 1, column \d+: not JSON/],
    ['[]', /the file is a list/],
    ['{"iteration": 1, "iteration": 2}', /stands twice/],
  ])('a file that is %s is left alone', (broken, words) => {
    put('loop', broken);
    expect(() => set('loop', 'iteration=3')).toThrow(words);
    expect(text('loop')).toBe(broken);
  });

  test('a link, a folder and a pipe are left alone', () => {
    mkdirSync(dirname(file('loop')), { recursive: true });
    const elsewhere = join(home, 'elsewhere.json');
    writeFileSync(elsewhere, '{}');
    symlinkSync(elsewhere, file('loop'));
    expect(() => set('loop', 'iteration=3')).toThrow(/symbolic link/);
    expect(() => init({ force: true })).toThrow(/symbolic link/);
    expect(readFileSync(elsewhere, 'utf8')).toBe('{}');
    makeFifo(file('quality-gate'));
    expect(() => set('quality-gate', 'last_result=passed')).toThrow(/not a regular file/);
    mkdirSync(file('tasks/1'), { recursive: true });
    expect(() => set('tasks/1', 'status=completed')).toThrow(/not a regular file/);
  });

  test('a misspelt condition is written and pointed out', () => {
    init({ file: 'orchestrator' });
    set('orchestrator', 'conditions.plan_aproved=true');
    expect(lines).toContain(
      'Note: "plan_aproved" is none of the nine conditions; did you mean plan_approved?',
    );
    expect(content('orchestrator').conditions).toMatchObject({ plan_aproved: true });
  });

  test('any text comes back as text', () => {
    init();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        fc.pre(!/^(?:true|false|null|-?\d+)$/.test(value));
        set('loop', `last_error=${value}`);
        expect(content('loop').last_error).toBe(value);
      }),
      { numRuns: 50 },
    );
  });
});

describe('complete', () => {
  test('sets verified_done and says that nothing is open', () => {
    init();
    stateComplete('s1', undefined, world);
    expect(content('loop').verified_done).toBe(true);
    expect(lines.at(-2)).toBe('loop.json: verified_done is set.');
    expect(lines.at(-1)).toMatch(/^Nothing in these files holds the session now\./);
    expect(held()).toBe(false);
  });

  test('is a claim: it is written although conditions are open, and those are named', () => {
    init({ file: 'orchestrator' });
    init({ file: 'loop' });
    set('tasks/1', 'subject=more');
    stateComplete('s1', undefined, world);
    expect(content('orchestrator')).toMatchObject({ verified_done: true, phase: 'complete' });
    expect(content('loop').verified_done).toBe(true);
    expect(lines).toContain('Still open, so this session is held on:');
    expect(lines).toContain('  conditions.plan_approved: not met (false)');
    expect(lines).toContain('    Get the plan approved, then set conditions.plan_approved.');
    expect(lines).toContain('  tasks/*.json: 1 pending/in-progress tasks.');
    expect(held()).toBe(true);
  });

  test('only the named file', () => {
    init({ file: 'orchestrator' });
    init({ file: 'loop' });
    stateComplete('s1', 'loop', world);
    expect(content('orchestrator').verified_done).toBe(false);
  });

  test('without a file it names init', () => {
    expect(() => stateComplete('s1', undefined, world)).toThrow(/type: untildone state init s1 loop/);
    expect(() => stateComplete('s1', 'orchestrator', world)).toThrow(/state init s1 orchestrator/);
    expect(existsSync(join(home, '.ralph'))).toBe(false);
  });
});

describe('show', () => {
  const show = (json = false) => {
    lines = [];
    stateShow('s1', { json }, world);
    return lines.join('\n');
  };

  test('everything in words', () => {
    init({ file: 'orchestrator', task: 'implement auth' });
    init({ task: 'fix types' });
    set(
      'quality-gate',
      'last_result=failed',
      'stages.security.status=failed',
      'stages.security.details=a key',
    );
    set('tasks/1', 'subject=more');
    const said = show();
    expect(said).toContain(`Session s1: ${dirname(file('loop'))}`);
    expect(said).toContain(
      "orchestrator.json: implement auth\n  phase 'planning', verified_done false\n  memory_search: not met (false)",
    );
    expect(said).toContain('loop.json: fix types\n  iteration 1 of 25, verified_done false');
    expect(said).toContain('quality-gate.json: failed\n  security: failed - a key');
    expect(said).toContain('tasks: 1 of 1 open\n  [pending] 1: more');
    expect(said).toContain(
      "Holds the session: Orchestrator phase 'planning' not complete. Loop iteration 1 of 25",
    );
  });

  test('as JSON, with what is in the files as it is', () => {
    init({ file: 'orchestrator' });
    set('tasks/1', 'subject=more', 'mine=1');
    const said = JSON.parse(show(true)) as Record<string, unknown>;
    expect(said).toMatchObject({
      session: 's1',
      orchestrator: content('orchestrator'),
      loop: null,
      quality_gate: null,
      tasks: [{ file: '1.json', mine: 1 }],
      problems: [],
    });
    expect(said.holds).toContainEqual({ name: 'tasks/*.json', summary: '1 pending/in-progress tasks.' });
  });

  test('nothing, finished and broken', () => {
    expect(show()).toBe(`Session s1 has no state in ${dirname(file('loop'))}`);
    init();
    stateComplete('s1', 'loop', world);
    expect(show()).toContain('These files hold nobody.');
    put('loop', 'x');
    expect(show()).toMatch(/is not JSON .* Nobody is held by it\.$/);
    expect(JSON.parse(show(true))).toMatchObject({
      loop: null,
      problems: [expect.stringContaining('is not JSON')],
    });
  });
});

describe('whose state it is', () => {
  test('inside a session only its own is written', () => {
    world.env = { HOME: home, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
    init();
    set('loop', 'iteration=2');
    stateComplete('s1', 'loop', world);
    const options: InitOptions = { file: 'loop', task: 'hold it', force: true };
    const refused = /"untildone state \w+ s2" is for a person/;
    expect(() => stateInit('s2', options, world)).toThrow(refused);
    expect(() => stateSet('s2', 'tasks/1', ['status=pending'], world)).toThrow(refused);
    expect(() => stateComplete('s2', 'loop', world)).toThrow(refused);
    expect(existsSync(dirname(file('loop', 's2')))).toBe(false);
  });

  test('a person writes any', () => {
    stateInit('s2', { file: 'loop', task: 'x', force: false }, world);
    expect(existsSync(file('loop', 's2'))).toBe(true);
  });
});

describe('on the command line', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    vi.stubEnv('HOME', home);
    vi.stubEnv('UNTILDONE_HOME', join(home, 'untildone'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, 'claude'));
    vi.stubEnv('CLAUDE_PROJECT_DIR', home);
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's1');
    for (const name of ['CLAUDECODE', 'CLAUDE_PID']) vi.stubEnv(name, undefined);
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed += String(chunk);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  const run = async (...args: string[]) => {
    const cli = new Command('untildone').exitOverride().configureOutput({ writeErr: () => {} });
    addStateCommands(cli);
    const silent = (command: Command): void => {
      command.exitOverride().configureOutput({ writeErr: () => {} });
      command.commands.forEach(silent);
    };
    silent(cli);
    await cli.parseAsync(['node', 'untildone', 'state', ...args]);
  };

  test('the session may be named, be -, or be left out', async () => {
    await run('init', 's2', 'loop', 'fix', 'all', 'types', '--max-iterations', '5');
    expect(JSON.parse(readFileSync(file('loop', 's2'), 'utf8'))).toMatchObject({
      session_id: 's2',
      task: 'fix all types',
      max_iterations: 5,
    });
    await run('init', '-', 'orchestrator', 'build it', '--complexity=8');
    expect(content('orchestrator')).toMatchObject({ session_id: 's1', task: 'build it', complexity: 8 });
    await run('init', 'loop', 'short');
    expect(content('loop').task).toBe('short');
    await run('set', 'loop', 'iteration=4');
    await run('set', '-', 'loop.json', 'validation_result=failed');
    await run('set', 's1', 'loop', 'last_error=x y');
    expect(content('loop')).toMatchObject({ iteration: 4, validation_result: 'failed', last_error: 'x y' });
    await run('complete', 'loop');
    expect([content('loop').verified_done, content('orchestrator').verified_done]).toEqual([true, false]);
    await run('complete');
    expect(content('orchestrator').verified_done).toBe(true);
    await run('complete', 's2', 'loop');
    printed = '';
    await run('show', 's2', '--json');
    expect(JSON.parse(printed)).toMatchObject({ session: 's2', loop: { verified_done: true } });
  });

  test('a session that is called like a file can be named', async () => {
    await run('init', 'loop', 'loop', 'odd');
    expect(existsSync(file('loop', 'loop'))).toBe(true);
  });

  test('a task that begins with dashes is a task; a misspelt option is none', async () => {
    await run('init', 's1', 'loop', '- [ ] write it', '--max-iterations', '5');
    expect(content('loop')).toMatchObject({ task: '- [ ] write it', max_iterations: 5 });
    await expect(run('init', 's1', 'loop', 'x', '--forse')).rejects.toThrow('unknown option --forse');
  });

  test('init says that nothing is held without hooks', async () => {
    await run('init', 's1', 'loop', 'x');
    expect(printed).toContain('WARNING: no hooks of untildone are installed');
  });

  test.each<[string[], RegExp]>([
    [['init', 's1', 'feature', 'x'], /type loop or orchestrator, not "feature"/],
    [['init', 's1'], /type loop or orchestrator$/],
    [['init', 's1', 'loop'], /the task is empty/],
    [['init', 's1', 'loop', 'x', '--max-iterations', '0'], /whole number from 1/],
    [['init', 's1', 'orchestrator', 'x', '--complexity', '11'], /from 1 to 10/],
    [['init', '../s1', 'loop', 'x'], /is not a session id/],
    [['set', 's1', 'nonsense', 'a=1'], /is no file of the state/],
    [['complete', 's1', 'nonsense'], /type loop or orchestrator/],
    [['show', 'a/b'], /is not a session id/],
  ])('%j is wrong use', async (args, words) => {
    await expect(run(...args)).rejects.toThrow(words);
    expect(existsSync(join(home, '.ralph'))).toBe(false);
  });

  test('without a session anywhere it says so', async () => {
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', undefined);
    await expect(run('show')).rejects.toThrow('no session: name one, or run this inside Claude Code');
  });
});

describe('many at once', () => {
  let bundle: string | undefined;
  afterAll(() => {
    if (bundle) rmSync(dirname(bundle), { recursive: true, force: true });
  });

  function setter(): string {
    bundle = join(mkdtempSync(join(tmpdir(), 'untildone-state-')), 'set.cjs');
    const contents = `
      import { stateSet } from './state.ts';
      const [, , from, to] = process.argv;
      const world = { env: { HOME: process.env.HOME }, now: 0, out() {} };
      for (let i = Number(from); i < Number(to); i++) stateSet('s1', 'loop', ['k' + i + '=' + i], world);
    `;
    const resolveDir = join(import.meta.dirname, '../../src/commands');
    const stdin = { contents, resolveDir, loader: 'ts' as const };
    const mainFields = ['module', 'main'];
    buildSync({
      stdin,
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      mainFields,
      logLevel: 'silent',
    });
    return bundle;
  }

  test('no key is lost', async () => {
    init();
    const path = setter();
    const one = (from: number) =>
      new Promise<void>((resolve, reject) => {
        const args = [path, String(from), String(from + 10)];
        execFile(process.execPath, args, { env: { HOME: home } }, (error) =>
          error ? reject(error) : resolve(),
        );
      });
    await Promise.all([0, 10, 20, 30].map(one));
    const found = content('loop');
    for (let i = 0; i < 40; i++) expect(found[`k${i}`]).toBe(i);
    expect(readdirSync(dirname(file('loop')))).toEqual(['loop.json']);
  });
});
