// Tier: world
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { init } from '../../../src/cli/contract/init.ts';
import { parseContract } from '../../../src/engine/contract/read.ts';

let project: string;
let lines: string[];
let questions: string[];
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'untildone-init-'));
  lines = [];
  questions = [];
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const path = () => join(project, 'untildone.yaml');
const out = (line: string) => void lines.push(line);
const answering = (answer: boolean, meanwhile: () => void = () => {}) => {
  return async (question: string) => {
    questions.push(question);
    meanwhile();
    return answer;
  };
};
const onTerminal = (answer: boolean, meanwhile?: () => void) =>
  init({ project, yes: false, terminal: true }, answering(answer, meanwhile), out);
const withYes = (terminal = false) => init({ project, yes: true, terminal }, answering(true), out);

describe('on a terminal', () => {
  test('the proposal is shown, asked about and written, and counts as agreed to', async () => {
    writeFileSync(join(project, 'package.json'), '{"scripts": {"test": "vitest run"}}');
    const result = await onTerminal(true);
    const text = readFileSync(path(), 'utf8');
    expect(result).toEqual({ exitCode: 0, agreed: text });
    expect(questions).toEqual(['Write this to untildone.yaml?']);
    expect(`${lines.join('\n')}\n`).toContain(text);
    expect(text).toContain('tests:  { run: npm test, timeout: 10m }');
    expect(parseContract(text, 'untildone.yaml').ok).toBe(true);
    expect(statSync(path()).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  test('a person who declines gets nothing, and nothing is agreed to', async () => {
    expect(await onTerminal(false)).toEqual({ exitCode: 0 });
    expect(readdirSync(project)).toEqual([]);
    expect(lines.at(-1)).toBe('Nothing was written.');
  });

  test('a file that appears while the person thinks is left as it is', async () => {
    const result = await onTerminal(true, () => writeFileSync(path(), 'task: mine\n'));
    expect(result).toEqual({ exitCode: 2 });
    expect(readFileSync(path(), 'utf8')).toBe('task: mine\n');
    expect(readdirSync(project)).toEqual(['untildone.yaml']);
  });
});

describe('without a terminal', () => {
  test('--yes writes without asking, and approves nothing', async () => {
    expect(await withYes()).toEqual({ exitCode: 0 });
    expect(questions).toEqual([]);
    expect(parseContract(readFileSync(path(), 'utf8'), 'untildone.yaml').ok).toBe(true);
    expect(readdirSync(project)).toEqual(['untildone.yaml']);
  });

  test('nothing is written unasked', async () => {
    const result = await init({ project, yes: false, terminal: false }, answering(true), out);
    expect(result).toEqual({ exitCode: 2 });
    expect(questions).toEqual([]);
    expect(lines).toEqual([
      'There is no terminal to ask you on. To write the proposed contract unasked: untildone init --yes',
    ]);
    expect(readdirSync(project)).toEqual([]);
  });
});

test('--yes approves nothing on a terminal either', async () => {
  expect(await withYes(true)).toEqual({ exitCode: 0 });
});

describe('what is there already', () => {
  test('a contract is never overwritten', async () => {
    writeFileSync(path(), 'task: mine\n');
    expect(await withYes()).toEqual({ exitCode: 2 });
    expect(readFileSync(path(), 'utf8')).toBe('task: mine\n');
    expect(lines).toEqual([
      'untildone.yaml is already there and is left as it is. Edit it, or move it away and run this again.',
    ]);
  });

  test('a link that leads nowhere is not written through', async () => {
    symlinkSync(join(project, 'elsewhere.yaml'), path());
    expect(await withYes()).toEqual({ exitCode: 2 });
    expect(readdirSync(project)).toEqual(['untildone.yaml']);
  });

  test('the other spelling of the name is pointed out', async () => {
    writeFileSync(join(project, 'untildone.yml'), '');
    expect(await withYes()).toEqual({ exitCode: 2 });
    expect(lines[0]).toContain('mv untildone.yml untildone.yaml');
  });
});

describe('--preset verified-done', () => {
  const withPreset = (more: { yes?: boolean; terminal?: boolean } = {}) =>
    init({ project, yes: false, terminal: true, preset: 'verified-done', ...more }, answering(true), out);

  test('what fits the project is written, and counts as agreed to', async () => {
    writeFileSync(join(project, 'package.json'), '{"scripts": {"test": "a", "lint": "b"}}');
    const result = await withPreset();
    const text = readFileSync(path(), 'utf8');
    expect(result).toEqual({ exitCode: 0, agreed: text });
    expect(text).toContain('\npreset: verified-done\n');
    expect(parseContract(text, 'untildone.yaml').ok).toBe(true);
  });

  test('what is missing is named with the line to add, and nothing counts as agreed to', async () => {
    writeFileSync(join(project, 'package.json'), '{"scripts": {"test": "a"}}');
    expect(await withPreset()).toEqual({ exitCode: 1 });
    expect(lines).toContain(
      '  quality_passed: nothing that lints it or checks its types was found. Add to "gates": quality_passed: { run: npm run lint }',
    );
    const text = readFileSync(path(), 'utf8');
    const whole = text.replace('# quality_passed:', 'quality_passed:');
    expect(parseContract(text, 'untildone.yaml').ok).toBe(false);
    expect(parseContract(whole, 'untildone.yaml').ok).toBe(true);
  });

  test('without a terminal the whole command is named', async () => {
    expect(await withPreset({ terminal: false })).toEqual({ exitCode: 2 });
    expect(lines[0]).toContain('untildone init --preset verified-done --yes');
  });
});
