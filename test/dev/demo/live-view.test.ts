import { describe, expect, test } from 'vitest';
import { liveView, usefulLines } from '../../../src/dev/demo/live-view.ts';
import type { Happening } from '../../../src/engine/client/sdk/stream.ts';
import { rendered } from '../../../src/engine/terminal/style.ts';

function view(options: { colour?: boolean; width?: number } = {}) {
  const lines: string[] = [];
  let seconds = 0;
  const shown = liveView({
    colour: options.colour ?? false,
    width: options.width ?? 100,
    project: '/tmp/demo/project',
    elapsed: () => {
      seconds += 0.5;
      return seconds;
    },
    out: (line) => lines.push(line),
  });
  return { lines, ...shown };
}

const call = (tool: string, input: Record<string, unknown>): Happening => ({
  kind: 'called',
  id: 't1',
  tool,
  input,
});

describe('the live view', () => {
  test('says when, who and what, and names a speaker once', () => {
    const { lines, say } = view();
    say('claude', 'one');
    say('claude', 'two\nthree');
    say('untildone', 'four');
    expect(lines).toEqual([
      ' 0.5s  claude     one',
      ' 1.0s             two',
      '                  three',
      ' 1.5s  untildone  four',
    ]);
  });

  test('a hold shows the whole reason, quoted', () => {
    const { lines, show } = view();
    show({ kind: 'held', reason: 'untildone: iteration 2 of 10.\n\nFails: tests' });
    expect(lines).toEqual([
      ' 0.5s  untildone  STOP HELD. Claude is told:',
      '                  | iteration 2 of 10.',
      '                  | Fails: tests',
    ]);
  });

  test('an edit is shown as what goes and what comes, with the path inside the project', () => {
    const { lines, show } = view();
    show(
      call('Edit', { file_path: '/tmp/demo/project/src/a.js', old_string: 'a - b', new_string: 'a + b\nc' }),
    );
    expect(lines).toEqual([
      ' 0.5s  tool       Edit src/a.js',
      '                  - a - b',
      '                  + a + b',
      '                  + c',
    ]);
  });

  test('a path outside the project is shown whole', () => {
    const { lines, show } = view();
    show(call('Read', { file_path: '/etc/passwd' }));
    expect(lines).toEqual([' 0.5s  tool       Read /etc/passwd']);
  });

  test('the result of a quiet tool is shown only when it failed', () => {
    const { lines, show } = view();
    show(call('Read', { file_path: '/tmp/demo/project/a.js' }));
    show({ kind: 'returned', id: 't1', output: '1\tcode', failed: false });
    show({ kind: 'returned', id: 't1', output: 'no such file', failed: true });
    expect(lines).toEqual([' 0.5s  tool       Read a.js', ' 1.0s             no such file']);
  });

  test('commands, other tools and a failed session are named', () => {
    const { lines, show } = view();
    show(call('Bash', { command: 'node --test' }));
    show(call('WebSearch', { query: 'x' }));
    show({ kind: 'finished', failed: true, text: 'API error' });
    show({ kind: 'finished', failed: false, text: 'fine' });
    expect(lines).toEqual([
      ' 0.5s  tool       $ node --test',
      ' 1.0s             WebSearch {"query":"x"}',
      ' 1.5s  demo       the session failed: API error',
    ]);
  });

  test('long lines are broken between words, and quotations stay quotations', () => {
    const { lines, show } = view({ width: 48 });
    show({ kind: 'held', reason: 'aaaa bbbb cccc dddd eeee ffff' });
    expect(lines.slice(1)).toEqual([
      '                  | aaaa bbbb cccc dddd eeee',
      '                  | ffff',
    ]);
  });

  test('a word that is wider than the terminal is left whole', () => {
    const { lines, quote } = view({ width: 10 });
    quote('x'.repeat(30));
    expect(lines).toEqual([`  ${'x'.repeat(30)}`]);
  });

  test('what is broken goes on further in where that is asked for', () => {
    const { lines, quote } = view({ width: 24 });
    quote('00:00:00 aaaa bbbb cccc dddd', 9);
    expect(lines).toEqual(['  00:00:00 aaaa', '           bbbb cccc', '           dddd']);
  });

  test('what others wrote cannot steer the terminal', () => {
    const { lines, show } = view({ colour: true });
    show({ kind: 'said', text: 'a\x1b[2Jb\rc\x07' });
    expect(lines[0]).toMatch(/ab\\u\{d\}c\\u\{7\}$/);
  });

  test('blank lines never double', () => {
    const { lines, quote, heading } = view();
    quote('a\n\n');
    quote('');
    heading('b');
    expect(lines).toEqual(['  a', '', 'b']);
  });

  test('without colour no escape character is written, with it the words are the same', () => {
    const texts = [false, true].map((colour) => {
      const { lines, say, heading, check } = view({ colour });
      say('claude', 'hello');
      heading('What happened');
      check('it worked', true);
      check('it worked again', false);
      return lines.map(rendered).join('\n');
    });
    const [plain = '', coloured = ''] = texts;
    expect(plain).not.toContain('\x1b');
    expect(coloured).toContain('\x1b[36m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: taking the colours away is the point
    expect(coloured.replace(/\x1b\[\d+m/g, '')).toBe(plain);
    expect(plain).toContain('ok   it worked\n  NOT  it worked again');
  });
});

describe('of the output of a tool', () => {
  test('a short one is shown whole', () => {
    expect(usefulLines('a\n\nb\n')).toBe('a\nb');
    expect(usefulLines('\n')).toBe('(no output)');
  });

  test('a long one is reduced to the results of tests, in both spellings of node', () => {
    const noise = Array.from({ length: 20 }, (_, i) => `  noise ${i}`).join('\n');
    expect(usefulLines(`Exit code 1\n${noise}\nnot ok 1 - adds\n# fail 1`)).toBe(
      'Exit code 1\nnot ok 1 - adds\n# fail 1\n(20 more lines)',
    );
    expect(usefulLines(`✖ adds (1ms)\n${noise}\nℹ fail 1`)).toBe('✖ adds (1ms)\nℹ fail 1\n(20 more lines)');
  });

  test('a long one without tests is cut', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    expect(usefulLines(lines.join('\n'))).toBe([...lines.slice(0, 8), '(12 more lines)'].join('\n'));
  });
});
