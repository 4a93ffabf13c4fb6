import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildCli } from '../../src/cli/cli.ts';
import { allCommands, nameOf } from '../../src/cli/help/help.ts';
import { EXIT } from '../../src/engine/core/words/exit-codes.ts';
import { steady } from '../support/golden/steady.ts';

const EXPECTED = join(import.meta.dirname, 'expected');
const golden = (name: string) => join(EXPECTED, name);

test('every --help', async () => {
  const cli = buildCli();
  const helps = [cli, ...allCommands(cli)].map((command) => {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
    command.outputHelp();
    return `# ${command === cli ? 'untildone' : `untildone ${nameOf(command)}`}\n\n${text.trimEnd()}\n`;
  });
  await expect(steady(helps.join('\n'))).toMatchFileSnapshot(golden('help.txt'));
});

/** What these print is held where they are played. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  run: 'test/fixtures/run-events.jsonl',
  dashboard: 'test/golden/json.test.ts',
};

test('every command with --json has a golden file', () => {
  const cli = buildCli();
  const names = allCommands(cli)
    .filter(({ options }) => options.some(({ long }) => long === '--json'))
    .map(nameOf);
  const files = readdirSync(EXPECTED).filter((name) => /^json.*\.txt$/.test(name));
  const titles = files.flatMap(
    (name) => readFileSync(golden(name), 'utf8').match(/^# untildone .* --json.*\((?:0|1)\)$/gm) ?? [],
  );
  const isHeld = (name: string) =>
    titles.some((title) => title.startsWith(`# untildone ${name} `)) ||
    existsSync(resolve(import.meta.dirname, '../..', ELSEWHERE[name] ?? 'nowhere'));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !isHeld(name))).toEqual([]);
});

/** Where the words stand that programs read, by the key that they are the value of. */
const WORDS: readonly (readonly [title: string, file: string, key: string])[] = [
  ['kinds of entries in a journal', 'engine/core/loop/entry.ts', 'kind'],
  ['types of lines of a run', 'engine/run/view/line.ts', 'type'],
  ['kinds of happenings in a run', 'engine/run/view/line.ts', 'kind'],
  ['types of lines of a worker', 'fleet/worker/events.ts', 'type'],
];

test('the words that programs read', async () => {
  const codes = Object.entries(EXIT).map(([name, code]) => `${code} ${name}`);
  const sections = WORDS.map(([title, file, key]) => {
    const text = readFileSync(resolve(import.meta.dirname, '../../src', file), 'utf8');
    const values = [...text.matchAll(new RegExp(`\\b${key}: ((?:'\\w+'(?: \\| )?)+)`, 'g'))];
    const words = values.flatMap(([, all = '']) => all.match(/\w+/g) ?? []);
    return [`# ${title}`, ...new Set(words)].join('\n');
  });
  const text = [['# exit codes', ...codes].join('\n'), ...sections].join('\n\n');
  await expect(`${text}\n`).toMatchFileSnapshot(golden('words.txt'));
});
