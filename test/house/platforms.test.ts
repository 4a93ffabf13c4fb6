import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, SRC } from './files.ts';

const SOURCES = filesIn(SRC).map((path) => [relative(SRC, path), readFileSync(path, 'utf8')] as const);

function linesWith(pattern: RegExp): string[] {
  const found = SOURCES.flatMap(([path, text]) =>
    text
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line) && pattern.test(line))
      .map(() => path),
  );
  return [...new Set(found)].sort();
}

/** Files that name a POSIX shell, and why Windows does not miss it. */
const SHELLS: Record<string, string> = {
  'engine/client/sdk/sdk.ts': 'the guard of an orphaned client, which Windows does without',
  'dev/conformance/layouts.ts': 'hooks of others, which are shell scripts',
  'dev/conformance/run-command.ts': 'runs hooks as Claude Code does on Linux',
  'dev/demo/scratch.ts': 'the `untildone` of a demo, which needs a POSIX system',
  'engine/files/platform.ts': 'the choice itself',
  'engine/project/room/trash.ts': 'elsewhere files are removed at once',
  'engine/project/walls/bubblewrap.ts': 'only on Linux',
  'engine/project/walls/sandbox-exec.ts': 'only on macOS',
  'engine/project/walls/secrets.ts': 'what walls never hide',
};

test('only these files name a POSIX shell', () => {
  expect(linesWith(/\/bin\/(?:sh|bash)\b/)).toEqual(Object.keys(SHELLS).sort());
});

/** Files that ask for the platform in place, and not as a parameter that a test can set. */
const IN_PLACE: Record<string, string> = {
  'cli/doctor/home.ts': 'rights of files say nothing on Windows',
  'cli/doctor/others.ts': 'only Linux tells of all processes',
  'engine/client/sdk/find-client.ts': 'the name of the package for this machine',
  'engine/client/sdk/sdk.ts': 'no guard without a POSIX shell',
  'dev/conformance/run-command.ts': 'whether rights count for this user',
  'engine/files/platform.ts': 'the system of this process, for others to pass on',
  'engine/project/room/kept-tree.ts':
    'files are kept for the next room only where left processes can be seen',
  'engine/project/room/setup.ts': 'part of the key of a prepared room',
  'engine/project/room/trash.ts': 'no shell that removes in the background',
  'engine/project/walls/walls-for.ts': 'passes it on',
};

test('everything else gets the platform as a parameter', () => {
  // A default of a parameter: `platform = process.platform`.
  expect(linesWith(/(?<!platform = )process\.platform/)).toEqual(Object.keys(IN_PLACE).sort());
});

/** Files that read /proc, each with what happens where there is none. */
const PROC: Record<string, string> = {
  'cli/doctor/others.ts': 'other controllers are not looked for',
  'engine/client/hooks/caller.ts':
    'who calls is told by the environment alone, and at a Stop by the transcript',
  'engine/files/process-id.ts': 'start times are unknown: livenessOf says "unknown"',
  'engine/files/process-tree.ts': 'the group, or taskkill',
  'engine/project/walls/bubblewrap.ts': 'only on Linux',
};

test('only these files read /proc', () => {
  expect(linesWith(/['"`]\/proc\b/)).toEqual(Object.keys(PROC).sort());
});
