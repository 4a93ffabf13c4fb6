import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readToolCalls } from '../../../../src/engine/client/transcript/tool-calls.ts';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import type { StatePlace } from '../../../../src/engine/formats/format.ts';
import { lockFormat } from '../../../../src/engine/formats/lock/index.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { T0 } from '../../../support/core/samples.ts';
import {
  done,
  HOUR,
  home,
  lines,
  makeLock,
  metrics,
  place,
  put,
  runtime,
  useLockFolder,
} from '../../../support/formats/lock-folder.ts';
import { rounds } from '../../../support/long.ts';

useLockFolder();

describe('what is kept of other events', () => {
  const event = (name: string, more: Record<string, unknown> = {}) =>
    ({ session: 's1', name, ...more }) as unknown as HookEvent;
  const observe = (seen: HookEvent, changes: Partial<StatePlace> = {}) =>
    lockFormat.observe?.(seen, place(changes), foreignFiles, readToolCalls) ?? [];
  const prompt = (text: string, session = 's1') => event('UserPromptSubmit', { prompt: text, session });
  const request = (session = 's1') => runtime(`logs/${session}/ORIGINAL_REQUEST.md`);

  test('nothing in a project without lock mode; else of every session, locked or not', () => {
    const tool = event('PreToolUse', { tool: 'Bash', input: {} });
    expect(observe(tool)).toEqual([]);
    mkdirSync(runtime(), { recursive: true });
    expect(observe(tool)).toEqual([]);
    mkdirSync(runtime('locks'));
    expect(observe(tool)).toHaveLength(3);
    makeLock('session_id: s2\n');
    expect(observe(tool)).toHaveLength(3);
    expect(observe(event('other', { eventName: 'PostCompact' }))).toEqual([]);
  });

  test('a Stop that no lock holds is logged; one that a lock may hold is left to it', () => {
    const log = () => lines(runtime('logs/s1/hook_logs.txt')).map((line) => line.slice(27));
    mkdirSync(runtime('locks'), { recursive: true });
    done(observe(event('Stop')));
    makeLock();
    expect(observe(event('Stop'))).toEqual([]);
    expect(observe(event('SubagentStop', { agentId: 'a' }))).toEqual([]);
    done(observe(event('Stop'), { now: T0 + 25 * HOUR }));
    rmSync(runtime('locks/.lock_active'));
    mkdirSync(runtime('locks/.lock_active'));
    done(observe(event('Stop')));
    expect(log()).toEqual([
      '[INFO] stop: approved, no lock is active',
      '[WARN] stop: approved, the lock has expired',
      expect.stringMatching(/^\[WARN\] stop: approved, the lock cannot be used: .*is a folder/),
    ]);
  });

  describe('from the transcript', () => {
    const AT = '2026-01-01T00:00:09.000Z';
    const call = (id: string, name: string) => ({
      type: 'assistant',
      timestamp: AT,
      message: { content: [{ type: 'tool_use', id, name, input: { command: 'rm "tool_use"' } }] },
    });
    const result = (id: string, isError: boolean) => ({
      type: 'user',
      timestamp: AT,
      message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: isError, content: 'x' }] },
    });
    const transcript = () => join(home(), 't.jsonl');
    const add = (...all: object[]) =>
      appendFileSync(transcript(), all.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const seen = (name: string, more: Record<string, unknown> = {}) =>
      done(observe(event(name, { transcript: transcript(), ...more })));
    const figures = () => metrics('post_tool_use').map((line) => Object.values(line as object).slice(0, 3));

    beforeEach(() => mkdirSync(runtime('locks'), { recursive: true }));

    test('every call and every error, each once, with its own time, at the end of a turn', () => {
      add(call('1', 'Read'), result('1', false), call('2', 'Grep'), result('2', true), call('3', 'Bash'));
      expect(seen('PreToolUse', { tool: 'Bash', input: {} })).toEqual([]);
      seen('Stop');
      expect(figures()).toEqual([
        [AT, 'tool_usage', 'Read'],
        [AT, 'file_operations', 1],
        [AT, 'tool_usage', 'Grep'],
        [AT, 'search_operations', 1],
        [AT, 'tool_usage', 'Bash'],
        [AT, 'bash_commands', 1],
        [AT, 'tool_errors', 'Grep'],
      ]);
      expect(lines(runtime('logs/s1/hook_logs.txt'))[0]).toBe(`[${AT}] [WARN] post_tool_use: Grep failed`);
      seen('Stop');
      seen('UserPromptSubmit', { prompt: 'go on' });
      expect(figures()).toHaveLength(7);
      // The result of a call that was counted before.
      add(result('3', true));
      appendFileSync(transcript(), JSON.stringify(call('4', 'Bash')));
      seen('SessionEnd', { reason: 'other' });
      expect(figures().slice(7)).toEqual([[AT, 'tool_errors', 'Bash']]);
      appendFileSync(transcript(), '\n');
      seen('other', { eventName: 'PreCompact' });
      expect(figures().slice(8)).toHaveLength(2);
    });

    test('while a lock is there, too, and of each session by itself', () => {
      makeLock();
      add(call('1', 'Glob'));
      seen('Stop');
      seen('Stop', { session: 's2' });
      expect(figures().filter(([, metric]) => metric === 'search_operations')).toHaveLength(2);
      expect(readdirSync(runtime('logs'))).toEqual(['.gitignore', 's1', 's2']);
    });

    test('what a resumed session did before is not counted', () => {
      add(call('1', 'Bash'));
      seen('SessionStart', { source: 'resume' });
      add(call('2', 'Edit'));
      seen('Stop');
      expect(figures().map(([, , value]) => value)).toEqual(['Edit', 1]);
    });

    test.each(['', 'no json\n', '{"message":{"content":[{"type":"tool_use"}]}}\n', '[]\n"tool_use"\nnull\n'])(
      'a transcript like %j is none',
      (text) => {
        writeFileSync(transcript(), text);
        seen('Stop');
        seen('Stop', { transcript: join(home(), 'none.jsonl') });
        seen('Stop', { transcript: home() });
        expect(existsSync(runtime('metrics'))).toBe(false);
      },
    );

    test('what is kept of the last reading may be anything', () => {
      add(call('1', 'Bash'));
      for (const text of [
        '',
        '{',
        'null',
        '{"transcript_offset":"x","open":1}',
        '{"transcript_offset":1e99}',
      ]) {
        put(runtime('logs/s1/.counted.json'), text);
        expect(seen('Stop')).toEqual([]);
      }
      expect(figures()).toHaveLength(10);
    });
  });

  test('a session start and the length of each prompt', () => {
    makeLock();
    done(observe(event('SessionStart', { source: 'startup' })));
    done(observe(prompt('short')));
    done(observe(prompt('<task-notification>something ended</task-notification>')));
    expect(metrics('session_start')).toMatchObject([
      { metric: 'session_start', value: 'startup', session_id: 's1', hook: 'session_start' },
      { metric: 'prompt_length', value: 5 },
    ]);
    expect(existsSync(request())).toBe(false);
  });

  test('the first substantial request of each session, without its secrets', () => {
    makeLock();
    done(observe(prompt('/amplihack:lock with many words behind it')));
    done(observe(prompt('<task-notification>a shell has ended</task-notification>')));
    expect(existsSync(request())).toBe(false);
    done(observe(prompt('/src/login.ts is broken, fix it. password=hunter2hunter2')));
    done(observe(prompt('And now for something completely different')));
    done(observe(prompt('The request of another session', 's2')));
    expect(readFileSync(request(), 'utf8')).toBe(
      '# Original request\n\nSession: s1\nKept: 2026-01-01T00:00:01.000Z\n\n' +
        '/src/login.ts is broken, fix it. password=[redacted]\n',
    );
    expect(readFileSync(request('s2'), 'utf8')).toContain('The request of another session');
    expect(lines(runtime('logs/s1/hook_logs.txt'))).toHaveLength(1);
  });

  test('a request that came in between is not overwritten', () => {
    makeLock();
    const changes = observe(prompt('Build the whole login page'));
    put(request(), 'the first one\n');
    expect(done(changes)).toEqual([]);
    expect(readFileSync(request(), 'utf8')).toBe('the first one\n');
  });

  test('tools by what they do', () => {
    makeLock();
    for (const tool of ['Bash', 'Edit', 'Grep', 'Task'])
      done(observe(event('PreToolUse', { tool, input: {} })));
    done(observe(event('PostToolUseFailure', { tool: 'Bash', input: {} })));
    expect(metrics('post_tool_use').map((line) => Object.values(line as object).slice(1, 3))).toEqual([
      ['tool_usage', 'Bash'],
      ['bash_commands', 1],
      ['tool_usage', 'Edit'],
      ['file_operations', 1],
      ['tool_usage', 'Grep'],
      ['search_operations', 1],
      ['tool_usage', 'Task'],
      ['tool_errors', 'Bash'],
    ]);
    expect(lines(runtime('logs/s1/hook_logs.txt'))[0]).toMatch(/\[WARN\] post_tool_use: Bash failed$/);
  });

  test('lines stay short and on one line, whatever a tool is called', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000, unit: anyCharacter }), (tool) => {
        makeLock();
        for (const change of observe(event('PreToolUse', { tool, input: {} }))) {
          if (change.kind !== 'append') throw new Error(change.kind);
          expect(change.text.length).toBeLessThanOrEqual(500);
          expect(change.text.trimEnd()).not.toContain('\n');
          if (change.path.endsWith('.jsonl'))
            expect(JSON.parse(change.text)).toMatchObject({ session_id: 's1' });
        }
      }),
      { numRuns: rounds(50, 15) },
    );
  });

  describe('before a compaction', () => {
    const compact = (transcript?: string) => event('other', { eventName: 'PreCompact', transcript });
    const copies = () => readdirSync(runtime('logs/s1/transcripts'));

    test('the very first export makes its folder', () => {
      makeLock();
      const transcript = join(home(), 't.jsonl');
      writeFileSync(transcript, '{}\n');
      expect(done(observe(compact(transcript)))).toEqual([]);
      expect(copies()).toEqual(['2026-01-01T00-00-01-000Z.jsonl']);
      expect(readdirSync(runtime('logs'))).toEqual(['.gitignore', 's1']);
    });

    test('the transcript is exported, and only the last five exports are kept', () => {
      makeLock();
      const transcript = join(home(), 't.jsonl');
      put(runtime('logs/s1/transcripts/CONVERSATION_TRANSCRIPT.md'), 'of somebody else');
      for (let i = 1; i <= 7; i++) {
        writeFileSync(transcript, `{"n":${i}}\n`);
        expect(done(observe(compact(transcript), { now: T0 + i * 1000 }))).toEqual([]);
      }
      expect(copies()).toEqual([
        ...[3, 4, 5, 6, 7].map((i) => `2026-01-01T00-00-0${i}-000Z.jsonl`),
        'CONVERSATION_TRANSCRIPT.md',
      ]);
      expect(readFileSync(runtime('logs/s1/transcripts/2026-01-01T00-00-07-000Z.jsonl'), 'utf8')).toBe(
        '{"n":7}\n',
      );
      expect(metrics('pre_compact')).toHaveLength(7);
      expect(metrics('pre_compact')[0]).toMatchObject({ metric: 'conversation_exports', value: 1 });
    });

    test('a transcript that is missing or too large is said in the log, and is no export', () => {
      makeLock();
      const large = join(home(), 'large.jsonl');
      writeFileSync(large, '');
      truncateSync(large, 64 * 1024 * 1024 + 1);
      for (const transcript of [undefined, join(home(), 'none.jsonl'), home(), large])
        done(observe(compact(transcript)));
      expect(lines(runtime('logs/s1/hook_logs.txt')).map((line) => line.slice(27))).toEqual([
        '[WARN] pre_compact: there is no transcript to export',
        '[WARN] pre_compact: there is no transcript to export',
        '[WARN] pre_compact: there is no transcript to export',
        '[WARN] pre_compact: the transcript is larger than 67108864 bytes: not exported',
      ]);
      expect(existsSync(runtime('metrics'))).toBe(false);
    });

    test('a folder of exports that is a link is not written through', () => {
      makeLock();
      const away = join(home(), 'away');
      mkdirSync(away);
      mkdirSync(runtime('logs/s1'), { recursive: true });
      symlinkSync(away, runtime('logs/s1/transcripts'));
      const transcript = join(home(), 't.jsonl');
      writeFileSync(transcript, '{}\n');
      expect(done(observe(compact(transcript)))).toEqual([]);
      expect(readdirSync(away)).toEqual([]);
    });
  });
});
