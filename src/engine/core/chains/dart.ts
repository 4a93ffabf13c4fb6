/** Dart and Flutter. */
import type { Checks, Mute } from './chain.ts';

export const sources = /^dart$/;

export const tests = [/(?:Tests?|TestCase|IT|Spec|Specs)\.dart$/];

export const dependencyFiles = [/(?:^|\/)pubspec\.(?:yaml|lock)$/];

export const mutes: readonly Mute[] = [
  {
    name: 'dart-ignore',
    group: 'lint',
    expression: /\/\/\s{0,20}ignore(?:_for_file)?:/,
    languages: ['dart'],
    narrow: /ignore:/,
  },
];

export const checks: Checks = { 'flutter dart': { test: 'tests', analyze: 'lint', build: 'build' } };
