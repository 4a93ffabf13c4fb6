import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCli, main, taskLast } from '../../../src/cli/cli.ts';
import { CATALOGUE, EVERYDAY, GROUPS } from '../../../src/cli/help/catalogue.ts';
import { allCommands, nameOf } from '../../../src/cli/help/help.ts';
import { problemLine } from '../../../src/cli/help/problems.ts';
import { EXIT, EXIT_MEANINGS } from '../../../src/engine/core/words/exit-codes.ts';
import { shellWords } from '../../support/cli/shell-words.ts';

const cli = buildCli();
const commands = allCommands(cli);

/** The text that `--help` prints, with what stands after the options. */
function helpOf(command: Command): string {
  let text = '';
  const before = command.configureOutput();
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(before);
  return text;
}

describe('every command names its group and an example in src/cli/help/catalogue.ts', () => {
  test.each(commands.map((command) => [nameOf(command), command] as const))('%s', (name, command) => {
    const entry = CATALOGUE[name];
    expect(entry?.examples.length, `add "${name}" with an example`).toBeGreaterThan(0);
    if (command.parent === cli)
      expect(Object.keys(GROUPS), `"${name}" needs a group`).toContain(entry?.group);
    const help = helpOf(command);
    for (const [line, does] of entry?.examples ?? []) {
      expect(line.startsWith(`untildone ${name.split(' ')[0]}`)).toBe(true);
      expect(help).toContain(`  ${line}\n      ${does}`);
    }
  });

  test('and the catalogue names no command that is gone', () => {
    expect(Object.keys(CATALOGUE).filter((name) => !commands.some((c) => nameOf(c) === name))).toEqual([]);
  });
});

describe('every example is a call that the commands understand', () => {
  const lines = [
    ...new Set(Object.values(CATALOGUE).flatMap(({ examples }) => examples.map(([line]) => line))),
  ];
  test.each(lines)('%s', async (line) => {
    const problems: string[] = [];
    const fresh = buildCli((problem) => problems.push(problem));
    let called: Command | undefined;
    for (const command of allCommands(fresh))
      if (command.commands.length === 0 || command.registeredArguments.length > 0)
        command.action((...given: unknown[]) => {
          called = given.at(-1) as Command;
        });
    const [program, ...words] = shellWords(line);
    await fresh.parseAsync(taskLast(['node', program ?? '', ...words], fresh)).catch(() => {});
    expect(problems).toEqual([]);
    expect(called && line.startsWith(`untildone ${nameOf(called)}`)).toBe(true);
  });
});

describe('untildone --help', () => {
  const help = helpOf(cli);
  const titles = [...help.matchAll(/^(\S.*:)$/gm)].map((row) => row[1] ?? '');
  const shownIn = (title: string) =>
    [...(help.split(`\n${title}\n`)[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
      (row) => row[1] ?? '',
    );

  test('shows the ten everyday commands first, then the groups in their order', () => {
    expect(titles).toEqual(['Options:', 'Every day:', ...Object.values(GROUPS), 'With every command:']);
    const there = EVERYDAY.filter((name) => cli.commands.some((c) => c.name() === name));
    expect(shownIn('Every day:')).toEqual(there.slice(0, 10));
    expect(shownIn('Every day:')).toHaveLength(10);
  });

  test('shows every command once', () => {
    const shown = ['Every day:', ...Object.values(GROUPS)].flatMap(shownIn);
    // What only the plugin and hooks call is not for people.
    const meant = cli.commands
      .map((c) => c.name())
      .filter((name) => !['plugin-hooks', 'reflect-queued'].includes(name));
    expect(shown.sort()).toEqual([...meant, 'help'].sort());
  });
});

describe('what is gone says what to use', () => {
  test.each([
    ['replay --contract new.yaml', '`untildone replay` is gone since 0.2: use untildone reflect'],
    ['reflect --since 30d --deep', '`--deep` is gone since 0.2: use untildone reflect without it'],
    ['reflect --max-cost 0.5', '`--max-cost` of `reflect` is gone since 0.2: leave it out'],
    ['reflect --model haiku', '`--model` of `reflect` is gone since 0.2: leave it out'],
  ])('%s', async (line, words) => {
    const said: string[] = [];
    const fresh = buildCli((problem, command) => said.push(problemLine(problem, command)));
    await fresh.parseAsync(['node', 'untildone', ...shellWords(line)]).catch(() => {});
    expect(said).toEqual([words]);
  });
});

describe('exit codes', () => {
  const page = (name: string) =>
    readFileSync(resolve(import.meta.dirname, '../../../docs/reference', name), 'utf8');

  test('the page has the table of src/engine/core/words/exit-codes.ts', () => {
    const rows = [...page('exit-codes.md').matchAll(/^\| `(\d+)` \| (.*) \|$/gm)];
    const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
    expect(rows.map(([, code, says]) => [Number(code), says])).toEqual(
      names.map((name) => [EXIT[name], EXIT_MEANINGS[name]]),
    );
  });

  test('the page of commands says of each command what its codes say', () => {
    const expected = Object.entries(CATALOGUE).flatMap(([name, { exits = {} }]) =>
      Object.entries(exits).map(([code, says]) => [name, Number(code), says] as const),
    );
    const sections = page('commands.md').split(/^###+ /m);
    const linesOf = (name: string) =>
      sections.find((text) => text.startsWith(`${name}\n`))?.match(/^Exit codes: .*$/m)?.[0] ?? '';
    const told = (name: string) => {
      const [, earlier] = /^Exit codes: those of `(.*)`\.$/.exec(linesOf(name)) ?? [];
      return linesOf(earlier ?? name);
    };
    expect(expected.filter(([name, code, says]) => !told(name).includes(`${code} ${says}`))).toEqual([]);
    const known = Object.values(EXIT) as number[];
    expect(expected.filter(([, code]) => !known.includes(code as number))).toEqual([]);
  });
});

test('a default is said once, in words that one could type', () => {
  const said = [cli, ...allCommands(cli)].flatMap((command) =>
    command.options.map((option) => [
      command.name(),
      option.long,
      command.createHelp().optionDescription(option),
    ]),
  );
  const defaults = said.map(([name, flag, text = '']) => [
    name,
    flag,
    text.match(/\(default/g)?.length ?? 0,
    text,
  ]);
  expect(defaults.filter(([, , times]) => Number(times) > 1)).toEqual([]);
  // A time is 30d for people, not 2592000000.
  expect(
    said.filter(([, flag, text]) => flag !== '--max-tokens' && /\(default: \d{6,}/.test(text ?? '')),
  ).toEqual([]);
});

describe('where only the called command is built', () => {
  const names = cli.commands.map((command) => command.name()).filter((name) => name !== 'help');
  const textsOf = (command: Command): string[] => [
    command.helpInformation(),
    ...command.commands.flatMap(textsOf),
  ];

  test.each(names)('%s is as it is among all', (name) => {
    const own = buildCli(undefined, name);
    const [alone, among] = [own, cli].map((all) => all.commands.find((command) => command.name() === name));
    expect(alone && textsOf(alone)).toEqual(among && textsOf(among));
    if (name !== 'completion') expect(own.commands.length).toBeLessThan(cli.commands.length);
  });

  test('what is misspelled below it is looked for among all', async () => {
    const said: string[] = [];
    const { exitCode } = process;
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    onTestFinished(() => {
      write.mockRestore();
      process.exitCode = exitCode;
    });
    vi.stubEnv('UNTILDONE_HOME', '/nonexistent/untildone');
    await main(['node', 'untildone', 'fleet', 'verify']);
    expect(said.join('')).toContain('Did you mean untildone verify?');
  });
});
