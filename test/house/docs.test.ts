import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS, SRC } from './files.ts';

const ROOT = dirname(SRC);
const AGENTS = join(ROOT, 'AGENTS.md');

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith('.md') && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

/** ADR 9 is superseded: what it names is gone. One example is a project of pages, with a link that leads nowhere. */
const PAGES = ['README.md', 'AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
  .map((name) => join(ROOT, name))
  .concat(['docs', 'deploy', 'examples'].flatMap((folder) => pagesIn(join(ROOT, folder))))
  .filter((page) => !/\/adr\/0009-|\/examples\/projects\/docs\//.test(page));

/** Paths of a user's project, as pages show them. */
const OF_A_USER = [
  'src/**',
  'test/a.test.ts',
  'test/old.test.ts',
  'test/run.sh',
  'docs/plans/*/MEMORY.md',
  'docs/plans/*/PLAN.md',
];

const FENCED = /^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1$/gm;
const OURS = /(?<![\w./~-])(?:src|test|docs|examples|scripts|bench|schema)\/[\w./<>*-]*\w?/g;

/** The words of a page, without blocks of code. */
function prose(page: string): string {
  return readFileSync(page, 'utf8').replace(FENCED, '');
}

function pathsIn(text: string): string[] {
  return (text.match(OURS) ?? []).map((path) => path.replace(/\.$/, ''));
}

/** `<kind>` stands for any name. */
function isThere(path: string): boolean {
  const [before, after] = path.split(/<\w+>/);
  if (after === undefined) return existsSync(join(ROOT, path));
  const folder = join(ROOT, before ?? '');
  return existsSync(folder) && readdirSync(folder).some((name) => existsSync(`${folder}${name}${after}`));
}

/** The name by which a link finds a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1] ?? ''));
}

function leadsNowhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

describe.each(PAGES.map((page) => [relative(ROOT, page), page] as const))('%s', (_, page) => {
  test('names only paths that exist', () => {
    const named = pathsIn(prose(page)).filter((path) => !OF_A_USER.includes(path));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  test('links only to what exists', () => {
    const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const own = links.filter((link) => !/^https?:/.test(link));
    expect(own.filter((link) => leadsNowhere(page, link))).toEqual([]);
  });
});

test('a path that is not there is found, and one with a placeholder is understood', () => {
  const named = pathsIn(
    'See `src/wire/x.ts`, `src/engine/gates/<kind>/index.ts` and src/engine/gates/<kind>/nothing.ts.',
  );
  expect(named.filter((path) => !isThere(path))).toEqual([
    'src/wire/x.ts',
    'src/engine/gates/<kind>/nothing.ts',
  ]);
});

test('AGENTS.md shows every room, in the order in which they may import each other', () => {
  const rows = [...readFileSync(AGENTS, 'utf8').matchAll(/^\| `src\/([\w/]+)\/` \|/gm)].map(
    (match) => match[1],
  );
  expect(rows).toEqual(ROOMS);
});

test('the glossary has at most 45 words', () => {
  const rows = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').match(/^\| (?!word \|)/gm) ?? [];
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.length).toBeLessThanOrEqual(45);
});
