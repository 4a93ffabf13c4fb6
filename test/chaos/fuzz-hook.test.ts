import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import { parseHookEvent } from '../../src/engine/client/hooks/parse.ts';
import { type HookOutput, renderAnswer } from '../../src/engine/client/hooks/render.ts';
import { pollSignals, transcriptFiles } from '../../src/engine/client/transcript/file.ts';
import { readSubagentUsage } from '../../src/engine/client/transcript/subagent-usage.ts';
import { eventName, KNOWN_EVENTS } from '../../src/engine/core/loop/event.ts';
import { readTail } from '../../src/engine/home/journal/file.ts';
import { homeAt } from '../../src/engine/home/layout.ts';
import { handleHook } from '../../src/engine/hook/handle-hook.ts';
import { openPorts } from '../../src/engine/hook/wiring/ports.ts';
import { openSession } from '../../src/engine/hook/wiring/session.ts';
import { anyBytes, anyInput, mutateText } from '../support/chaos/mutate.ts';
import { seededRandom } from '../support/chaos/random.ts';
import {
  callHook,
  filesOf,
  type HookEnd,
  loopFolder,
  newWorld,
  startLoop,
  type World,
} from '../support/chaos/world.ts';
import { few, isLong, rounds } from '../support/long.ts';
import { workMs } from '../support/work-time.ts';

const VICTIM = 'victim-5d1c';
const OTHERS = ['other-a8f3', 'other-b207'];
const EVENTS = [...KNOWN_EVENTS, 'SomethingNew', ...Array<string>(25).fill('Stop')];
const INPUTS = rounds(4000);
const STATES = rounds(500);
const TRANSCRIPTS = rounds(400);
const PROCESSES = isLong ? 200 : 10;
const REFUSED_BY_EXIT = ['TeammateIdle', 'TaskCreated'];

const { seed } = seededRandom();
let random = seededRandom(seed);
let world: World;
let key: { path: string; content: string };
let folder: string;
let victim: Record<string, string>;
let others: Record<string, string>;

beforeAll(() => {
  world = newWorld();
  for (const session of [VICTIM, ...OTHERS]) startLoop(world, session);
  const path = join(world.home, 'key');
  key = { path, content: readFileSync(path, 'utf8') };
  folder = loopFolder(world, VICTIM);
  victim = filesOf(world, VICTIM);
  others = filesOfOthers();
});
beforeEach(() => {
  // Every test from the seed on, so that one alone can be repeated.
  random = seededRandom(seed);
  restore();
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

/** Puts the victim's files and the key back as they were, whatever stands in their place now. */
function restore(): void {
  rmSync(folder, { recursive: true, force: true });
  // The copy of the journal's last line: with it, what is put back would count as cut off.
  rmSync(join(world.home, 'ends'), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries({ ...victim, [key.path]: key.content })) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, content, 'latin1');
  }
}

function filesOfOthers(): Record<string, string> {
  return Object.assign({}, ...OTHERS.map((session) => filesOf(world, session)));
}

function expectOthersUntouched(): void {
  expect(filesOfOthers()).toEqual(others);
}

interface Case {
  input: Buffer;
  what: string;
}

/** The case at hand, said to whoever has to look into its failure. */
function caseOf(what: string): Case {
  const last: Case = { input: Buffer.alloc(0), what };
  onTestFailed(() => {
    const file = join(world.folder, '..', `untildone-fuzz-${seed}.in`);
    writeFileSync(file, last.input);
    process.stderr.write(`UNTILDONE_SEED=${seed}; ${last.what}; its stdin is in ${file}
`);
  });
  return last;
}

/** The hook as `commands/hook` runs it, without its process. What it would say on stderr comes as the problem. */
async function answer(input: Buffer): Promise<HookOutput | { problem: string }> {
  const parsed = parseHookEvent(input.toString('utf8'));
  if (!parsed.ok) return parsed;
  const load = () => Promise.reject(new Error('no judges in this test'));
  const ports = {
    ...openPorts(homeAt(world.home), world.env, load),
    session: async () => openSession(homeAt(world.home), world.env),
    // The client writes behind its hooks; nobody writes here, so nothing is waited for.
    transcripts: {
      ...transcriptFiles,
      poll: (path: string) => pollSignals(path, () => true),
      subagents: readSubagentUsage,
    },
  };
  try {
    return renderAnswer(eventName(parsed.event), await handleHook(parsed.event, ports));
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return { problem: (error as Error).message };
  }
}

/** What a summary is to keep is plain text: the client takes nothing else before a compaction. */
function expectOneObject(stdout: string, event: string): void {
  if (stdout === '') return;
  if (event === 'PreCompact' && !stdout.startsWith('{')) {
    expect(stdout).toMatch(/^untildone: this session works in a loop/);
    expect(stdout.length).toBeLessThan(10_000);
    return;
  }
  expect(stdout.trimEnd()).not.toContain('\n');
  expect(JSON.parse(stdout)).toBeTypeOf('object');
}

function nameIn(input: Buffer): string {
  const parsed = parseHookEvent(input.toString('utf8'));
  return parsed.ok ? eventName(parsed.event) : '';
}

/** Nothing here is held by another process: whoever waits says this after 10 s. Other waits have no end. */
const WAITED = 'for more than 10 s';

/** No crash, no hang, at most one object out and one line of complaint. */
async function expectGoodManners(input: Buffer, limitMs: number): Promise<'problem' | 'silence' | 'answer'> {
  const started = workMs();
  const output = await answer(input);
  expect(workMs() - started).toBeLessThan(limitMs);
  if ('problem' in output) {
    expect(output.problem).not.toBe('');
    expect(output.problem).not.toContain(WAITED);
    return 'problem';
  }
  expectOneObject(output.stdout, nameIn(input));
  if (output.exitCode !== 0) expect(REFUSED_BY_EXIT).toContain(nameIn(input));
  // Nothing here does any work or says the promise: whatever is broken, it never looks like success.
  if (!input.includes('ALL DONE')) expect(output.stdout).not.toMatch(/done, and verified|the agent's word/);
  return output.stdout === '' ? 'silence' : 'answer';
}

function expectGoodEnd(input: Buffer, { code, signal, stdout, stderr }: HookEnd): void {
  expect({ signal, stderr }).toEqual({ signal: null, stderr: expect.not.stringMatching(/\n {4}at /) });
  if (code !== 0) {
    expect(code).toBe(2);
    expect(REFUSED_BY_EXIT).toContain(nameIn(input));
    return;
  }
  expectOneObject(stdout, nameIn(input));
  expect(stderr.split('\n').length).toBeLessThanOrEqual(2);
  expect(stderr === '' || stderr.endsWith('\n')).toBe(true);
}

/** Every line that a hook adds is small, however large what it was told: later hooks read it again and again. */
function expectSmallLines(): void {
  const lines = readFileSync(join(folder, 'journal.jsonl'), 'utf8').split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200_000);
}

test(`${INPUTS} inputs: events with wrong, missing and odd fields, cut and damaged texts, bytes`, async () => {
  const last = caseOf('stdin');
  const met = { problem: 0, silence: 0, answer: 0 };
  for (let i = 0; i < INPUTS; i++) {
    last.input = random.chance(0.05) ? anyBytes(random, 400) : anyInput(VICTIM, EVENTS, random);
    met[await expectGoodManners(last.input, 4000)]++;
    if (i % 20 === 0) {
      expectSmallLines();
      expectOthersUntouched();
      restore();
    }
  }
  expectOthersUntouched();
  // Neither everything refused at the door nor everything let through: all the ways were walked.
  expect(Math.min(met.problem, met.silence, met.answer)).toBeGreaterThan(INPUTS / 20);
});

test('inputs of extreme size and depth', async () => {
  const last = caseOf('stdin');
  const base = `{"session_id":"${VICTIM}","hook_event_name":`;
  const long = (text: string, mebibytes: number) =>
    text.repeat(Math.ceil((mebibytes * (isLong ? 2 ** 20 : 2 ** 18)) / text.length));
  const tasks = long('{"id":"b","type":"shell","status":"running"},', 4).slice(0, -1);
  const inputs = [
    `${base}"Stop","last_assistant_message":"${long('x', 8)}"}`,
    ...['` ', '\\n', '<promise>', '<promise>X</promise>\\n', '- ', '> ', '```\\n', '*'].map(
      (text) => `${base}"Stop","last_assistant_message":"<promise>${long(text, 6)}"}`,
    ),
    `${base}"Stop","background_tasks":[${tasks}]}`,
    `${base}"Stop","prompt_id":"${long('p', 4)}"}`,
    `${base}"Stop","transcript_path":"/${long('t', 1)}"}`,
    `${base}"${long('E', 4)}"}`,
    `${base}"PreToolUse","tool_name":"${long('T', 4)}","tool_input":{"command":"${long('rm ', 4)}"}}`,
    `${base}"PreToolUse","tool_name":"Bash","tool_input":{"command":"${long('(', 1)}"}}`,
    `${base}"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/${long('../', 1)}"}}`,
    `${base}"SessionEnd","reason":"${long('r', 4)}"}`,
    `${base}"ConfigChange","source":"${long('s', 4)}"}`,
    `${base}"TaskCompleted","task_id":"${long('i', 4)}"}`,
    `${base}"SubagentStop","agent_type":"${long('a', 4)}","agent_id":"${long('a', 4)}"}`,
    `${base}"Stop","tool_input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    '['.repeat(3_000_000),
    `{"session_id":"${long('s', 4)}","hook_event_name":"Stop"}`,
  ];
  for (const input of inputs) {
    last.input = Buffer.from(input);
    await expectGoodManners(last.input, 15_000);
    expectSmallLines();
    restore();
  }
  expectOthersUntouched();
});

const STATE_EVENTS = ['Stop', 'Stop', 'Stop', 'SessionStart', 'PreToolUse', 'SessionEnd', 'UserPromptSubmit'];

/** The files that a hook reads, and those that it makes. */
function stateFiles(): string[] {
  const made = ['verdicts', 'output', 'receipt.json'].map((name) => join(folder, name));
  const at = join(world.home, 'sessions', `${VICTIM}.at`);
  return [...Object.keys(victim), ...Object.keys(victim), key.path, at, ...made];
}

const DAMAGES = ['removed', 'a folder', 'changed', 'changed', 'changed', 'a pipe'] as const;

function damage(path: string, how: (typeof DAMAGES)[number]): string {
  const before = isFile(path) ? readFileSync(path, 'utf8') : '1 2 host\n';
  rmSync(path, { recursive: true, force: true });
  if (how === 'a folder') mkdirSync(path);
  if (how === 'a pipe') execFileSync('mkfifo', [path]);
  if (how === 'changed') writeFileSync(path, mutateText(before, random));
  return `${path} is ${how}`;
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const eventOf = (name: string, more: object = {}) =>
  Buffer.from(
    JSON.stringify({ session_id: VICTIM, hook_event_name: name, last_assistant_message: 'not yet', ...more }),
  );

test(`${STATES} states of one session with changed, missing and misplaced files`, async () => {
  const last = caseOf('');
  for (let i = 0; i < STATES; i++) {
    const how = () => DAMAGES[random.below(DAMAGES.length - 1)] ?? 'removed';
    last.what = damage(random.pick(stateFiles()), how());
    if (random.chance(0.3)) last.what += `, ${damage(random.pick(stateFiles()), how())}`;
    last.input = eventOf(random.pick(STATE_EVENTS));
    await expectGoodManners(last.input, 4000);
    expectOthersUntouched();
    restore();
  }
});

test(`${TRANSCRIPTS} transcripts with damaged lines, bytes, cuts, or that are none`, async () => {
  const last = caseOf('transcript');
  const recorded = resolve(import.meta.dirname, '../fixtures/transcripts');
  const texts = readdirSync(recorded).map((name) => readFileSync(join(recorded, name), 'utf8'));
  const path = join(world.folder, 'transcript.jsonl');
  for (let i = 0; i < TRANSCRIPTS; i++) {
    const lines = random.pick(texts).split('\n');
    for (let k = random.below(6); k > 0; k--) {
      const at = random.below(lines.length);
      lines[at] = mutateText(lines[at] ?? '', random).toString('latin1');
    }
    writeFileSync(path, lines.slice(random.below(3)).join(random.chance(0.1) ? '\r\n' : '\n'));
    if (random.chance(0.3)) truncateSync(path, random.below(statSync(path).size + 1));
    const event = { session_id: VICTIM, hook_event_name: 'Stop', transcript_path: path };
    const message = random.chance(0.7) ? { last_assistant_message: `turn ${i}` } : {};
    last.input = Buffer.from(JSON.stringify({ ...event, ...message }));
    await expectGoodManners(last.input, 4000);
    if (i % 20 === 0) restore();
  }
  expectSmallLines();
  expectOthersUntouched();
});

test(`${PROCESSES} processes: any of this, pipes included`, async () => {
  const last = caseOf('');
  const transcript = join(world.folder, 'odd-transcript');
  for (let i = 0; i < PROCESSES; i++) {
    last.what = 'stdin';
    last.input = anyInput(VICTIM, EVENTS, random);
    if (i % 3 === 1) {
      last.what = damage(random.pick(stateFiles()), random.pick(DAMAGES));
      last.input = eventOf(random.pick(STATE_EVENTS), { source: 'resume' });
    }
    if (i % 12 === 2) {
      rmSync(transcript, { recursive: true, force: true });
      writeFileSync(transcript, anyBytes(random, 5000));
      last.what = damage(transcript, random.pick(DAMAGES));
      last.input = eventOf('Stop', { transcript_path: transcript, agent_transcript_path: transcript });
    }
    const end = await callHook(world, last.input).ended;
    expectGoodEnd(last.input, end);
    expect(end.stderr).not.toContain(WAITED);
    if (i % 3 === 1 || i % 20 === 0) {
      expectOthersUntouched();
      restore();
    }
  }
});

test('a lock that nobody lets go is waited for once, then the event is let through', async () => {
  const last = caseOf('a lock of another machine');
  writeFileSync(join(folder, 'lock'), '1 1 another-machine.invalid\n');
  last.input = eventOf('Stop');
  const end = await callHook(world, last.input).ended;
  expectGoodEnd(last.input, end);
  expect(end.stderr).toContain(WAITED);
  expect(readFileSync(join(folder, 'journal.jsonl'), 'latin1')).toBe(victim[join(folder, 'journal.jsonl')]);
});

test('a pipe in place of every file in turn is never waited for', async () => {
  const last = caseOf('');
  for (const path of new Set([...stateFiles(), join(folder, 'lock')])) {
    last.what = damage(path, 'a pipe');
    last.input = eventOf('Stop');
    const end = await callHook(world, last.input).ended;
    expectGoodEnd(last.input, end);
    expect(end.stderr).not.toContain(WAITED);
    restore();
  }
  expectOthersUntouched();
});

test('a file that takes no more in the middle of a line keeps its lines, and the next hook goes on', async () => {
  // In blocks of 512 bytes: the beginning of the second line still fits.
  const blocks = Math.ceil(statSync(join(folder, 'journal.jsonl')).size / 512) + 1;
  const full = ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh'];
  const end = await callHook(world, eventOf('Stop'), full).ended;
  expect(end).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{"systemMessage":"untildone could not judge this Stop, .*EFBIG.*\}\n$/),
    stderr: expect.stringMatching(/^untildone hook: .*EFBIG.*\n$/),
  });
  const torn = readTail(join(folder, 'journal.jsonl'), key.content.trim());
  expect(torn).toMatchObject({ torn: false, bad: 0, line: { state: { iteration: 1 } } });
  const next = await callHook(world, eventOf('Stop')).ended;
  expect(next).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('iteration 2.') });
  const after = readTail(join(folder, 'journal.jsonl'), key.content.trim());
  expect(after).toMatchObject({ torn: false, bad: 0, line: { state: { iteration: 2 } } });
});

test('stdin of 32 MiB is read, a larger one is refused in one line', async () => {
  const fill = (bytes: number) => {
    const empty = eventOf('Stop', { filler: '' });
    const filler = 'x'.repeat(bytes - empty.length);
    return eventOf('Stop', { filler });
  };
  const read = await callHook(world, fill(32 * 2 ** 20)).ended;
  expect(read).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"decision":"block"') });
  const refused = await callHook(world, fill(32 * 2 ** 20 + 1)).ended;
  expect(refused).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^untildone hook: .*32 MiB.*\n$/),
  });
  restore();
});

test.each(few(['', '{', '{"hook_event_name":"Stop"}', '\xff\xfe', ' ', 'null', '[]', '5', '{}'], 4))(
  '%j on stdin: exit 0, nothing on stdout, one line on stderr, nothing changed',
  async (input) => {
    const end = await callHook(world, input).ended;
    expect(end).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^untildone hook: [^\n]+\n$/),
    });
    expect(filesOf(world, VICTIM)).toEqual(victim);
    expectOthersUntouched();
  },
);
