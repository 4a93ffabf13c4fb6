/** Swift and Objective-C. */
import { byWords } from '../commands/by-words.ts';
import type { Checks, Mute } from './chain.ts';

export const sources = /^swift$/;

export const tests = [/(?:Tests?|TestCase|IT|Spec|Specs)\.(?:swift|m|mm)$/];

export const mutes: readonly Mute[] = [
  {
    name: 'swiftlint-disable',
    group: 'lint',
    expression: /\/\/\s{0,20}swiftlint:disable/,
    languages: ['swift'],
    narrow: /disable:(?:this|next|previous)/,
  },
];

export const installed = ['Pods', 'Carthage'];

export const checks: Checks = {
  swift: { test: 'tests', build: 'build' },
  swiftc: 'build',
  xcodebuild: (args) => byWords(args, { test: 'tests', build: 'build', analyze: 'lint' }),
  swiftlint: 'lint',
};
