/** Dart and Flutter. */

export const sources = /^dart$/;

export const tests = [/(?:Tests?|TestCase|IT|Spec|Specs)\.dart$/];

export const dependencyFiles = [/(?:^|\/)pubspec\.(?:yaml|lock)$/];
