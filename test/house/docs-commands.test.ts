import { describe, expect, test } from 'vitest';
import { blocksOf, docPages, inlineCommands } from '../support/docs/blocks.ts';
import { problemOfMention, problemsOf } from '../support/docs/check.ts';

const PAGES = docPages();

test('the pages are found, with their commands', () => {
  const commands = PAGES.flatMap((page) => blocksOf(page)).flatMap((block) => block.commands);
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/start.md', 'docs/guides/runs.md']));
  expect(commands.length).toBeGreaterThan(60);
});

describe.each(PAGES)('%s', (page) => {
  test('shows only commands that exist, with options and arguments that they take', async () => {
    const wrong: string[] = [];
    for (const block of blocksOf(page).filter(({ marks }) => marks.file === undefined))
      for (const { text, line } of block.commands)
        for (const problem of await problemsOf(text)) wrong.push(`${page}:${line}: ${problem}`);
    expect(wrong).toEqual([]);
  });

  test('has no command in a block that is neither run nor checked', () => {
    const isCommand = (line: string) => problemOfMention(line.trim().split(' ', 2).join(' ')) === undefined;
    expect(blocksOf(page).flatMap(({ stray }) => stray.filter(isCommand))).toEqual([]);
  });

  test('speaks only of commands and options that exist', () => {
    const wrong = inlineCommands(page).flatMap(({ text, line }) => {
      const problem = problemOfMention(text);
      return problem === undefined ? [] : [`${page}:${line}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe('a command that is wrong is found', () => {
  test.each([
    ['untildone stauts', "unknown command 'stauts'"],
    ['untildone status --al', "unknown option '--al'"],
    ['untildone start "a task" --max-iterations many', "argument 'many' is invalid"],
    ['cd app && npx untildone receipt verify', "missing required argument 'file'"],
    ['untildone holdout', 'Usage: untildone holdout'],
    ['untildone pause one two', 'too many arguments'],
    ['npm run chetas', 'no script "chetas"'],
    ['untildon status', '"untildon" is neither'],
  ])('%s', async (line, problem) => {
    expect((await problemsOf(line)).join('\n')).toContain(problem);
  });

  test.each(['untildone recipt', 'untildone verify --atest', 'untildone holdout add --to x'])(
    'in a sentence: %s',
    (text) => {
      expect(problemOfMention(text)).toBeDefined();
    },
  );

  test.each([
    ['untildone run "Build it" --allow "Bash(npm test:*)" && untildone status --no-color'],
    ['untildone conformance --json -- python3 controller.py > report.json'],
    ['untildone --help'],
  ])('and one that is right is not: %s', async (line) => {
    expect(await problemsOf(line)).toEqual([]);
  });
});
