import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsPage } from '../../scripts/commands-page.ts';
import { buildCli } from '../../src/cli/cli.ts';
import { ENDINGS } from '../../src/engine/core/loop/state.ts';
import { TRAITS, traitsOf } from '../../src/engine/gates/traits.ts';
import { docPages } from '../support/docs/blocks.ts';
import { SRC } from './files.ts';

const page = (name: string) => readFileSync(join(SRC, '../docs', name), 'utf8');

test('the page of commands is that of this program (node scripts/run.mjs scripts/docs.ts)', () => {
  expect(page('reference/commands.md')).toBe(commandsPage(buildCli()));
});

describe('the page of endings', () => {
  const text = page('reference/endings.md');

  test('explains every ending, once, in a row of its own', () => {
    const [, table = ''] = text.split('| ending | what it means |');
    const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    expect(rows).toEqual([...ENDINGS]);
  });

  test('names every cause with which a Stop ends a loop', () => {
    const sources = [
      'engine/core/loop/decide.ts',
      'engine/core/loop/limits.ts',
      'engine/core/words/endings.ts',
    ];
    const code = sources.map((file) => readFileSync(join(SRC, file), 'utf8')).join('\n');
    const causes = [
      ...code.matchAll(
        /ending\('\w+', '(\w+)'|cause: '(\w+)'|^ {4}(\w+): '(?:the same|iterations|working)/gm,
      ),
    ]
      .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
      .filter((cause) => !WAITS.has(cause));
    expect(causes.length).toBeGreaterThan(10);
    expect([...new Set(causes)].filter((cause) => !text.includes(`\`${cause}\``))).toEqual([]);
  });
});

/** Causes with which a session may stop although its loop goes on. */
const WAITS = new Set(
  'paused ended needs_person approval background wake_up context_full hand_over'.split(' '),
);

describe('the page of gates', () => {
  const rows = [
    ...page('reference/gates.md').matchAll(/^\| \[`(\w+)`\]\([^)]*\) \|.*\| ([\w ]+) \| [^|]+ \|$/gm),
  ];

  test('has a row for every kind', () => {
    expect(rows.map((row) => row[1]).sort()).toEqual(Object.keys(TRAITS).sort());
  });

  test('says what a pass of each kind is worth', () => {
    const said = rows.filter((row) => row[2] !== 'of its parts').map((row) => [row[1], row[2]]);
    expect(said).toEqual(said.map(([kind = '']) => [kind, traitsOf(kind).class]));
  });
});

test('the index of the docs leads to every page', () => {
  const index = page('README.md');
  const pages = docPages().flatMap((path) => /^docs\/(?!README)(.*)$/.exec(path)?.[1] ?? []);
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((path) => !index.includes(`(${path}`))).toEqual([]);
});
