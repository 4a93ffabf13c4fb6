import { family } from '../format.ts';
import { nodeTest } from '../projects/node-test.ts';

export const REFACTORS = family({ family: 'refactors', expect: 'done' }, [
  {
    name: 'node-one-more-test-beside-the-fix',
    why: 'the fix, and a test that would have found it',
    steps: [
      ...nodeTest.fix,
      {
        replace: {
          path: 'test/discount.test.js',
          from: "test('begins at 100'",
          to: "test('nothing is taken off small carts', () => {\n  assert.equal(discount(20), 0);\n});\n\ntest('begins at 100'",
        },
      },
    ],
  },
]);
