import { describe, expect, test } from 'vitest';
import { loadedBy, treePaths } from '../../../../src/engine/core/proof/imports.ts';
import { reachOf } from '../../../../src/engine/core/proof/reach.ts';

type Files = Record<string, string>;

/** The tests that reach a file, in a tree of these texts. */
function reaching(files: Files, path: string, packages?: Map<string, string>): string[] {
  const tree = treePaths(Object.keys(files), packages);
  const reach = reachOf((each) =>
    each.endsWith('.json') ? { paths: new Set(), more: false } : loadedBy(each, files[each] ?? '', tree),
  );
  const isTest = (each: string) => /\.test\.|_test\.|test_/.test(each);
  return Object.keys(files).filter((each) => isTest(each) && reach.reaches(each, new Set([path])));
}

describe('the tests that reach a file', () => {
  test.each<[string, Files, string, string[]]>([
    [
      'by imports of imports, in any spelling',
      {
        'src/a.ts': "export { b } from './b.js';",
        'src/b.ts': "const c = require('./lib');",
        'src/lib/index.js': '',
        'src/other.ts': '',
        'test/a.test.ts': "import { a } from '../src/a';",
        'test/mock.test.ts': "vi.mock('../src/lib/index.js'); import '../src/other.ts';",
        'test/other.test.ts': "import x from '../src/other';",
      },
      'src/lib/index.js',
      ['test/a.test.ts', 'test/mock.test.ts'],
    ],
    [
      'by an alias, a program, a file of data',
      {
        'src/lib/a.ts': "import data from './data.json';",
        'src/lib/data.json': '{}',
        'bin/cli.js': "import '../src/lib/a.ts';",
        'src/z.ts': '',
        'test/alias.test.ts': "import { a } from '@/lib/a';",
        'test/cli.test.ts': "spawn('node', ['bin/cli.js']);",
        'test/z.test.ts': "import '../src/z';",
      },
      'src/lib/data.json',
      ['test/alias.test.ts', 'test/cli.test.ts'],
    ],
    [
      'by modules of Python, with what a package loads by itself',
      {
        'shop/__init__.py': 'from .cart import total',
        'shop/cart.py': 'from . import rates',
        'shop/rates.py': '',
        'shop/lone.py': '',
        'other/x.py': '',
        'tests/conftest.py': '',
        'tests/test_lone.py': 'from shop.lone import f',
        'tests/test_patch.py': 'import os\n@mock.patch("shop.rates.VAT", 1)\ndef test(): pass',
        'tests/test_x.py': 'from other import x',
      },
      'shop/rates.py',
      ['tests/test_lone.py', 'tests/test_patch.py'],
    ],
    [
      'by packages of Go',
      {
        'go.mod.json': '',
        'cart/cart.go': 'package cart\nimport "shop.dev/shop/rates"\n',
        'cart/cart_test.go': 'package cart\n',
        'rates/rates.go': 'package rates\n',
        'text/text.go': 'package text\nimport (\n\t"fmt"\n)\n',
        'text/text_test.go': 'package text\nimport (\n\t"testing"\n)\n',
      },
      'rates/rates.go',
      ['cart/cart_test.go'],
    ],
    [
      'for all that can be told, when it names nothing or works a name out',
      {
        'src/a.js': '',
        'src/plugins.js': 'require(path.join(dir, name));',
        'src/b.js': '',
        'test/spawns.test.js': "execSync('npm start');",
        'test/plugins.test.js': "import '../src/plugins.js';",
        'test/b.test.js': "import '../src/b.js';",
      },
      'src/a.js',
      ['test/spawns.test.js', 'test/plugins.test.js'],
    ],
  ])('%s', (_, files, path, expected) => {
    expect(reaching(files, path)).toEqual(expected);
  });

  test('by the name of a package of the workspace', () => {
    const files = {
      'packages/core/src/index.ts': '',
      'packages/web/test/a.test.ts': "import { f } from '@shop/core/sub';",
      'packages/web/src/b.ts': '',
      'packages/web/test/b.test.ts': "import '../src/b';",
    };
    const packages = new Map([['@shop/core', 'packages/core']]);
    expect(reaching(files, 'packages/core/src/index.ts', packages)).toEqual(['packages/web/test/a.test.ts']);
  });
});
