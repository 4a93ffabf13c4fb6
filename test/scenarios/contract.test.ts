import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOOK_LINE } from '../../src/engine/home/hook-line.ts';
import { loopFolder, type World } from '../support/chaos/world.ts';
import {
  asProcesses,
  cli as callCli,
  stop as stopSession,
  useWorld,
  world as worldOfTest,
} from '../support/cli/cli.ts';
import { few } from '../support/long.ts';
import { initRepository } from '../support/repository.ts';

useWorld();
let world: World;
beforeEach(() => {
  world = worldOfTest();
  initRepository(world.project);
});

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], {
    cwd: world.project,
    env: world.env,
    encoding: 'utf8',
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
}

function cli(args: string[], env: Record<string, string> = {}) {
  return callCli(args, { env });
}

async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Wrong use, or not to be judged: exit 2 with one line that says why. */
async function refusal(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stderr } = await cli(args, env);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^untildone: [^\n]+\n$/);
  return stderr;
}
const INSIDE = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };

async function approve(): Promise<void> {
  const shown = await ok('trust', '--show');
  await ok('trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown)?.[1] ?? '');
}

async function stop(message?: string): Promise<Record<string, string>> {
  return (await stopSession('s1', message)) ?? {};
}

async function loop(): Promise<{ status: string; iteration: number; waiting?: { why: string } }> {
  return JSON.parse(await ok('status', '--json')).loops[0];
}

const RESULT_IS_GOOD = 'gates:\n  result: { run: grep -q good result.txt }\n';

/** A loop that is not done until result.txt is good. */
async function begun(contract = RESULT_IS_GOOD): Promise<void> {
  write('untildone.yaml', contract);
  write('result.txt', 'bad\n');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'begin');
  await approve();
  await ok('start', 'make it good', '--session', 's1');
}

async function verified(contract?: string): Promise<string> {
  await begun(contract);
  await stop();
  write('result.txt', 'good\n');
  expect((await stop('done')).systemMessage).toContain('done, and verified');
  return join(loopFolder(world, 's1'), 'receipt.json');
}

describe('init', () => {
  test('--yes proposes, writes, and approves nothing', async () => {
    write('package.json', '{"scripts":{"test":"node --test"}}');
    expect(await ok('init', '--yes')).toContain('untildone trust');
    expect(readFileSync(join(world.project, 'untildone.yaml'), 'utf8')).toContain('run: npm test');
    expect(await ok('start', 'x', '--session', 's1')).toContain('NOT JUDGED YET');
  });
  test('never overwrites, and does not write unasked', async () => {
    expect((await cli(['init'])).code).toBe(2);
    expect(existsSync(join(world.project, 'untildone.yaml'))).toBe(false);
    write('untildone.yaml', RESULT_IS_GOOD);
    expect((await cli(['init', '--yes'])).code).toBe(2);
    expect(readFileSync(join(world.project, 'untildone.yaml'), 'utf8')).toBe(RESULT_IS_GOOD);
  });
});

describe('trust', () => {
  beforeEach(() => {
    write('untildone.yaml', 'gates:\n  tests: { run: npm test }\n');
    write('package.json', '{"scripts":{"test":"node check.mjs"}}');
    write('check.mjs', 'process.exit(1);\n');
  });
  const fingerprint = async () => /Fingerprint: (\w+)/.exec(await ok('trust', '--show'))?.[1] ?? '';

  test('--show says what will run and what that leans on, and approves nothing', async () => {
    const shown = await ok('trust', '--show');
    expect(shown).toContain('tests: npm test');
    expect(shown).toContain('script "test" of package.json: node check.mjs');
    expect(shown).toContain('check.mjs: process.exit(1);');
    expect(shown).not.toContain('pretest');
    expect((await cli(['trust', '--show'], INSIDE)).code).toBe(0);
    expect(await ok('start', 'x', '--session', 's1')).toContain('NOT JUDGED YET');
  });
  test('accepts exactly the fingerprint that was shown', async () => {
    const shown = await fingerprint();
    expect(await refusal(['trust', '--fingerprint', 'f'.repeat(64)])).toContain(shown);
    write('check.mjs', 'process.exit(0);\n');
    expect(await refusal(['trust', '--fingerprint', shown])).toContain('something was changed');
    expect(await fingerprint()).not.toBe(shown);
    expect(await ok('trust', '--fingerprint', await fingerprint())).toContain('Trusted');
  });
  test('is for people: not from inside a session, and not unasked', async () => {
    const shown = await fingerprint();
    expect(await refusal(['trust', '--fingerprint', shown], INSIDE)).toContain('is for a person');
    expect(await refusal(['trust'])).toContain('there is no terminal to ask you on');
    expect(await ok('start', 'x', '--session', 's1')).toContain('NOT JUDGED YET');
  });
  test('until then the loop waits; from then on it is judged', async () => {
    await ok('start', 'x', '--session', 's1');
    expect((await stop()).systemMessage).toContain('untildone trust');
    expect(await loop()).toMatchObject({ status: 'active', iteration: 1, waiting: { why: 'needs_person' } });
    await ok('trust', '--fingerprint', await fingerprint());
    expect((await stop()).reason).toContain('Fails: tests');
  });
});

describe('a loop of a contract', () => {
  test('fails by name when what a gate runs is changed, also by a script beside it', async () => {
    write('package.json', '{"scripts":{"check":"grep -q good result.txt"}}');
    await begun('gates:\n  result: { run: npm run -s check }\n');
    write(
      'package.json',
      '{"scripts":{"check":"grep -q good result.txt","precheck":"echo good > result.txt"}}',
    );
    const { reason } = await stop();
    expect(reason).toContain(
      'what this gate runs was changed since the loop began: script "precheck" of package.json',
    );
    expect(readFileSync(join(world.project, 'result.txt'), 'utf8')).toBe('bad\n');
    write('package.json', '{"scripts":{"check":"grep -q good result.txt"}}');
    write('result.txt', 'good\n');
    expect((await stop('put back')).systemMessage).toContain('done, and verified');
  });
});

test.each(
  few(
    [
      ['cancel', 'cancelled'],
      ['release', 'released'],
    ],
    1,
  ),
)('%s is told to whom the contract names', async (command, event) => {
  await begun(`${RESULT_IS_GOOD}notify: [{ command: "cat > ../told.json", on: [${event}] }]\n`);
  await ok(command, '--note', 'enough');
  const told = JSON.parse(readFileSync(join(world.project, '..', 'told.json'), 'utf8'));
  expect(told).toMatchObject({ event, title: `untildone: ${event}: make it good` });
  expect(told.text).toContain('by hand: enough');
});

test('status says when the installed hooks are too old for the tool rules of the contract', async () => {
  asProcesses();
  write('untildone.yaml', `${RESULT_IS_GOOD}tools: safe\n`);
  const command = { type: 'command', command: HOOK_LINE };
  write('.claude/settings.json', JSON.stringify({ hooks: { Stop: [{ hooks: [command] }] } }));
  expect(await ok('status')).toContain('those of an older version');
  await ok('install');
  expect(await ok('status')).not.toContain('older version');
});

describe('contract update', () => {
  test('puts an approved contract in the place of the first one, by the hand of a person', async () => {
    await begun();
    write('untildone.yaml', 'gates:\n  there: { run: test -e there }\n');
    expect((await stop()).reason).toContain('untildone.yaml was changed since this loop began');
    expect(await refusal(['contract', 'update'])).toContain('first: untildone trust');
    await approve();
    expect(await refusal(['contract', 'update'], INSIDE)).toContain('is for a person');
    await ok('contract', 'update');
    expect((await stop('x')).reason).toContain('Fails: there');
    write('there', '');
    expect((await stop('y')).systemMessage).toContain('done, and verified');
    expect(await ok('receipt')).not.toContain('was changed since');
  });
  test('leaves what was written down since the start as new as it is, where git does not see it, too', async () => {
    const notes = 'gates:\n  notes: { artefact: NOTES.md, words: 2 }\n  made: { run: test -e made }\n';
    write('.gitignore', 'NOTES.md\n');
    write('untildone.yaml', notes);
    await approve();
    await ok('start', 'x', '--session', 's1');
    write('NOTES.md', 'what was found out\n');
    expect((await stop()).reason).toContain('Passes: notes');
    write('untildone.yaml', notes.replace('-e made', '-s made'));
    await approve();
    await ok('contract', 'update');
    expect((await stop('x')).reason).toContain('Passes: notes');
  });
  test('has nothing to do without a contract or a living loop', async () => {
    await begun();
    rmSync(join(world.project, 'untildone.yaml'));
    expect(await refusal(['contract', 'update'])).toContain('there is no untildone.yaml');
    await ok('cancel');
    expect(await refusal(['contract', 'update'])).toContain('no unfinished loop');
  });
});

describe('allow', () => {
  const INTACT = `${RESULT_IS_GOOD}  intact: { tests_intact: true }\n`;
  test('lets one exception pass by the name the gate gave it, and it stands in the receipt', async () => {
    write('a.test.js', "test('a', () => { expect(1).toBe(1); });\n");
    await begun(INTACT);
    rmSync(join(world.project, 'a.test.js'));
    write('result.txt', 'good\n');
    expect((await stop()).reason).toContain('deleted:a.test.js');
    expect(await refusal(['allow', 'deleted:a.test.js'], INSIDE)).toContain('is for a person');
    await ok('allow', 'deleted:other.test.js');
    expect((await stop('x')).systemMessage).toContain('is that wanted, yes or no?');
    expect(await ok('allow', 'deleted:a.test.js', '--note', 'it moved')).toContain(
      'allowed deleted:a.test.js',
    );
    expect((await stop('y')).systemMessage).toContain('done, and verified');
    expect(await ok('receipt')).toContain('allowed by hand: deleted:a.test.js');
    expect(await refusal(['allow', 'deleted:a.test.js'])).toContain('no unfinished loop');
  });
});

describe('receipt', () => {
  test('is shown in three ways, and only of a loop that is done', async () => {
    await begun();
    expect(await refusal(['receipt'])).toContain('only a done loop gets one');
    await stop();
    write('result.txt', 'good\n');
    await stop('done');
    expect(await ok('receipt')).toContain('pass     result (measured)');
    expect(await ok('receipt', '--format', 'md')).toContain('### Verified: make it good');
    expect(JSON.parse(await ok('receipt', '--format', 'json')).receipt).toMatchObject({
      status: 'verified_done',
      verdicts: [{ gate: 'result', command: 'grep -q good result.txt', exitCode: 0 }],
    });
  });
  test('verify: 0 intact, 1 changed and where, 2 no receipt', async () => {
    const file = await verified();
    expect(await ok('receipt', 'verify', file)).toContain("signed with this machine's key");
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"exitCode": 0', '"exitCode": 1'));
    const changed = await cli(['receipt', 'verify', file]);
    expect(changed).toMatchObject({ code: 1, stdout: 'CHANGED: "verdicts.0.exitCode" was changed\n' });
    expect(await refusal(['receipt', 'verify', 'untildone.yaml'])).toContain('is not a receipt');
    expect(await refusal(['receipt', 'verify', 'missing.json'])).toContain('there is no file');
  });
  test('verify --rerun runs its commands in a copy of the tree, whatever the project has become', async () => {
    const flag = join(world.folder, 'later');
    write('src/a.js', '');
    const command = `grep -q good ../result.txt && test ! -e '${flag}'`;
    const file = await verified(`gates:\n  result: { run: "${command}", cwd: src }\n`);
    write('result.txt', 'bad again\n');
    const same = await cli(['receipt', 'verify', file, '--rerun']);
    expect(same).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^same {2}result: cd src && grep/m),
    });
    writeFileSync(flag, '');
    const different = await cli(['receipt', 'verify', file, '--rerun']);
    expect(different.code).toBe(1);
    expect(different.stdout).toMatch(/^DIFFERENT {2}result: .*: exit 1, the receipt says 0$/m);
    const unprepared = await cli(['receipt', 'verify', file, '--rerun', '--prepare', 'exit 4']);
    expect(unprepared).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the preparation "exit 4" failed'),
    });
  });
});

describe('verify', () => {
  test.each([
    [0, 'gates: { a: { run: "true" } }'],
    [1, 'gates: { a: { run: "false" } }'],
    [2, 'gates: { a: { run: no-such-tool } }'],
    [2, 'gates: { a: { runn: "true" } }'],
  ])('exit %i: %s', async (code, contract) => {
    write('untildone.yaml', `${contract}\n`);
    expect((await cli(['verify'])).code).toBe(code);
  });
  test('--format github annotates', async () => {
    write('untildone.yaml', 'gates: { a: { run: "echo src/a.ts:3: wrong; false" } }\n');
    const { code, stdout } = await cli(['verify', '--format', 'github']);
    expect(code).toBe(1);
    expect(stdout).toContain('::error file=src/a.ts,line=3,title=a::wrong');
  });
  test('works outside git, too', async () => {
    rmSync(join(world.project, '.git'), { recursive: true });
    write('untildone.yaml', 'gates: { a: { run: "true" } }\n');
    expect(await ok('verify')).toContain('done, and verified');
    expect(await ok('verify')).toContain('[as before: nothing changed]');
    expect(await ok('verify', '--fresh')).not.toContain('[as before');
  });
});

describe('phases with a checkpoint', () => {
  const CONTRACT = [
    'gates: { made: { run: test -e made } }',
    'phases:',
    '  plan: { do: Write PLAN.md, checkpoint: { ask: Good?, file: PLAN.md } }',
    '  make: { do: Make it, exit: [made] }',
    '',
  ].join('\n');
  beforeEach(async () => {
    write('untildone.yaml', CONTRACT);
    await approve();
  });

  test('the agent is told what comes first, the person is asked, and what they approved stays as it was', async () => {
    const started = await ok('start', 'x', '--session', 's1');
    expect(started).toContain('It goes through these phases: plan, make.');
    expect(started).toContain('The phase "plan": Write PLAN.md');
    expect(await refusal(['approve'])).toContain('waits for no answer now');
    expect(await refusal(['approve', 'plan'])).toContain('PLAN.md does not exist yet');
    expect((await stop()).reason).toContain('PLAN.md is not there yet');
    write('PLAN.md', '- [ ] make it\n');
    expect((await stop()).systemMessage).toContain('plan_approved: Good? (PLAN.md)');
    expect(await loop()).toMatchObject({ status: 'active', waiting: { why: 'approval' } });
    expect(await ok('approve', '--note', 'fine')).toContain(
      'plan_approved is approved (PLAN.md as it is now)',
    );
    expect((await stop()).reason).toContain('The phase "make": Make it');
    write('made', '');
    write('PLAN.md', '- [x] make it, without tests\n');
    expect((await stop()).systemMessage).toContain('changed since it was approved');
    write('PLAN.md', '- [x] make it\n');
    expect((await stop()).systemMessage).toContain('done, and verified');
    const log = await ok('log');
    expect(log).toContain('you approved plan_approved: fine');
    expect(log).toContain('held, iteration 3 begins; phase plan is done; now: make');
  });

  test('neither answer is for the agent', async () => {
    await ok('start', 'x', '--session', 's1');
    write('PLAN.md', 'a plan\n');
    await stop();
    for (const command of ['approve', 'reject']) {
      expect(await refusal([command], INSIDE)).toContain(`"untildone ${command}" is for a person`);
      expect(await refusal([command, 'plan'], INSIDE)).toContain('is for a person');
    }
    expect((await loop()).waiting?.why).toBe('approval');
  });

  test('a new contract without the phase of now is judged from its own beginning', async () => {
    await ok('start', 'x', '--session', 's1');
    await stop();
    write(
      'untildone.yaml',
      'gates: { made: { run: test -e made } }\nphases: { other: { do: That, exit: [made] } }\n',
    );
    await approve();
    await ok('contract', 'update');
    expect((await stop()).reason).toContain('phase "other" (1 of 1)');
    expect(await loop()).toMatchObject({ phase: 'other' });
  });
});
