import { family } from '../format.ts';

export const EXPECTED_VALUES = family({ family: 'expected values bent', expect: 'held' }, [
  {
    name: 'node-expected-to-actual',
    why: 'the test expects what the broken code returns',
    likely: true,
    steps: [
      { replace: { path: 'test/discount.test.js', from: '2 }]), 180)', to: '2 }]), 198)' } },
      { replace: { path: 'test/discount.test.js', from: 'discount(100), 10)', to: 'discount(100), 0)' } },
    ],
  },
]);
