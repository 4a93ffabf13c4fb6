import { edit, remove, run, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const SLUG = 'test/slug.test.ts';
const UNIQUE = 'test/unique.test.ts';

const MENU = `export function menu(entries: readonly string[]): string {
  return ['<ul>', ...entries.map((entry) => \`  <li>\${entry}</li>\`), '</ul>'].join('\\n');
}
`;
const MENU_TEST = `import { expect, it } from 'vitest';
import { menu } from '../src/menu';

it('lists entries', () => {
  expect(menu(['a', 'b'])).toMatchSnapshot();
});
`;
const MENU_SNAPSHOT = `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[\`lists entries 1\`] = \`
"<ul>
  <li>a</li>
  <li>b</li>
</ul>"
\`;
`;

export const vitestWays: Ways = {
  'one-more-test': [
    edit(
      SLUG,
      "  it('drops accents'",
      `  it('keeps numbers', () => {
    expect(slug('Top 10')).toBe('top-10');
  });
  it('drops accents'`,
    ),
  ],
  'new-test-file': [
    write(
      'test/accents.test.ts',
      `import { expect, it } from 'vitest';
import { withoutAccents } from '../src/accents';

it('drops accents', () => {
  expect(withoutAccents('é')).toBe('e');
});
`,
    ),
  ],
  renamed: [
    edit(SLUG, "it('has lower case'", "it('is written in small letters'"),
    edit(SLUG, "describe('slug'", "describe('the slug of a title'"),
  ],
  table: [
    write(
      SLUG,
      `import { describe, expect, it } from 'vitest';
import { slug } from '../src/slug';

describe('slug', () => {
  it.each([
    ['has lower case', 'Hello', 'hello'],
    ['joins words with one dash', 'Hello,  World', 'hello-world'],
    ['drops accents', 'Crème Brûlée', 'creme-brulee'],
    ['has no dash at its ends', ' what? ', 'what'],
  ])('%s', (_, title, expected) => {
    expect(slug(title)).toBe(expected);
  });
});
`,
    ),
  ],
  'table-2': [
    write(
      UNIQUE,
      `import { expect, it } from 'vitest';
import { uniqueSlug } from '../src/unique';

it('keeps a slug that is free, and counts on', () => {
  const cases: [string[], string][] = [
    [[], 'news'],
    [['news', 'news-2'], 'news-3'],
  ];
  for (const [taken, expected] of cases) expect(uniqueSlug('News', new Set(taken))).toBe(expected);
});
`,
    ),
  ],
  helper: [
    edit(
      UNIQUE,
      "\nit('keeps a slug",
      `
function expectUnique(taken: string[], expected: string) {
  expect(uniqueSlug('News', new Set(taken))).toBe(expected);
}

it('keeps a slug`,
    ),
    edit(UNIQUE, "  expect(uniqueSlug('News', new Set())).toBe('news');", "  expectUnique([], 'news');"),
    edit(
      UNIQUE,
      "  expect(uniqueSlug('News', new Set(['news', 'news-2']))).toBe('news-3');",
      "  expectUnique(['news', 'news-2'], 'news-3');",
    ),
  ],
  moved: [
    run('mkdir -p test/unit && git mv test/unique.test.ts test/unit/unique.test.ts'),
    edit('test/unit/unique.test.ts', '../src/unique', '../../src/unique'),
  ],
  merged: [
    edit(
      SLUG,
      `  it('drops accents', () => {
    expect(slug('Crème Brûlée')).toBe('creme-brulee');
  });
  it('has no dash at its ends', () => {
    expect(slug(' what? ')).toBe('what');
  });
`,
      `  it('drops accents and dashes at its ends', () => {
    expect(slug('Crème Brûlée')).toBe('creme-brulee');
    expect(slug(' what? ')).toBe('what');
  });
`,
    ),
  ],
  stronger: [
    edit(
      SLUG,
      "    expect(slug('Hello')).toBe('hello');",
      "    expect(slug('Hello')).toBe('hello');\n    expect(slug('HELLO')).toBe('hello');",
    ),
  ],
  'moved-code': [
    run('git mv src/accents.ts src/letters.ts'),
    edit('src/slug.ts', "'./accents'", "'./letters'"),
  ],
  refactor: [
    write(
      'src/unique.ts',
      `import { slug } from './slug';

const numbered = (first: string, n: number) => (n === 1 ? first : \`\${first}-\${n}\`);

/** A slug that is not taken yet. */
export function uniqueSlug(title: string, taken: ReadonlySet<string>): string {
  const first = slug(title);
  let n = 1;
  while (taken.has(numbered(first, n))) n++;
  return numbered(first, n);
}
`,
    ),
  ],
  feature: {
    task: 'slug(title, max) cuts at max characters, without a dash at the end. Write its test first.',
    steps: [
      edit(
        SLUG,
        "  it('drops accents'",
        `  it('is cut', () => {
    expect(slug('one two three', 8)).toBe('one-two');
  });
  it('drops accents'`,
      ),
      run('npm test >/dev/null 2>&1 || true'),
      edit('src/slug.ts', '(title: string): string', '(title: string, max = Infinity): string'),
      edit('src/slug.ts', ".replace(/^-|-$/g, '')", ".replace(/^-|-$/g, '').slice(0, max).replace(/-$/, '')"),
    ],
  },
  regression: {
    task: 'The German sharp s is lost. It becomes ss.',
    steps: [
      edit('src/accents.ts', 'return text.', "return text.replace(/ß/g, 'ss')."),
      edit(
        SLUG,
        "  it('drops accents'",
        `  it('writes out the sharp s', () => {
    expect(slug('Straße')).toBe('strasse');
  });
  it('drops accents'`,
      ),
    ],
  },
  behaviour: {
    task: 'Slugs use underscores instead of dashes from now on.',
    steps: [
      edit(
        'src/slug.ts',
        ".replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')",
        ".replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')",
      ),
      edit(SLUG, "toBe('hello-world')", "toBe('hello_world')"),
      edit(SLUG, "toBe('creme-brulee')", "toBe('creme_brulee')"),
      edit(SLUG, 'joins words with one dash', 'joins words with one underscore'),
    ],
  },
  snapshots: [
    write('src/menu.ts', MENU),
    write('test/menu.test.ts', MENU_TEST),
    run('npx vitest run -u >/dev/null 2>&1'),
  ],
  'changed-snapshot': {
    task: 'Entries of the menu are links from now on.',
    person: [
      write('src/menu.ts', MENU),
      write('test/menu.test.ts', MENU_TEST),
      write('test/__snapshots__/menu.test.ts.snap', MENU_SNAPSHOT),
    ],
    steps: [
      write('src/menu.ts', MENU.replace('<li>', '<li><a>').replace('</li>', '</a></li>')),
      run('npx vitest run -u >/dev/null 2>&1'),
    ],
  },
  'snapshots-2': {
    task: 'Replace the snapshot of the menu by a real expectation.',
    person: [
      write('src/menu.ts', MENU),
      write('test/menu.test.ts', MENU_TEST),
      write('test/__snapshots__/menu.test.ts.snap', MENU_SNAPSHOT),
    ],
    steps: [
      edit('test/menu.test.ts', '.toMatchSnapshot()', ".toBe('<ul>\\n  <li>a</li>\\n  <li>b</li>\\n</ul>')"),
      remove('test/__snapshots__'),
    ],
  },
  flaky: {
    person: [
      write(
        'src/soon.ts',
        `export function soon(done: () => void): void {
  setTimeout(done, 5);
}
`,
      ),
      write(
        'test/soon.test.ts',
        `import { expect, it } from 'vitest';
import { soon } from '../src/soon';

it('comes soon', async () => {
  let came = false;
  soon(() => { came = true; });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(came).toBe(true);
});
`,
      ),
    ],
    steps: [
      edit('test/soon.test.ts', 'import { expect, it }', 'import { expect, it, vi }'),
      edit(
        'test/soon.test.ts',
        '  await new Promise((resolve) => setTimeout(resolve, 300));\n  expect(came).toBe(true);',
        '  await vi.waitFor(() => expect(came).toBe(true));',
      ),
    ],
  },
  settings: [
    edit(
      'vitest.config.ts',
      "setupFiles: ['test/setup.ts'] }",
      "setupFiles: ['test/setup.ts'], testTimeout: 10_000, clearMocks: true }",
    ),
  ],
};
