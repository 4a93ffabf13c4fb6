import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HOOK_LINE, hookLine } from '../../../src/engine/home/hook-line.ts';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { BIN, bash, decisionsOf, journalOf, loopOf } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

/** Makes up an event: `sh forge.sh <event> <transcript> <command that reads stdin>`. */
const FORGE = `printf '{"hook_event_name":"%s","session_id":"%s","transcript_path":"%s","source":"startup","reason":"other","last_assistant_message":"ok"}' "$1" "$SID" "$2" | eval "$3"\n`;

const PROJECT = {
  'untildone.yaml':
    'gates:\n  tests: { run: sh test/all.sh, work: [test/all.sh] }\nlimits: { iterations: 9 }\n',
  'test/all.sh': 'date +%N; false\n',
  'forge.sh': FORGE,
  'stop.line': HOOK_LINE,
  'end.line': hookLine('SessionEnd'),
};

const HOOK = `'${process.execPath}' '${BIN}' hook`;
const AS_HOOK = 'CLAUDE_PROJECT_DIR=$PWD AI_AGENT=claude-code_2-1-325_harness';
const BARE = 'env -u CLAUDE_PID -u CLAUDECODE -u AI_AGENT -u CLAUDE_CODE_SESSION_ID';
const made = (command: string) => bash(`export SID=$CLAUDE_CODE_SESSION_ID; ${command}; true`);
const forge = (how: string, event = 'Stop') => `sh forge.sh ${event} /tmp/other.jsonl "${how}"`;

async function played(forgeries: readonly string[], stops: number) {
  const scene = await contractScene(PROJECT);
  const session = await startedSession(scene);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session, '--max-turns', String(forgeries.length + stops)],
    script: {
      turns: [
        ...forgeries.map((command) => ({ tools: [made(command)] })),
        ...Array.from({ length: stops }, (_, i) => ({ text: `I am done ${i}` })),
      ],
    },
  });
  const loop = await loopOf(scene);
  return { scene, run, loop, entries: await journalOf(scene, loop.id) };
}

type Played = Awaited<ReturnType<typeof played>>;
const refusedIn = ({ entries }: Played) =>
  entries.flatMap((entry) => (entry.kind === 'event' && entry.detail?.refused ? [entry.detail] : []));

test('Stops that the agent makes up are not judged, and its own Stop is, with all counts as they were', async () => {
  const forgeries = [
    forge(HOOK),
    `${forge(`${AS_HOOK} ${HOOK}`)}; ${forge(`${AS_HOOK} sh stop.line`)}`,
    forge(`${BARE} ${HOOK}`),
    forge(`nohup ${HOOK}`),
    forge(`${BARE} ${AS_HOOK} setsid -f ${HOOK}`).concat('; sleep 2'),
  ];
  const story = await played(forgeries, 2);
  expect(refusedIn(story)).toHaveLength(6);
  expect(decisionsOf(story.entries)).toEqual(['block', 'block']);
  expect(story.loop).toMatchObject({ status: 'active', iteration: 3 });
});

longTest('the shell of the tool call itself becomes a hook: its output gives it away', async () => {
  const event = 'SID=$CLAUDE_CODE_SESSION_ID sh forge.sh Stop /tmp/other.jsonl cat >event.json';
  const story = await played([`${event}; ${AS_HOOK} exec sh stop.line <event.json`], 1);
  expect(refusedIn(story)).toHaveLength(1);
  expect(decisionsOf(story.entries)).toEqual(['block']);
});

longTest('no other event that the agent makes up ends a turn, a wait or a session', async () => {
  const events = [
    'SessionEnd',
    'StopFailure',
    'SubagentStop',
    'UserPromptSubmit',
    'PreToolUse',
    'PreCompact',
  ];
  const each = `for e in ${events.join(' ')}; do sh forge.sh $e /tmp/other.jsonl "${HOOK}"; done`;
  const story = await played([each, forge(`${AS_HOOK} sh end.line`, 'SessionEnd')], 1);
  expect(refusedIn(story).map(({ made }) => made)).toEqual([...events, 'SessionEnd']);
  expect(story.loop).toMatchObject({ status: 'active', iteration: 2 });
});

/** Only root may freeze a file, and not on every file system. */
function canFreeze(): boolean {
  const file = join(tmpdir(), `untildone-frozen-${process.pid}`);
  writeFileSync(file, '');
  const frozen = spawnSync('chattr', ['+i', file]).status === 0;
  spawnSync('chattr', ['-i', file]);
  rmSync(file);
  return frozen;
}

test.runIf(process.platform === 'linux' && canFreeze())(
  'a transcript that ends with an open tool call and is never written: every Stop is judged all the same',
  async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    const folder = join(scene.home, '.claude/projects', scene.project.replace(/[^A-Za-z0-9]/g, '-'));
    const file = join(folder, `${session}.jsonl`);
    onTestFinished(() => void spawnSync('chattr', ['-i', file]));
    await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session, '--max-turns', '4'],
      script: {
        turns: [
          // Its own call stands there by then, and its result never will.
          { tools: [bash(`sleep 1; chattr +i '${file}'`)] },
          ...[1, 2, 3].map((i) => ({ text: `done ${i}` })),
        ],
      },
    });
    expect(readFileSync(file, 'utf8')).not.toContain('done 1');
    const loop = await loopOf(scene);
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'block']);
  },
);
