/** C#, F# and Visual Basic. */
import { byVerb, only } from '../commands/by-words.ts';
import type { Checks, Mute, OtherOptions } from './chain.ts';

export const sources = /^fs$/;

export const tests = [
  /(?:Tests?|TestCase|IT|Spec|Specs)\.(?:cs|fs|vb)$/,
  /(?:^|\/)Test[A-Z]\w*\.cs$/,
  /\.(?:approved|verified|received)\.\w+$/,
];

export const runnerSettings = [/\.runsettings$/];

export const dependencyFiles = [
  /\.(?:csproj|fsproj|vbproj|sln)$|(?:^|\/)(?:Directory\.[\w.]+\.props|packages\.lock\.json)$/,
];

export const mutes: readonly Mute[] = [
  {
    name: 'pragma-warning',
    group: 'lint',
    view: 'code',
    expression: /#\s{0,5}pragma\s{1,5}warning\s{1,5}disable/,
    languages: ['csharp'],
  },
  {
    name: 'suppress-message',
    group: 'lint',
    view: 'code',
    expression: /\[\s{0,5}(?:assembly:\s{0,5})?SuppressMessage\s{0,5}\(/,
    languages: ['csharp'],
  },
  {
    name: 'resharper-disable',
    group: 'lint',
    expression: /\/\/\s{0,20}ReSharper\s{1,5}disable/,
    languages: ['csharp', 'c'],
    narrow: /disable\s{1,5}once/,
  },
  {
    name: 'coverage-excluded',
    group: 'coverage',
    view: 'code',
    expression: /\[\s{0,5}ExcludeFromCodeCoverage\b/,
    languages: ['csharp'],
  },
];

export const checks: Checks = {
  dotnet: (args) =>
    args[0] === 'format'
      ? only(args, 'format', '--verify-no-changes')
      : byVerb(args, { test: 'tests', build: 'build' }),
  'msbuild xbuild': 'build',
};

export const otherOptions: OtherOptions = { dotnet: ['-f', '-o', '-e', '-m', '-t'] };
