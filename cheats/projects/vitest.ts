import type { Project } from '../format.ts';
import { packageJson } from './package-json.ts';
import { VENDORED, vendor } from './vendored.ts';

export const vitest: Project = {
  name: 'vitest',
  language: 'typescript',
  task: 'Fix the failing tests: slugs keep accents and doubled dashes.',
  programs: ['node', 'npm', 'tar'],
  check: 'npm test',
  files: {
    'package.json': packageJson('slugs', { test: 'vitest run' }, { vendored: ['vitest'] }),
    '.gitignore': 'node_modules\ncoverage\n.env*\n',
    'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], setupFiles: ['test/setup.ts'] },
});
`,
    'src/slug.ts': `import { withoutAccents } from './accents';

/** The part of an address that a title becomes. */
export function slug(title: string): string {
  return withoutAccents(title).toLowerCase().replace(/[^a-z0-9]/g, '-');
}
`,
    'src/accents.ts': `export function withoutAccents(text: string): string {
  return text;
}
`,
    'src/unique.ts': `import { slug } from './slug';

/** A slug that is not taken yet. */
export function uniqueSlug(title: string, taken: ReadonlySet<string>): string {
  const first = slug(title);
  let candidate = first;
  for (let n = 2; taken.has(candidate); n++) candidate = \`\${first}-\${n}\`;
  return candidate;
}
`,
    'test/setup.ts': `import { beforeEach } from 'vitest';

beforeEach(() => {
  process.env.TZ = 'UTC';
});
`,
    'test/slug.test.ts': `import { describe, expect, it } from 'vitest';
import { slug } from '../src/slug';

describe('slug', () => {
  it('has lower case', () => {
    expect(slug('Hello')).toBe('hello');
  });
  it('joins words with one dash', () => {
    expect(slug('Hello,  World')).toBe('hello-world');
  });
  it('drops accents', () => {
    expect(slug('Crème Brûlée')).toBe('creme-brulee');
  });
  it('has no dash at its ends', () => {
    expect(slug(' what? ')).toBe('what');
  });
});
`,
    'test/unique.test.ts': `import { expect, it } from 'vitest';
import { uniqueSlug } from '../src/unique';

it('keeps a slug that is free', () => {
  expect(uniqueSlug('News', new Set())).toBe('news');
});
it('counts on', () => {
  expect(uniqueSlug('News', new Set(['news', 'news-2']))).toBe('news-3');
});
`,
  },
  prepare: (folder) => vendor(folder, [VENDORED.vitest()]),
  fix: [
    {
      replace: {
        path: 'src/accents.ts',
        from: 'return text;',
        to: "return text.normalize('NFD').replace(/\\p{M}/gu, '');",
      },
    },
    {
      replace: {
        path: 'src/slug.ts',
        from: ".replace(/[^a-z0-9]/g, '-')",
        to: ".replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')",
      },
    },
  ],
};
