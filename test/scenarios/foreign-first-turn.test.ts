/** What a session of a foreign loop does before its first Stop is part of the work, not of the start. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { loops, ok, sendEvent, stop, useWorld, world } from '../support/cli/cli.ts';
import { isLong } from '../support/long.ts';
import { initRepository } from '../support/repository.ts';

useWorld();

const CONTRACT = `gates:
  tests: { run: "true" }
  intact: { tests_intact: true }
  tidy: { forbid: [todo] }
`;
const TEST = "import { test, expect } from 'vitest';\ntest('adds', () => expect(1 + 1).toBe(2));\n";
const OTHER_TEST = TEST.replace(
  "'adds', () => expect(1 + 1).toBe(2)",
  "'multiplies', () => expect(2 * 3).toBe(6)",
);
const CONFIG = 'export default { test: { coverage: { thresholds: { lines: 90 } } } };\n';

beforeEach(async () => {
  initRepository(world().project);
  write('untildone.yaml', CONTRACT);
  write('test/a.test.js', TEST);
  write('test/b.test.js', OTHER_TEST);
  write('vitest.config.js', CONFIG);
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  for (const args of [
    ['add', '-A'],
    ['commit', '--quiet', '-m', 'begin'],
  ])
    execFileSync('git', [...identity, ...args], { cwd: world().project, env: world().env });
  const shown = await ok(['trust', '--show']);
  await ok(['trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown)?.[1] ?? '']);
});

function write(path: string, text: string): void {
  const file = path.startsWith('/') ? path : join(world().project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface Format {
  name: string;
  /** Makes the state. */
  begin(): void;
  /** What the agent does to be done, as far as the format asks. */
  finish(): void;
  /** What the agent says at the end. */
  says: string;
}

const orchestrator = (done: boolean) =>
  write(
    join(world().folder, '.ralph/state/s1/orchestrator.json'),
    JSON.stringify({ task: 'Fix it', phase: 'done', verified_done: done }),
  );
const features = (passes: boolean) =>
  write(
    '.claude/data/ralph-loops/current/feature_list.json',
    JSON.stringify({ features: [{ id: 1, description: 'Fix it', passes }] }),
  );

const FORMATS: Format[] = [
  {
    name: 'lock',
    begin: () => write('.claude/runtime/locks/.lock_active', ''),
    finish: () => undefined,
    says: 'ready',
  },
  { name: 'feature-list', begin: () => features(false), finish: () => features(true), says: 'ready' },
  { name: 'verified-done', begin: () => orchestrator(false), finish: commitAll, says: 'ready' },
  {
    name: 'ralph-loop',
    begin: () =>
      write(
        '.claude/ralph-loop.local.md',
        '---\nsession_id: s1\ncompletion_promise: "DONE"\nmax_iterations: 5\n---\nFix it.\n',
      ),
    finish: () => undefined,
    says: '<promise>DONE</promise>',
  },
];

function commitAll(): void {
  orchestrator(true);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: world().project,
      env: world().env,
    });
  git('add', '-A');
  git('commit', '--quiet', '--allow-empty', '-m', 'work');
}

type Sign = { name: string; send(): Promise<unknown> };

const SIGNS: Sign[] = [
  { name: 'SessionStart', send: () => sendEvent('s1', 'SessionStart', { source: 'startup' }) },
  { name: 'UserPromptSubmit', send: () => sendEvent('s1', 'UserPromptSubmit', { prompt: 'Fix it.' }) },
  {
    name: 'PreToolUse',
    send: () => sendEvent('s1', 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'rm -r test' } }),
  },
];

const WEAKENINGS: { name: string; gate: string; work(): void }[] = [
  {
    name: 'a deleted test',
    gate: 'intact',
    work: () => rmSync(join(world().project, 'test/a.test.js')),
  },
  {
    name: 'a skipped test',
    gate: 'intact',
    work: () => write('test/b.test.js', OTHER_TEST.replace('test(', 'test.skip(')),
  },
  { name: 'a TODO', gate: 'tidy', work: () => write('src/a.js', '// TODO: do it\n') },
  {
    name: 'a weaker config',
    gate: 'intact',
    work: () => write('vitest.config.js', CONFIG.replace('90', '10')),
  },
];

/** Every format with every first sign. In a long run every weakening by itself, too; else those formats that wait for a Stop. */
const ALL = {
  name: 'every weakening',
  gate: 'intact',
  work: () => {
    for (const one of WEAKENINGS) one.work();
  },
};
const cases = (isLong ? FORMATS : FORMATS.slice(0, 2))
  .flatMap((format, i) =>
    SIGNS.flatMap((sign, j) => {
      const some = isLong ? [...WEAKENINGS, ALL] : [[...WEAKENINGS, ALL][(i + j) % 5] ?? ALL];
      return some.map((weakening) => ({ format, sign, weakening }));
    }),
  )
  .map((one) => ({ ...one, title: `${one.format.name}, ${one.sign.name}, ${one.weakening.name}` }));

describe('the first turn of a foreign loop', () => {
  test.each(cases)('$title', async ({ format, sign, weakening }) => {
    format.begin();
    await sign.send();
    weakening.work();
    format.finish();
    const answer = await stop('s1', format.says);
    expect(answer?.reason).toContain(`Fails: ${weakening.gate}`);
    expect(await loops()).toMatchObject([{ dialect: format.name, status: 'active' }]);
  });

  test.each(isLong ? FORMATS : FORMATS.slice(2, 3))('$name: its agent makes the state', async (format) => {
    await sendEvent('s1', 'SessionStart', { source: 'startup' });
    ALL.work();
    format.begin();
    format.finish();
    const reason = (await stop('s1', format.says))?.reason;
    for (const failing of ['weakened in 3 places', 'Fails: tidy']) expect(reason).toContain(failing);
  });
});
