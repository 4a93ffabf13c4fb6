import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import { approve, contractScene, startedSession } from '../support/live/contract.ts';
import { startRun } from '../support/live/run.ts';
import type { Scene } from '../support/live/scene.ts';
import { bash, journalOf, loopOf } from '../support/live/untildone.ts';
import { longDescribe, longTest } from '../support/long.ts';

const TOOLS = `tools:
  protect: ["infra/**"]
  hide: ["secrets/**"]
  deny: [{ rule: "Bash(npm publish *)", say: Releases are made by CI. }, "WebFetch(domain:example.com)"]
  allow: ["Bash(touch allowed)", "Edit(src/**)"]
  rewrite: [{ tool: Bash, field: command, pattern: '^touch one$', with: 'touch two' }]
`;
const FILES = {
  'untildone.yaml': `gates: { it: { run: test -e it } }\n${TOOLS}`,
  '.env': 'SECRET=1\n',
  '.gitignore': '.env\n',
  'secrets/token.txt': 'very-hidden-token\n',
  'src/a.ts': 'export {};\n',
};
/** Bash is in the list of allowed tools of every client here: this makes it ask again. */
const ASKS = { settings: { permissions: { ask: ['Bash'] } }, args: ['--permission-mode', 'default'] };

const write = (path: string, content = 'x') => ({ name: 'Write', input: { file_path: path, content } });
const has = (scene: Scene, path: string) => existsSync(join(scene.project, path));
/** What the model was told after each of its tool calls. */
const told = (requests: readonly { body: unknown }[], call: number) => JSON.stringify(requests[call]?.body);
const script = (...tools: { name: string; input: object }[]): Script => ({
  turns: [...tools.map((tool) => ({ tools: [tool] })), { text: 'done' }] as Script['turns'],
});

describe('tool rules in a session of an approved project', () => {
  test('refuse what destroys, what is protected, hidden or denied, and tell the model', async () => {
    const scene = await contractScene(FILES, { recording: 'PreToolUse/refused' });
    symlinkSync('.env', join(scene.project, 'notes.txt'));
    const { requests } = await scene.runClient({
      prompt: 'go',
      script: script(
        bash('rm -rf ./*'),
        write(join(scene.project, 'notes.txt')),
        bash('npm publish --tag next'),
        { name: 'Read', input: { file_path: join(scene.project, 'secrets/token.txt') } },
        { name: 'WebFetch', input: { url: 'https://example.com/', prompt: 'x' } },
        bash('echo fine > fine.txt'),
      ),
    });
    expect(told(requests, 1)).toContain('refused, because this command deletes the project itself');
    expect(has(scene, 'src/a.ts')).toBe(true);
    expect(told(requests, 2)).toContain('.env is protected in this project');
    expect(readFileSync(join(scene.project, '.env'), 'utf8')).toBe('SECRET=1\n');
    expect(told(requests, 3)).toContain('Releases are made by CI.');
    expect(told(requests, 4)).toContain('secrets/token.txt is hidden in this project');
    expect(told(requests, 6)).not.toContain('very-hidden-token');
    expect(told(requests, 5)).toContain('does not allow WebFetch(domain:example.com)');
    expect(has(scene, 'fine.txt')).toBe(true);
  });

  longTest('rewrite an input, and the client still decides whether it may run', async () => {
    const scene = await contractScene(FILES);
    await scene.runClient({ prompt: 'go', script: script(bash('touch one')) });
    expect([has(scene, 'one'), has(scene, 'two')]).toEqual([false, true]);
    const other = await contractScene(FILES);
    const { requests } = await other.runClient({ prompt: 'go', ...ASKS, script: script(bash('touch one')) });
    expect([has(other, 'one'), has(other, 'two')]).toEqual([false, false]);
    expect(told(requests, 1)).toContain('permission');
  });

  test('answer where the client would ask, for what is listed and for nothing else', async () => {
    const scene = await contractScene(FILES, { recording: 'PreToolUse/allowed' });
    const inProject = (path: string) => join(scene.project, path);
    await scene.runClient({
      prompt: 'go',
      ...ASKS,
      script: script(
        bash('touch allowed'),
        bash('touch not-allowed'),
        bash('touch allowed && touch not-allowed'),
        write(inProject('src/new.ts')),
        write(inProject('other.ts')),
      ),
    });
    expect(has(scene, 'allowed')).toBe(true);
    expect(has(scene, 'src/new.ts')).toBe(true);
    expect(has(scene, 'not-allowed')).toBe(false);
    expect(has(scene, 'other.ts')).toBe(false);
  });

  longTest('allow nothing before a person approved them', async () => {
    const scene = await contractScene({ ...FILES, 'untildone.yaml': 'gates: { it: { run: test -e it } }\n' });
    await writeFile(join(scene.project, 'untildone.yaml'), FILES['untildone.yaml']);
    const first = { prompt: 'go', ...ASKS, script: script(bash('touch allowed')) };
    await scene.runClient(first);
    expect(has(scene, 'allowed')).toBe(false);
    await approve(scene);
    await scene.runClient(first);
    expect(has(scene, 'allowed')).toBe(true);
  });
});

longDescribe('tool rules in a loop', () => {
  test('are journaled without what the tools were given', async () => {
    const scene = await contractScene(FILES);
    const session = await startedSession(scene);
    await scene.runClient({
      prompt: 'go',
      settings: ASKS.settings,
      args: [...ASKS.args, '--session-id', session],
      script: script(
        bash('touch one'),
        bash('touch allowed'),
        bash('git clean -fdx'),
        write(join(scene.project, 'src/b.ts')),
      ),
    });
    expect([has(scene, 'allowed'), has(scene, '.env'), has(scene, 'src/b.ts')]).toEqual([true, true, true]);
    const entries = await journalOf(scene, (await loopOf(scene)).id);
    const details = entries.flatMap((entry) =>
      entry.kind === 'event' && entry.detail ? [entry.detail] : [],
    );
    expect(details).toContainEqual({ tool: 'Bash', rewritten: 'command' });
    expect(details).toContainEqual({ tool: 'Bash', allowed: 'Bash(touch allowed)' });
    expect(details).toContainEqual({ tool: 'Write', allowed: 'Edit(src/**)' });
    expect(
      details.some((detail) => detail.refused?.startsWith('dangerous: deletes files that git ignores')),
    ).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('clean -fdx');
  });

  test('count in the sessions of a run, too', async () => {
    const scene = await contractScene(FILES);
    const makes = script(bash('git clean -fdx'), bash('touch it && echo made'));
    await writeFile(
      join(scene.project, 'untildone.yaml'),
      FILES['untildone.yaml'].replace('"Bash(touch allowed)"', '"Bash(touch it)", "Bash(echo made)"'),
    );
    await approve(scene);
    const run = await startRun(
      scene,
      ['Make it', '--permission-mode', 'default', '--max-iterations', '2'],
      makes,
    ).ended;
    const entries = await journalOf(scene, (await loopOf(scene)).id);
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const details = entries.flatMap((entry) =>
      entry.kind === 'event' && entry.detail ? [entry.detail] : [],
    );
    expect(details.map((detail) => detail.refused ?? detail.allowed)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('dangerous: deletes files that git ignores'),
        'Bash(touch it), Bash(echo made)',
      ]),
    );
  });
});
