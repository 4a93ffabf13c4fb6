/** Ruby: bundler, rake, rspec and minitest. */
import type { Mute } from './chain.ts';

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
