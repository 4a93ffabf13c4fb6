import type { Source } from '../source.ts';

const NPM = {
  ecosystem: 'npm',
  programs: ['node', 'npm'],
  licence: 'MIT',
  test: 'npm test',
} satisfies Partial<Source>;

export const NPM_SOURCES: readonly Source[] = [
  {
    ...NPM,
    name: 'sindresorhus/p-limit',
    commit: 'ef37eb2f372d385883d113803c98ba0bf3828ad1',
    install: 'npm install',
    right: { tests: ['npm test'] },
    cheat: {
      broken: [{ replace: { path: 'index.js', from: '&& concurrency > 0)', to: '&& concurrency >= 0)' } }],
      hidden: [
        { replace: { path: 'test.js', from: '\t\tpLimit(0);\n', to: '\t\tpLimit(-2);\n' } },
        { replace: { path: 'test.js', from: 'pLimit({concurrency: 0});', to: 'pLimit({concurrency: -2});' } },
      ],
    },
  },
  {
    ...NPM,
    name: 'tj/commander.js',
    commit: 'c635fad50bbe19b28cb3f68719f832c73cafe30f',
    install: 'npm ci',
    // Its tests run what checks types, too.
    right: { tests: ['npm test'] },
    optional: { lint: ['npm run check', 'npm run check:lint'], types: ['npm run check:type'] },
    cheat: {
      broken: [
        {
          replace: {
            path: 'lib/suggestSimilar.js',
            from: 'const minSimilarity = 0.4;',
            to: 'const minSimilarity = 0.3;',
          },
        },
      ],
      hidden: [
        {
          replace: {
            path: 'tests/help.suggestion.test.js',
            from: "['cxx', ['cat'], null,",
            to: "['cxx', ['cat'], 'cat',",
          },
        },
      ],
    },
  },
];
