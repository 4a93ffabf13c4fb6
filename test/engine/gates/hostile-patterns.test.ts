import { expect, test } from 'vitest';
import type { HookEvent } from '../../../src/engine/core/loop/event.ts';
import { globMatches, pathMatcher } from '../../../src/engine/core/text/globs.ts';
import { lineMatcher } from '../../../src/engine/core/text/line-pattern.ts';
import { redact } from '../../../src/engine/core/text/redact.ts';
import { judgeTool } from '../../../src/engine/core/tools/judge-tool.ts';
import type { ToolRules } from '../../../src/engine/core/tools/tool-rules.ts';
import { artefactGate } from '../../../src/engine/gates/artefact/index.ts';
import { findForbidden, mayBeForbidden } from '../../../src/engine/gates/forbid/find.ts';
import { groupsOf } from '../../../src/engine/gates/forbid/index.ts';
import { textGate } from '../../../src/engine/gates/text/index.ts';
import { PROJECT, placeWith } from '../../support/core/a-place.ts';
import { type Given, gateContext } from '../../support/gates/context.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { workMs } from '../../support/work-time.ts';

/** Patterns that take for ever by backtracking, on lines that almost match. */
const HOSTILE = [
  'a*a*a*a*b',
  '.*a.*a.*b',
  '[a-z]+[a-z]+[a-z]+[a-z]+!',
  '(a+)+$',
  '(a|a)+$',
  '(a|aa)+!',
  '(.*)*x!',
  '(?:a?){50}a{50}!',
  '(\\w+\\s?)+!',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(.*a){20}!',
];
const LINE = `b!x ${'a'.repeat(100_000)}`;
const HARMLESS = 'zebra[0-9]';

const NONE: ToolRules = { dangerous: false, protect: [], hide: [], deny: [], allow: [], rewrite: [] };
const ran = (tool: string, input: Record<string, unknown>, rules: Partial<ToolRules>) =>
  judgeTool(
    { event: 'PreToolUse', tool, input, cwd: PROJECT },
    { ...NONE, ...rules },
    placeWith({ files: [`${PROJECT}/${'a'.repeat(200)}`] }),
    lineMatcher,
  );
const prompt = { name: 'UserPromptSubmit', session: 's', prompt: LINE } as HookEvent;
const context = gateContext({
  name: 'gate',
  event: prompt,
  answers: {},
  frozen: { files: {} },
  tree: 'now',
  baseTree: 'then',
  workspace: { read: async () => LINE, contentAt: async () => undefined },
} as unknown as Given);

/** Every place that takes a pattern. */
const PATTERN_PLACES: [string, (pattern: string) => unknown][] = [
  [
    'forbid',
    (pattern) => {
      const groups = groupsOf({ patterns: [], custom: [{ name: 'own', pattern }] });
      if (typeof groups === 'string') throw new Error(groups);
      const line = { path: 'a.ts', line: 1, text: LINE };
      return [mayBeForbidden(line, groups), findForbidden('a.ts', LINE, [line], groups)];
    },
  ],
  ['text, forbid', (pattern) => textGate.judge({ forbid: [], custom: [{ name: 'own', pattern }] }, context)],
  [
    'text, matches',
    (pattern) => textGate.judge({ forbid: [], custom: [], matches: { pattern, say: '' } }, context),
  ],
  [
    'artefact',
    (pattern) =>
      artefactGate.judge(
        { file: 'PLAN.md', has: [{ name: 'own', pattern }], words: 1 },
        context,
        AbortSignal.timeout(PATIENCE_MS),
      ),
  ],
  [
    'rewrite',
    (pattern) => {
      const rewrite = [{ tool: 'Write', field: 'content', pattern, with: '' }];
      return ran('Write', { file_path: 'b', content: LINE.slice(0, 20_000) }, { rewrite });
    },
  ],
];

const HOSTILE_GLOBS = [
  `${'*a'.repeat(60)}b`,
  `${'**/'.repeat(30)}b`,
  `${'*a*'.repeat(40)}!`,
  `${'{a,a}'.repeat(60)}b`,
  `{${'*a,'.repeat(40)}b}`,
  `${'{*a,'.repeat(20)}${'}'.repeat(20)}b`,
  `${'?*'.repeat(60)}b`,
];
const PATH = `${'a'.repeat(2000)}/${'a/'.repeat(500)}`;

/** Every place that takes a glob or a word with wildcards, from a contract or from the agent. */
const GLOB_PLACES: [string, (glob: string) => unknown][] = [
  ['paths of gates', (glob) => pathMatcher([glob])(PATH)],
  ['types of subagents, names of tools', (glob) => globMatches(glob, PATH)],
  ['protect', (glob) => ran('Write', { file_path: PATH }, { protect: [glob] })],
  ['hide', (glob) => ran('Read', { file_path: PATH }, { hide: [glob] })],
  ['deny, a path', (glob) => ran('Write', { file_path: PATH }, { deny: [{ rule: `Edit(${glob})` }] })],
  ['deny, a command', (glob) => ran('Bash', { command: PATH }, { deny: [{ rule: `Bash(${glob})` }] })],
  [
    'the tool of a rewriting',
    (glob) => ran('a'.repeat(2000), {}, { rewrite: [{ tool: glob, field: 'x', pattern: 'x', with: '' }] }),
  ],
  [
    'a search of the agent',
    (glob) => ran('Grep', { pattern: 'x', glob, output_mode: 'content' }, { hide: ['*'] }),
  ],
  ['a word of a command', (glob) => ran('Bash', { command: `rm '${glob}'` }, { protect: ['x'] })],
  [
    'a name that find looks for',
    (glob) => ran('Bash', { command: `find . -name '${glob}' -delete` }, { protect: ['*'] }),
  ],
];

/** The least of three times, in milliseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 3; i++) {
    const before = workMs();
    await work();
    times.push(workMs() - before);
  }
  return Math.min(...times);
}

const TIMES = 20;
/** Less than this is no time for a line of this length, whatever a harmless pattern takes. */
const ALWAYS_FINE_MS = 500;

test.each(PATTERN_PLACES)('%s: no pattern takes much longer than a harmless one', async (_, place) => {
  const usual = await timeOf(() => place(HARMLESS));
  for (const pattern of HOSTILE) {
    expect({
      pattern,
      late: (await timeOf(() => place(pattern))) > Math.max(TIMES * usual, ALWAYS_FINE_MS),
    }).toEqual({
      pattern,
      late: false,
    });
  }
});

test.each(GLOB_PLACES)('%s: no glob takes much longer than a harmless one', async (_, place) => {
  const usual = await timeOf(() => place('src/*.ts'));
  for (const glob of HOSTILE_GLOBS) {
    expect({
      glob,
      late: (await timeOf(() => place(glob))) > Math.max(TIMES * usual, ALWAYS_FINE_MS),
    }).toEqual({
      glob,
      late: false,
    });
  }
});

test.each([
  ...[
    'eyJ-',
    'sk-',
    'sk-a',
    'Bearer ',
    'token=',
    'password: ',
    'https://a:',
    'ghp_a-',
    '-----BEGIN PRIVATE KEY-----',
  ],
  ...['a', '-', ' ', '"', "secret='", 'api_key="x', 'token:    ', '\\n', 'a.', '=', 'xoxb-', 'SG.a'],
])('secrets are looked for in time in a long line of %j', async (word) => {
  const line = (length: number) => word.repeat(Math.ceil(length / word.length));
  const short = await timeOf(() => redact(line(10_000)));
  expect(await timeOf(() => redact(line(100_000)))).toBeLessThan(Math.max(ALWAYS_FINE_MS, 40 * short));
});
