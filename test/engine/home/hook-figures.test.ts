import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HookEvent } from '../../../src/engine/core/loop/event.ts';
import {
  figureFiles,
  figureOf,
  figuresFolder,
  parseFigure,
  writeFigure,
} from '../../../src/engine/home/hook-figures.ts';
import { type Home, homeAt } from '../../../src/engine/home/layout.ts';
import { makeFifo } from '../../support/files/workers.ts';

function newHome(): Home {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'untildone-figures-')));
  onTestFinished(() => rmSync(home.root, { recursive: true, force: true }));
  return home;
}

const DAY = 86_400_000;
const AT = Date.parse('2026-03-01T12:00:00Z');
const PROMPT = { name: 'UserPromptSubmit', session: 's1', prompt: 'Grüße\nan alle' } as HookEvent;
const figure = (at = AT, event = PROMPT) =>
  figureOf(event, { at, project: '/p', answer: 'silence', ms: 12.345 });
const write = (home: Home, at = AT) => writeFigure(figure(at), home, {});
const today = (home: Home) => join(figuresFolder(home), 'hooks-2026-03-01.jsonl');

describe('the figures of a hook call', () => {
  test('are one line that says what, when, where and how long, and nothing of the prompt but its length', () => {
    const home = newHome();
    write(home);
    const [line = '', ...rest] = readFileSync(today(home), 'utf8').split('\n');
    expect(rest).toEqual(['']);
    expect(JSON.parse(line)).toEqual({
      at: AT,
      event: 'UserPromptSubmit',
      session: 's1',
      project: '/p',
      answer: 'silence',
      ms: 12.3,
      promptChars: 13,
    });
    expect(parseFigure(line)).toEqual(figure());
    expect(statSync(today(home)).mode & 0o777).toBe(0o600);
  });

  test('stay short, whatever the names are', () => {
    const long = { name: 'other', eventName: 'E'.repeat(9999), session: 's'.repeat(9999) } as HookEvent;
    const made = figureOf(long, { at: AT, project: 'p'.repeat(99_999), answer: 'silence', ms: 1 });
    expect(JSON.stringify(made).length).toBeLessThan(1500);
  });

  test('are not collected where that is switched off, and make no home', () => {
    const home = newHome();
    writeFigure(figure(), home, { UNTILDONE_METRICS: '0' });
    expect(readdirSync(home.root)).toEqual([]);
    rmSync(home.root, { recursive: true });
    write(home);
    expect(existsSync(home.root)).toBe(false);
  });

  test.each<[string, (path: string) => void]>([
    ['a pipe', makeFifo],
    ['a folder', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync('/dev/full', path)],
  ])('are left out where %s is in the place of their file', (_, make) => {
    const home = newHome();
    mkdirSync(figuresFolder(home));
    make(today(home));
    write(home);
  });

  test('are left out where their folder is a file', () => {
    const home = newHome();
    writeFileSync(figuresFolder(home), 'mine');
    write(home);
    expect(readFileSync(figuresFolder(home), 'utf8')).toBe('mine');
  });

  test('of many hooks at once are whole lines, none of them lost', async () => {
    const home = newHome();
    await Promise.all(Array.from({ length: 200 }, async () => write(home)));
    const lines = readFileSync(today(home), 'utf8').trimEnd().split('\n');
    expect(lines.map(parseFigure)).toEqual(Array(200).fill(figure()));
  });

  test('take up a bounded place: a day, and all days together', () => {
    const home = newHome();
    write(home);
    truncateSync(today(home), 4 * 1024 * 1024);
    write(home);
    expect(statSync(today(home)).size).toBe(4 * 1024 * 1024);
    for (let day = 1; day <= 12; day++) {
      write(home, AT + day * DAY);
      const file = figureFiles(home).at(-1) ?? '';
      truncateSync(file, 4 * 1024 * 1024);
    }
    const sizes = figureFiles(home).map((file) => statSync(file).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(36 * 1024 * 1024);
    expect(figureFiles(home).at(-1)).toContain('hooks-2026-03-13');
  });

  test('of more than 120 days are forgotten', () => {
    const home = newHome();
    for (let day = 0; day < 125; day++) write(home, AT + day * DAY);
    expect(figureFiles(home)).toHaveLength(120);
  });
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"at":1}',
  '{"at":"1","ms":2,"event":"a","session":"b","project":"c","answer":"d"}',
])('the line %j is no figure', (line) => {
  expect(parseFigure(line)).toBeUndefined();
});
