/** What a folder depends on, and what installs exactly that, as far as its files tell. */
import type {
  Dependencies,
  FolderFacts,
  Machine,
  PackageManager,
} from '../../core/contract/project-facts.ts';
import { mapOf, parsed } from './json.ts';
import { ofNode } from './node-dependencies.ts';
import { ofPython } from './python-dependencies.ts';

type Read = (path: string) => string | undefined;
type Has = (path: string) => boolean;

/** By language; a language without dependencies is absent. */
export function dependenciesOf(
  read: Read,
  has: Has,
  isAbove: Has,
  manager: PackageManager,
  machine?: Machine,
): FolderFacts['dependencies'] {
  const found = {
    node: ofNode(read, has, manager, machine),
    python: ofPython(read, has, isAbove, machine),
    go: ofGo(read, has),
    rust: ofRust(read, has),
    java: ofJava(has),
    ruby: ofRuby(read, has, machine),
    php: ofPhp(read, has, machine),
  };
  const there = Object.entries(found).filter(([, one]) => one !== undefined);
  return there.length === 0 ? undefined : Object.fromEntries(there as [string, Dependencies][]);
}

function ofGo(read: Read, has: Has): Dependencies | undefined {
  const text = read('go.mod');
  if (text === undefined || !/^[ \t]*require\b/m.test(text)) return undefined;
  // What lies in `vendor` is part of the work.
  if (has('vendor/modules.txt')) return undefined;
  return { run: 'go mod download', inputs: ['go.mod', ...['go.sum', 'go.work', 'go.work.sum'].filter(has)] };
}

/** Cargo wants to see the targets before it fetches anything. */
const TARGETS = ['src/lib.rs', 'src/main.rs', 'build.rs'];
const NAMED_TARGETS = ['src/bin/**', 'benches/*.rs', 'examples/*.rs', 'tests/*.rs'];

function ofRust(read: Read, has: Has): Dependencies | undefined {
  const text = read('Cargo.toml');
  if (text === undefined) return undefined;
  const isWorkspace = /^\[workspace\b/m.test(text);
  if (!isWorkspace && !dependsIn(text)) return undefined;
  const own = [...TARGETS.filter(has), ...(/^\[\[|^\[lib\]/m.test(text) ? NAMED_TARGETS : [])];
  const members = isWorkspace
    ? ['**/Cargo.toml', ...[...TARGETS, ...NAMED_TARGETS].map((path) => `**/${path}`)]
    : [];
  return {
    run: has('Cargo.lock') ? 'cargo fetch --locked' : 'cargo fetch',
    inputs: [
      'Cargo.toml',
      ...['Cargo.lock', 'rust-toolchain', 'rust-toolchain.toml', '.cargo/config.toml'].filter(has),
      ...new Set([...own, ...members]),
    ],
  };
}

function dependsIn(text: string): boolean {
  const tables = text
    .split(/^(?=\[)/m)
    .filter((table) => /^\[(?:[^\]]*\.)?(?:dev-|build-)?dependencies(?:\.[^\]]+)?\]/.test(table));
  return tables.some((table) => /^\[[^\]]*dependencies\./.test(table) || /\n[ \t]*[\w"-]/.test(table));
}

function ofRuby(read: Read, has: Has, machine: Machine | undefined): Dependencies | undefined {
  if (read('Gemfile') === undefined || !has('Gemfile.lock')) return undefined;
  const inputs = ['Gemfile', 'Gemfile.lock', '*.gemspec', '.ruby-version', 'lib/**/version.rb'];
  const found = has('vendor/bundle') || has('.bundle') ? { found: true as const } : {};
  if (machine && !machine.hasProgram('bundle'))
    return {
      inputs,
      missing: 'bundle (gem install bundler)',
      hint: 'bundle is not installed here: gem install bundler',
      ...found,
    };
  return { run: 'bundle config set --local path vendor/bundle && bundle install --quiet', inputs, ...found };
}

function ofPhp(read: Read, has: Has, machine: Machine | undefined): Dependencies | undefined {
  const json = mapOf(parsed(read('composer.json') ?? ''));
  const needed = [...Object.keys(mapOf(json.require)), ...Object.keys(mapOf(json['require-dev']))];
  if (!needed.some((name) => name.includes('/'))) return undefined;
  const inputs = ['composer.json', ...['composer.lock'].filter(has)];
  const found = has('vendor') ? { found: true as const } : {};
  if (machine && !machine.hasProgram('composer'))
    return {
      inputs,
      missing: 'composer (https://getcomposer.org)',
      hint: 'composer is not installed here',
      ...found,
    };
  if (!has('composer.lock')) return { inputs, missing: 'composer.lock', ...found };
  return { run: 'composer install --no-interaction --no-progress --quiet', inputs, ...found };
}

function ofJava(has: Has): Dependencies | undefined {
  if (has('pom.xml')) {
    const maven = has('mvnw') ? './mvnw' : 'mvn';
    return {
      run: `${maven} -q -B dependency:go-offline`,
      inputs: ['pom.xml', '**/pom.xml', ...['mvnw', '.mvn/**'].filter(has)],
    };
  }
  const builds = ['build.gradle', 'build.gradle.kts'].filter(has);
  if (builds.length === 0) return undefined;
  const settings = ['settings.gradle', 'settings.gradle.kts', 'gradle.properties'].filter(has);
  return {
    run: `${has('gradlew') ? './gradlew' : 'gradle'} --no-daemon -q dependencies`,
    inputs: [...builds, ...settings, ...(has('gradlew') ? ['gradlew', 'gradle/**'] : [])],
  };
}
