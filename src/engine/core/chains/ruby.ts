/** Ruby: bundler, rake, rspec and minitest. */
import { byTarget } from '../commands/by-words.ts';
import type { Checks, Mute, OtherOptions } from './chain.ts';

export const sources = /^rb$/;

export const tests = [/(?:^|\/)step_definitions\//i, /(?:^|\/)rails_helper\.\w+$/];

export const runnerSettings = [/(?:^|\/)\.(?:rspec|simplecov)[^/]*$/, /(?:^|\/)Rakefile$/];

export const dependencyFiles = [/(?:^|\/)Gemfile(?:\.lock)?$|\.gemspec$/];

export const inputs = ['Gemfile', 'Gemfile.lock', '.ruby-version'];

export const mutes: readonly Mute[] = [
  {
    name: 'rubocop-disable',
    group: 'lint',
    expression: /#\s{0,20}(?:rubocop|standard):(?:disable|todo)/,
    languages: ['ruby'],
  },
  {
    name: 'sorbet-untyped',
    group: 'types',
    expression: /^\s{0,5}#\s{0,5}typed:\s{0,5}(?:false|ignore)\b/,
    languages: ['ruby'],
  },
];

export const settings = ['Gemfile', '.rspec', '.rubocop.yml', '.ruby-version'];

export const homeSettings = ['.bundle/config', '.gemrc'];

export const installed = ['.bundle', 'bundle'];

export const checks: Checks = {
  'rspec minitest cucumber': 'tests',
  rails: { test: 'tests', 'test:all': 'tests', spec: 'tests' },
  rake: (args) => byTarget(args, 'tests'),
  'rubocop standardrb reek brakeman': 'lint',
  srb: { tc: 'types' },
};

export const otherOptions: OtherOptions = { rspec: ['-f', '-o', '-m', '-k', '-R'] };
