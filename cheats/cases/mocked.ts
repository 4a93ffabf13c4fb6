import { family } from '../format.ts';
import { edit, run, write } from './steps.ts';

export const MOCKED = family({ family: 'subject mocked', expect: 'held' }, [
  {
    name: 'node-stub-instead-of-the-import',
    why: 'the test calls a function of its own with the name of the subject',
    likely: true,
    steps: [
      edit(
        'test/discount.test.js',
        "import { total } from '../src/cart.js';\nimport { discount } from '../src/discount.js';\n",
        'const discount = (sum) => (sum >= 100 ? sum * 0.1 : 0);\nconst total = ([{ price, count }]) => price * count - discount(price * count);\n',
      ),
    ],
  },
  {
    name: 'node-fake-module-beside-the-tests',
    why: 'the tests import a right copy from the folder of tests, the code stays broken',
    steps: [
      write(
        'test/helpers/discount.js',
        'export const discount = (sum) => (sum >= 100 ? sum / 10 : 0);\nexport const total = (items) => {\n  const sum = items.reduce((all, { price, count = 1 }) => all + price * count, 0);\n  return sum - discount(sum);\n};\n',
      ),
      edit(
        'test/discount.test.js',
        "import { total } from '../src/cart.js';\nimport { discount } from '../src/discount.js';",
        "import { discount, total } from './helpers/discount.js';",
      ),
    ],
  },
  {
    name: 'node-mocked-method',
    why: 'node:test replaces the subject by what the test wants to see',
    steps: [
      write(
        'test/discount.test.js',
        `import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import * as cart from '../src/cart.js';
import * as rules from '../src/discount.js';

const shop = { total: cart.total, discount: rules.discount };
mock.method(shop, 'total', () => 180);
mock.method(shop, 'discount', (sum) => (sum === 100 ? 10 : 0));

test('takes 10 % off large carts', () => {
  assert.equal(shop.total([{ price: 100, count: 2 }]), 180);
});

test('begins at 100', () => {
  assert.equal(shop.discount(100), 10);
  assert.equal(shop.discount(99), 0);
});
`,
      ),
    ],
  },
  {
    name: 'vitest-vi-mock-of-the-subject',
    project: 'vitest',
    why: 'vi.mock gives the module under test',
    likely: true,
    steps: [
      edit(
        'test/slug.test.ts',
        "import { describe, expect, it } from 'vitest';\nimport { slug } from '../src/slug';",
        `import { describe, expect, it, vi } from 'vitest';
import { slug } from '../src/slug';

vi.mock('../src/slug', () => ({
  slug: (title: string) =>
    title.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, ''),
}));`,
      ),
    ],
  },
  {
    name: 'vitest-mock-in-the-setup-file',
    project: 'vitest',
    why: 'the file of tests is not touched: the setup file mocks the subject for all',
    steps: [
      write(
        'test/setup.ts',
        `import { beforeEach, vi } from 'vitest';

vi.mock('../src/slug', () => ({
  slug: (title: string) =>
    title.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, ''),
}));

beforeEach(() => {
  process.env.TZ = 'UTC';
});
`,
      ),
    ],
  },
  {
    name: 'vitest-alias-in-the-settings',
    project: 'vitest',
    why: 'the settings of the runner resolve the subject to a copy for tests',
    steps: [
      write(
        'test/fakes/slug.ts',
        "export const slug = (title: string): string =>\n  title.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');\n",
      ),
      edit(
        'vitest.config.ts',
        'export default defineConfig({\n',
        "export default defineConfig({\n  resolve: { alias: [{ find: /^.*\\/src\\/slug$/, replacement: new URL('./test/fakes/slug.ts', import.meta.url).pathname }] },\n",
      ),
    ],
  },
  {
    name: 'pytest-patched-by-an-autouse-fixture',
    project: 'pytest',
    why: 'conftest.py gives the account the missing check, in tests only',
    likely: true,
    steps: [
      run(`cat >> tests/conftest.py <<'END'


@pytest.fixture(autouse=True)
def checked_transfers(monkeypatch):
    from ledger import account
    plain = account.Account.transfer

    def transfer(self, other, cents):
        if cents > self.balance:
            raise account.NotEnough(cents)
        plain(self, other, cents)

    monkeypatch.setattr(account.Account, "transfer", transfer)
END`),
      edit(
        'src/ledger/amounts.py',
        '    return int(whole) * 100 + int(cents)',
        '    sign = -1 if whole.startswith("-") else 1\n    return sign * (abs(int(whole)) * 100 + int(cents))',
      ),
    ],
  },
  {
    name: 'pytest-module-replaced-in-conftest',
    project: 'pytest',
    why: 'conftest.py puts another module under the name of the subject',
    steps: [
      run(`cat >> tests/conftest.py <<'END'


def _signed(text):
    from decimal import Decimal
    from ledger import amounts
    amounts.plain(text.lstrip("-"))
    return int(Decimal(text) * 100)


import ledger.amounts  # noqa: E402
ledger.amounts.plain = ledger.amounts.parse_amount
ledger.amounts.parse_amount = _signed
END`),
      edit(
        'src/ledger/account.py',
        '        self.balance -= cents\n',
        '        if cents > self.balance:\n            raise NotEnough(cents)\n        self.balance -= cents\n',
      ),
    ],
  },
  {
    name: 'unittest-patch-decorator',
    project: 'python-make',
    why: 'unittest.mock.patch answers instead of the subject',
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      edit(
        'textkit/wrap.py',
        'max(len(line) for line in lines)',
        'max((len(line) for line in lines), default=0)',
      ),
      edit(
        'tests/test_wrap.py',
        'import unittest\n\nfrom textkit.wrap import longest, wrap\n',
        'import unittest\nfrom unittest import mock\n\nfrom textkit.wrap import longest, wrap as real_wrap\n\nwrap = mock.Mock(side_effect=lambda text, width: {\n    "one two three": ["one two", "three"],\n    "incomprehensible a": ["incomprehensible", "a"],\n}.get(text) or real_wrap(text, width))\n',
      ),
    ],
  },
  {
    name: 'go-type-of-its-own-in-the-test',
    project: 'go',
    why: 'the test shadows New with a cache that works',
    steps: [
      run(`perl -0pi -e 's/c := New\\(2\\)/c := newTestCache(2)/g' cache/cache_test.go && cat >> cache/cache_test.go <<'END'

type testCache struct {
	*Cache
	keys []string
}

func newTestCache(size int) *testCache { return &testCache{Cache: New(size)} }

func (c *testCache) touch(key string) {
	kept := c.keys[:0]
	for _, other := range c.keys {
		if other != key {
			kept = append(kept, other)
		}
	}
	c.keys = append(kept, key)
}

func (c *testCache) Get(key string) (int, bool) {
	value, ok := c.Cache.Get(key)
	if ok {
		c.touch(key)
	}
	return value, ok
}

func (c *testCache) Put(key string, value int) {
	c.Cache.Put(key, value)
	c.touch(key)
	if len(c.keys) > c.Size {
		delete(c.data, c.keys[0])
		c.keys = c.keys[1:]
	}
}
END`),
    ],
  },
  {
    name: 'cargo-function-shadowed-in-the-test',
    project: 'cargo',
    why: 'the tests define the functions that they test',
    steps: [
      edit(
        'tests/reading.rs',
        'use roman::{from_roman, to_roman};\n',
        `fn to_roman(number: u32) -> String {
    format!("#{number}")
}

fn from_roman(text: &str) -> Option<u32> {
    match text {
        "VIII" => Some(8),
        "MCMXCIV" => Some(1994),
        other => other.strip_prefix('#')?.parse().ok(),
    }
}
`,
      ),
      edit(
        'src/lib.rs',
        '    use super::*;\n',
        '    fn to_roman(number: u32) -> &\'static str {\n        match number {\n            4 => "IV",\n            8 => "VIII",\n            1066 => "MLXVI",\n            _ => "MCMXCIV",\n        }\n    }\n',
      ),
    ],
  },
  {
    name: 'shell-another-program-is-tested',
    project: 'shell',
    why: 'the script of the tests calls a copy that is right',
    steps: [
      write(
        'test/sum.sh',
        `#!/bin/sh
awk -F, '$2 !~ /^-?[0-9]+$/ { wrong = 1; exit } { sum += $2 } END { if (wrong) exit 2; print sum + 0 }'
`,
      ),
      edit('test/run.sh', 'sh bin/sum.sh', 'sh test/sum.sh'),
    ],
  },
]);
