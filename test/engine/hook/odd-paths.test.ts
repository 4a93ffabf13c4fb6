// Tier: world
import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseHookEvent } from '../../../src/engine/client/hooks/parse.ts';
import { renderAnswer } from '../../../src/engine/client/hooks/render.ts';
import { eventName, KNOWN_EVENTS } from '../../../src/engine/core/loop/event.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { recordTrust } from '../../../src/engine/home/trust.ts';
import { handleHook } from '../../../src/engine/hook/handle-hook.ts';
import type { JudgeBundle } from '../../../src/engine/hook/wiring/load-bundles.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import * as formats from '../../../src/main/formats.ts';
import { makeFifo, temporaryFolder } from '../../support/files/workers.ts';
import { ralph } from '../../support/hook/foreign-scene.ts';
import { contractWith, run } from '../../support/hook/judging.ts';
import { isLong } from '../../support/long.ts';

/** What a path in an event may be, by what is wrong with it. */
function oddPaths(folder: string): Record<string, string> {
  const at = (name: string) => join(folder, name);
  mkdirSync(folder, { recursive: true });
  symlinkSync(at('loop-b'), at('loop-a'));
  symlinkSync(at('loop-a'), at('loop-b'));
  symlinkSync(at('nowhere'), at('dangling'));
  makeFifo(at('fifo'));
  writeFileSync(at('plain'), 'no transcript\n');
  writeFileSync(at('huge'), '');
  truncateSync(at('huge'), 8 * 2 ** 30);
  writeFileSync(at('binary'), Buffer.from([0xff, 0xfe, 0, 0x0a, 0x7b, 0x80]));
  return {
    'a NUL in it': `${at('plain')}\0.jsonl`,
    'only a NUL': '\0',
    'a loop of links': at('loop-a'),
    'below a loop of links': `${at('loop-a')}/t.jsonl`,
    'a link to nowhere': at('dangling'),
    'a name that is too long': `/${'n'.repeat(300)}/t.jsonl`,
    'a path that is too long': `/${'n/'.repeat(5000)}t.jsonl`,
    'below a file': `${at('plain')}/t.jsonl`,
    'a folder': folder,
    'a pipe': at('fifo'),
    '/dev/zero': '/dev/zero',
    '/dev/full': '/dev/full',
    '/proc/self/mem': '/proc/self/mem',
    'a huge file': at('huge'),
    'no transcript': at('plain'),
    bytes: at('binary'),
    'another file of this machine': '/etc/passwd',
    missing: at('gone/t.jsonl'),
    relative: '../../../t.jsonl',
    empty: '',
    'half a character': '/tmp/\ud800.jsonl',
    'a line break': '/tmp/a\nb.jsonl',
    'a home': '~/t.jsonl',
  };
}

const FIELDS = ['transcript_path', 'agent_transcript_path', 'cwd', 'file_path'];

interface Place {
  project: string;
  userHome: string;
}

/** Lays out one loop of session `s1`, as somebody who uses that format would. */
const LOOPS: Record<string, (place: Place) => void> = {
  'ralph-loop': ({ project }) => put(join(project, '.claude/ralph-loop.local.md'), ralph()),
  'a feature list': ({ project }) =>
    put(
      join(project, '.claude/data/ralph-loops/current/feature_list.json'),
      JSON.stringify({ features: [{ id: 1, description: 'Log in', passes: false }] }),
    ),
  'a lock': ({ project }) => put(join(project, '.claude/runtime/locks/.lock_active'), ''),
  VERIFIED_DONE: ({ userHome }) =>
    put(
      join(userHome, '.ralph/state/s1/loop.json'),
      JSON.stringify({ session_id: 's1', active: true, iteration: 1, max_iterations: 9, prompt: 'Fix it.' }),
    ),
};

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The first and the third, and others each time it is called; all of them in a long run. */
function rounded<T>(all: readonly T[]): T[] {
  turn++;
  return all.filter((_, i) => isLong || (i % 2 === 0 && i < 3) || (i + turn) % 6 === 0);
}
let turn = 0;

let odd: Record<string, string> = {};
let load: () => Promise<JudgeBundle>;

beforeEach(() => {
  odd = oddPaths(join(temporaryFolder(), 'odd'));
});
beforeAll(async () => {
  const judges = (await import('../../../src/main/judge.ts')) as unknown as JudgeBundle;
  load = async () => ({
    ...judges,
    openJudges: (home, env) => judges.openJudges(home, env, { endWithSignals: false }),
  });
});

/** A home and a project; `answer` is what Claude Code would read of one event of the session `s1`. */
function world() {
  const folder = realpathSync(temporaryFolder());
  const [project, userHome] = [join(folder, 'project'), join(folder, 'user')];
  for (const made of [project, userHome]) mkdirSync(made);
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const env = {
    PATH: process.env.PATH,
    HOME: userHome,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
  };
  const answer = async (fields: Record<string, unknown>) => {
    const input = { session_id: 's1', cwd: project, last_assistant_message: 'not yet', ...fields };
    const parsed = parseHookEvent(JSON.stringify(input));
    if (!parsed.ok) return { stdout: '', problem: parsed.problem };
    const ports = openPorts(home, env, load, async () => formats);
    return renderAnswer(eventName(parsed.event), await handleHook(parsed.event, ports));
  };
  const begin = () => {
    recordTrust(home, project, 'print', Date.now());
    const frozen = { project, fingerprint: 'print', parts: {}, gates: {}, judgeMs: 60_000 };
    openPorts(home, env, load, async () => formats).store.create({
      loop: 'l1',
      session: 's1',
      project,
      dialect: 'native',
      task: 'a task',
      transcriptOffset: 0,
      contract: { contract: contractWith({ tests: run('false') }, { limits: MANY }), frozen },
    });
  };
  return { project, userHome, answer, begin };
}

const MANY = { ...contractWith({}).limits, stall: 10_000, stallChanging: 10_000, iterations: 10_000 };

const held = (output: { stdout: string }) => output.stdout !== '' && JSON.parse(output.stdout).decision;

describe('a path in an event that leads nowhere good costs only what it would have told', () => {
  test('a Stop of a loop that is not done is held, whichever path is odd', async () => {
    const { answer, begin } = world();
    begin();
    for (const [what, path] of Object.entries(odd))
      for (const fields of isLong ? FIELDS.map((field) => [field]) : [FIELDS]) {
        const paths = Object.fromEntries(fields.map((field) => [field, path]));
        const output = await answer({ hook_event_name: 'Stop', ...paths });
        expect([what, fields, held(output)]).toEqual([what, fields, 'block']);
      }
  });

  test.each(Object.keys(LOOPS))('%s is taken up at such a Stop, and holds it', async (name) => {
    for (const [what, path] of rounded(Object.entries(odd))) {
      const place = world();
      LOOPS[name]?.(place);
      const output = await place.answer({ hook_event_name: 'Stop', transcript_path: path, cwd: path });
      expect([what, held(output)], output.stdout).toEqual([what, 'block']);
    }
  });

  test.each(['a feature list', 'a lock'])(
    '%s holds a session with an id that is no name of a file',
    async (name) => {
      for (const session_id of rounded([
        '../../../s1',
        's\0',
        '__proto__',
        'x'.repeat(5000),
        '..',
        '-rf',
        ' ',
      ])) {
        const place = world();
        LOOPS[name]?.(place);
        const output = await place.answer({ hook_event_name: 'Stop', session_id });
        expect([session_id, held(output)], output.stdout).toEqual([session_id, 'block']);
      }
    },
  );

  test('every other event gets one answer', async () => {
    const { answer, begin } = world();
    begin();
    const tool = { tool_name: 'Write', tool_input: { file_path: 'a.ts', content: '' } };
    for (const hook_event_name of KNOWN_EVENTS.filter((event) => event !== 'Stop'))
      for (const path of rounded(Object.values(odd))) {
        const paths = Object.fromEntries(FIELDS.map((field) => [field, path]));
        const more = { agent_id: 'a1', agent_type: 'Explore', source: 'resume', task_id: '1', prompt: 'go' };
        const output = await answer({ hook_event_name, ...tool, ...more, ...paths });
        if (output.stdout.startsWith('{')) expect(JSON.parse(output.stdout)).toBeTypeOf('object');
      }
    expect(held(await answer({ hook_event_name: 'Stop' }))).toBe('block');
  });
});
