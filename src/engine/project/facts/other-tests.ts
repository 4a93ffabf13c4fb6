/** How projects of further languages are usually tested, by the files that say so. */
import type { FolderFacts, Machine } from '../../core/contract/project-facts.ts';

export type OtherTests = NonNullable<FolderFacts['others']>[number];

interface Look {
  read(path: string): string | undefined;
  has(path: string): boolean;
  /** The names in a folder. */
  names(folder: string): readonly string[];
  machine?: Machine;
}

export function otherTests(look: Look): OtherTests[] {
  return [...ruby(look), ...php(look), ...perl(look), ...shell(look), ...native(look)];
}

function ruby({ read, has, names, machine }: Look): OtherTests[] {
  const isThere = (program: string) => machine?.hasProgram(program) ?? true;
  const gems = names('.').some((name) => name.endsWith('.gemspec')) || has('Gemfile') || has('Rakefile');
  if (!gems) return [];
  const bundled = has('Gemfile.lock') && isThere('bundle') ? 'bundle exec ' : '';
  if (has('spec') && (has('.rspec') || has('spec/spec_helper.rb')))
    return [{ tests: `${bundled}rspec`, why: 'spec', language: 'ruby' }];
  const folder = ['test', 'tests'].find((one) => names(one).length > 0);
  if (folder === undefined) return [];
  // A Rakefile that loads what is not installed here cannot be run.
  const rake = read('Rakefile') ?? '';
  if (/TestTask/.test(rake) && isThere('rake') && !/require ["'](?:hoe|bundler)/.test(rake))
    return [{ tests: `${bundled}rake test`, why: 'Rakefile', language: 'ruby' }];
  const files = `Dir.glob("${folder}/**/{test_*,*_test,spec_*,*_spec}.rb").sort.each { |f| require "./" + f }`;
  return [{ tests: `ruby -Ilib -I${folder} -e '${files}'`, why: `${folder}/`, language: 'ruby' }];
}

function php({ has, names }: Look): OtherTests[] {
  const settings = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find(has);
  if (settings !== undefined) return [{ tests: 'vendor/bin/phpunit', why: settings, language: 'php' }];
  return names('tests').includes('Pest.php')
    ? [{ tests: 'vendor/bin/pest', why: 'tests/Pest.php', language: 'php' }]
    : [];
}

function perl({ has, names }: Look): OtherTests[] {
  const isPerl =
    ['Makefile.PL', 'Build.PL', 'cpanfile', 'dist.ini', 'META.json'].some(has) ||
    names('lib').some((name) => name.endsWith('.pm'));
  return isPerl && names('t').some((name) => name.endsWith('.t'))
    ? [{ tests: 'prove -lr t', why: 't/', language: 'perl' }]
    : [];
}

function shell({ names }: Look): OtherTests[] {
  const folder = ['test', 'tests', 'spec', '.'].find((one) =>
    names(one).some((name) => name.endsWith('.bats')),
  );
  return folder === undefined
    ? []
    : [{ tests: `bats ${folder}`, why: `${folder}/*.bats`, language: 'shell' }];
}

function native({ read, has }: Look): OtherTests[] {
  const cmake = read('CMakeLists.txt') ?? '';
  const built = testProgram(read('Makefile') ?? read('makefile') ?? '');
  if (built !== undefined)
    return [{ tests: `make ${built} && ./${built}`, why: `"${built}" in the Makefile`, language: 'native' }];
  if (/\b(?:enable_testing|add_test|include\s*\(\s*CTest)\b/i.test(cmake) && !has('Makefile'))
    return [
      {
        tests: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
        why: 'CMakeLists.txt',
        language: 'native',
      },
    ];
  if (has('meson.build'))
    return [{ tests: 'meson setup build && meson test -C build', why: 'meson.build', language: 'native' }];
  return [];
}

/** A target that builds a program of tests and does not run it. */
function testProgram(makefile: string): string | undefined {
  for (const rule of makefile.split(/^(?=\S)/m)) {
    const name = /^((?:[\w-]*[-_])?tests?(?:[-_][\w-]*)?)[ \t]*:(?!=)/.exec(rule)?.[1];
    const words = rule.split(/\s+/);
    if (
      name !== undefined &&
      words.some((word, i) => word === '-o' && [name, '$@'].includes(words[i + 1] ?? ''))
    )
      return name;
  }
  return undefined;
}
