/** PHP: composer and phpunit. */
import { byTarget } from '../commands/by-words.ts';
import { plainWords } from '../shell/options.ts';
import type { Checks, Mute } from './chain.ts';

export const sources = /^php$/;

export const tests = [/(?:Tests?|TestCase|IT|Spec|Specs)\.php$/, /(?:^|\/)Test[A-Z]\w*\.php$/, /\.phpt$/];

export const runnerSettings = [/(?:^|\/)(?:phpunit|behat|codeception)[^/]*\.(?:xml|ya?ml|dist|php)$/];

export const dependencyFiles = [/(?:^|\/)composer\.(?:json|lock)$/];

export const inputs = ['composer.json', 'composer.lock'];

export const mutes: readonly Mute[] = [
  {
    name: 'phpcs-ignore',
    group: 'lint',
    expression: /(?:\/\/|#|\*)\s{0,20}@?(?:phpcs:(?:ignore|disable)|codingStandardsIgnore)/,
    languages: ['php'],
  },
  {
    name: 'phpstan-ignore',
    group: 'lint',
    expression: /(?:\/\/|#|\*)\s{0,20}@(?:phpstan-ignore|psalm-suppress)/,
    languages: ['php'],
  },
  { name: 'coverage-excluded', group: 'coverage', expression: /@codeCoverageIgnore/, languages: ['php'] },
];

export const installed = ['vendor'];

export const checks: Checks = {
  'phpunit pest paratest codecept': 'tests',
  'phpstan psalm phpcs': 'lint',
  composer: (args) => byTarget(args),
  php: (args) => {
    if (args[0] === '-l') return 'lint';
    const [file = '', verb] = plainWords(args);
    if (file === 'artisan') return verb === 'test' ? 'tests' : undefined;
    return { program: file.slice(file.lastIndexOf('/') + 1), args: args.slice(1) };
  },
};
