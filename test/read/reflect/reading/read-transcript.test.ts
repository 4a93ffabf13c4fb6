import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { readTranscript } from '../../../../src/read/reflect/reading/read-transcript.ts';
import type { TranscriptRecord } from '../../../../src/read/reflect/reading/records.ts';
import { plain, readInPieces } from '../../../support/reflect/records.ts';

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures/transcripts');
const folder = mkdtempSync(join(tmpdir(), 'reading-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function recordsIn(...lines: readonly (object | string)[]): Record<string, unknown>[] {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return readInPieces(Buffer.from(`${text}\n`), [1 << 20]).records;
}

const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const answer = (block: object, more: object = {}) => ({
  type: 'assistant',
  message: { id: 'm1', model: 'opus', content: [block], stop_reason: 'tool_use', ...more },
});
const result = (content: string, more: object = {}, entry: object = {}) =>
  user([{ type: 'tool_result', tool_use_id: 't1', content, ...more }], entry);

describe('records', () => {
  test.each<[string, object, object]>([
    [
      'a prompt',
      user('Do it', { uuid: 'u1', promptSource: 'sdk' }),
      { kind: 'prompt', source: 'sdk', uuid: 'u1' },
    ],
    [
      'a slash command for the model',
      user('<command-message>go</command-message>\n<command-name>/go</command-name>'),
      { kind: 'prompt', command: '/go' },
    ],
    [
      'a prompt that was sent while the agent worked',
      {
        type: 'attachment',
        attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'And that' },
      },
      { kind: 'prompt', queued: true, text: { head: 'And that', tail: '', size: 8 } },
    ],
    [
      'feedback of a Stop hook',
      user('Stop hook feedback:\nnot yet', { isMeta: true }),
      { kind: 'hook', what: 'block' },
    ],
    [
      'an interruption',
      user([{ type: 'text', text: '[Request interrupted by user]' }]),
      { kind: 'interruption' },
    ],
    [
      'the end of background work',
      user(
        '<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t9</tool-use-id>\n<status>failed</status>\n<summary>Background command "x" failed with exit code 4</summary>\n</task-notification>',
      ),
      { kind: 'notification', task: 'b1', toolUse: 't9', status: 'failed', exit: 4, starts: true },
    ],
    ['a command that worked', result('ok', { is_error: false }), { outcome: 'ok', exit: 0 }],
    ['a command that failed', result('Exit code 3\nout', { is_error: true }), { outcome: 'error', exit: 3 }],
    [
      'a command that took too long',
      result('Exit code 143\nCommand timed out after 1s', { is_error: true }),
      { outcome: 'timeout', exit: 143 },
    ],
    [
      'a refusal by a rule',
      result('Permission to use Bash with command rm has been denied.', { is_error: true }),
      { outcome: 'denied' },
    ],
    [
      'a refusal by a hook',
      result(
        'PreToolUse:Bash hook error: [x]: no',
        { is_error: true },
        {
          toolDenialKind: 'permission-rule',
          permissionDecision: { source: 'hook' },
        },
      ),
      { outcome: 'denied', deniedBy: 'hook' },
    ],
    [
      'a refusal by a person',
      result("The user doesn't want to proceed with this tool use. The tool use was rejected", {
        is_error: true,
      }),
      { outcome: 'rejected' },
    ],
    [
      'a call of a tool that is not there',
      result('<tool_use_error>Error: No such tool available: Grep</tool_use_error>', { is_error: true }),
      { outcome: 'invalid' },
    ],
    [
      'an exit code that is no error',
      result('', { is_error: false }, { toolUseResult: { returnCodeInterpretation: 'No matches found' } }),
      { outcome: 'ok', exitMeans: 'No matches found' },
    ],
    [
      'a command in the background',
      result('Command running', { is_error: false }, { toolUseResult: { backgroundTaskId: 'b7' } }),
      { background: 'b7' },
    ],
    [
      'a call with its inputs',
      answer({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls', run_in_background: true } }),
      { kind: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls', background: true }, size: 6 },
    ],
    [
      'an API error',
      { ...answer({ type: 'text', text: 'API Error: 429 slow' }), isApiErrorMessage: true },
      { status: 429, rateLimit: true },
    ],
    [
      'an API error before a retry',
      { type: 'system', subtype: 'api_error', error: { status: 529 }, retryAttempt: 2, retryInMs: 500 },
      { kind: 'api_error', status: 529, retry: { attempt: 2, inMs: 500 } },
    ],
    [
      'a compaction',
      { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 9 } },
      { kind: 'compaction', trigger: 'auto', preTokens: 9 },
    ],
    ['the cost', { type: 'cost-state', totalCostUSD: 0.5 }, { kind: 'cost', totalUsd: 0.5 }],
  ])('%s', (_, line, expected) => {
    expect(recordsIn(line)).toEqual([expect.objectContaining({ line: 1, ...expected })]);
  });

  test.each<[string, object | string]>([
    ['a line of meta', user('caveat', { isMeta: true })],
    ['the summary after a compaction', user('This session is being continued from a previous conversation')],
    ['a command that Claude Code handles itself', user('<command-name>/clear</command-name>')],
    ['a notice of Claude Code', answer({ type: 'text', text: 'x' }, { model: '<synthetic>' })],
    [
      'a snapshot',
      { parentUuid: null, attachment: { type: 'prompt_snapshot', text: 'x' }, type: 'attachment' },
    ],
    ['an unknown type', { type: 'later', message: {} }],
  ])('%s tells nothing', (_, line) => {
    expect(recordsIn(line)).toEqual([]);
  });

  test('an answer is counted once, and growing usage by its largest', () => {
    const lines = [3, 3, 9].map((output_tokens) =>
      answer({ type: 'text', text: 'x' }, { usage: { input_tokens: 5, output_tokens } }),
    );
    const usage = recordsIn(...lines).filter(({ kind }) => kind === 'usage');
    expect(usage.map(({ input, output, first }) => [input, output, first])).toEqual([
      [5, 3, true],
      [0, 6, false],
    ]);
  });

  test('an edit and the edit that takes it back have the same hashes the other way round', () => {
    const edit = (old_string: string, new_string: string) =>
      answer({ type: 'tool_use', id: 't', name: 'Edit', input: { file_path: '/a', old_string, new_string } });
    const [there, back] = recordsIn(edit('é one', 'two'), edit('two', 'é one')).map(
      ({ edits }) => (edits as { before: string; after: string }[])[0],
    );
    expect([there?.before, there?.after]).toEqual([back?.after, back?.before]);
  });

  test('what stands around a record is shared by lines in a row', () => {
    const seen: TranscriptRecord[] = [];
    const path = join(folder, 'where.jsonl');
    const line = { ...user('x'), sessionId: 's', cwd: '/p/ü', version: '1', gitBranch: 'main' };
    writeFileSync(path, [line, line, { ...line, cwd: '/q' }].map((l) => `${JSON.stringify(l)}\n`).join(''));
    readTranscript(path, (record) => seen.push(record));
    expect(seen.map(({ where }) => where.cwd)).toEqual(['/p/ü', '/p/ü', '/q']);
    expect(seen[0]?.where).toBe(seen[1]?.where);
  });
});

describe('texts', () => {
  /** Characters that are written in several ways, or that end strings when they are misread. */
  const pieces = [
    'a',
    '"',
    '\\',
    '\\"',
    '\n',
    'é',
    '—',
    '😀',
    '\u001b[31m',
    '\u0000',
    '\u00e9\u00c3',
    '{"a":[1]}',
    '\ud800',
  ];
  const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));

  test('come out as they were written, also by a writer that escapes everything', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, escapesAll) => {
        const line = JSON.stringify(user(text));
        const written = escapesAll
          ? line.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : line;
        const [found] = recordsIn(written);
        // Half a character becomes a replacement character on its way to the disk.
        const whole = escapesAll ? text : Buffer.from(text).toString();
        const isPrompt = !/^\s*</.test(text);
        if (isPrompt && !text.includes('\ud800')) expect(found).toMatchObject({ text: { head: whole } });
      }),
      { numRuns: 200 },
    );
  });

  test('that are long keep their two ends and their size', () => {
    const text = `begin ${'é"\\'.repeat(300_000)} end`;
    const [found] = recordsIn(user(text)) as { text: { head: string; tail: string; size: number } }[];
    expect(found?.text.head.startsWith('begin é"\\')).toBe(true);
    expect(found?.text.tail.endsWith('é"\\ end')).toBe(true);
    expect([found?.text.head.length, found?.text.tail.length]).toEqual([2000, 2000]);
    expect(found?.text.size).toBeGreaterThan(1_000_000);
  });
});

describe('the same records come out', () => {
  const line = fc
    .tuple(
      fc.constantFrom('"', '\\', 'é', 'x', '\\u00e9', '\n', '}],', '\\\\'),
      fc.nat({ max: 40_000 }),
      fc.nat({ max: 6 }),
      fc.boolean(),
    )
    .map(([unit, times, many, isResult]) => {
      const text = unit.repeat(times);
      const small = Array.from({ length: many }, (_, i) => ({ [`k${i}`]: [text.slice(0, 9), i, null] }));
      const more = { toolUseResult: { stdout: text, structuredPatch: small, interrupted: false } };
      return JSON.stringify(isResult ? result(text, { is_error: true }, more) : { ...user(text), small });
    });
  const transcript = fc.array(fc.oneof(line, fc.constantFrom('', '{"torn', 'null', '[]')), { maxLength: 6 });

  test('for every split of the bytes, whether lines are long or not', () => {
    fc.assert(
      fc.property(
        transcript,
        fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(1_000, 60_000),
        (lines, sizes, longLine) => {
          const bytes = Buffer.from(lines.join('\n'));
          const whole = readInPieces(bytes, [bytes.length + 1], longLine);
          expect(readInPieces(bytes, sizes, longLine)).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('for recorded transcripts, byte by byte, and with every line made short', () => {
    for (const name of readdirSync(FIXTURES)) {
      const bytes = readFileSync(join(FIXTURES, name));
      const whole = readInPieces(bytes, [bytes.length]);
      expect(whole.counts, name).toMatchObject({ badLines: 0, torn: false });
      expect(whole.records.length, name).toBeGreaterThan(2);
      expect(readInPieces(bytes, [1]), name).toEqual(whole);
      expect(readInPieces(bytes, [777], 700), name).toEqual(whole);
    }
  });
});

describe('files', () => {
  test('that are torn, damaged or no transcripts are counted and never end the reading', () => {
    const path = join(folder, 'damaged.jsonl');
    writeFileSync(
      path,
      `no json\n${'\0'.repeat(10)}${JSON.stringify(user('x'))}\n[1]\n\n{"type":"user","mess`,
    );
    const seen: unknown[] = [];
    const counts = readTranscript(path, (record) => seen.push(plain(record)));
    expect(seen).toHaveLength(1);
    expect(counts).toMatchObject({ lines: 5, badLines: 2, torn: true });
  });

  test('that are no regular files are refused without waiting; a link to one is read', () => {
    const fifo = join(folder, 'fifo.jsonl');
    execFileSync('mkfifo', [fifo]);
    const none = () => {};
    expect(readTranscript(fifo, none).problem).toContain('regular');
    expect(readTranscript(folder, none).problem).toContain('regular');
    expect(readTranscript(join(folder, 'missing'), none).problem).toBe('ENOENT');
    writeFileSync(join(folder, 'real.jsonl'), `${JSON.stringify(user('x'))}\n`);
    symlinkSync(join(folder, 'real.jsonl'), join(folder, 'link.jsonl'));
    expect(readTranscript(join(folder, 'link.jsonl'), none)).toMatchObject({ lines: 1 });
  });

  test('with lines of tens of megabytes are read in bounded memory', () => {
    const path = join(folder, 'huge.jsonl');
    const long = 'x"\\é\n'.repeat(3_000_000);
    const patch = Array.from({ length: 100_000 }, (_, i) => `-line ${i}`);
    writeFileSync(path, `${JSON.stringify(result(long, {}, { toolUseResult: { stdout: long, patch } }))}\n`);
    writeFileSync(path, `${JSON.stringify(user('after'))}\n`, { flag: 'a' });
    const before = process.memoryUsage().arrayBuffers;
    const seen: Record<string, unknown>[] = [];
    const counts = readTranscript(path, (record) => seen.push(plain(record)));
    const used = process.memoryUsage().arrayBuffers - before;
    expect(seen.map(({ kind }) => kind)).toEqual(['tool_result', 'prompt']);
    const [size] = seen.map(({ text }) => (text as { size: number }).size);
    expect(size).toBeGreaterThan(15_000_000);
    expect(counts).toMatchObject({ lines: 2, badLines: 0, longLines: 1 });
    expect(used).toBeLessThan(16 * 1024 * 1024);
  });
});
