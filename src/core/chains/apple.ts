/** Swift and Objective-C. */
import type { Mute } from './chain.ts';

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
