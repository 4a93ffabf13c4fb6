/** Gates that look at what happened to the repository since the start. */
import { z } from 'zod';
import { FORBID_GROUPS, type GitCheck } from '../../core/gate-options.ts';
import { patternProblem } from '../../core/line-pattern.ts';
import { gateKind } from './gate-kind.ts';
import { listOf, nameOf, onlyTrue, pathOf, textOf } from './values.ts';
import { oneOf, say, strict } from './words.ts';

const GIT = 'saved: { git: [clean, committed] }';
const GIT_WORDS = ['clean', 'committed', 'pushed'] as const;
const gitWord = oneOf(GIT_WORDS, GIT);
const branch = textOf('the name of a branch', 'saved: { git: { branch: main } }').describe(
  'The branch that has to be checked out.',
);
const gitItem = z.union(
  [gitWord, strict({ branch }, 'a branch', 'saved: { git: [clean, { branch: main }] }')],
  say(`one of ${GIT_WORDS.join(', ')}, or { branch: NAME }`, GIT, { candidates: GIT_WORDS }),
);

export const git = gateKind({
  kind: 'git',
  about: 'The state of the repository: clean tree, everything committed, pushed, on a branch.',
  example: GIT,
  what: z
    .union(
      [gitWord, listOf(gitItem, 'state of git', GIT)],
      say(`one of ${GIT_WORDS.join(', ')}, or a list of them`, GIT, { candidates: GIT_WORDS }),
    )
    .describe(
      'clean: nothing uncommitted. committed: what is new since the start is in a commit. pushed: upstream has them all.',
    ),
  main: 'checks',
  otherwise: [],
  options: { branch: branch.exactOptional() },
  conflict: (checks, options) => {
    const branches = branchesOf(checks, options.branch);
    if (branches.length > 1) return 'one branch';
    return branches.length === 0 && checks.length === 0 ? 'at least one state of git' : undefined;
  },
  build: (checks, options) => {
    const [name] = branchesOf(checks, options.branch);
    const words = [checks].flat().filter((check) => typeof check === 'string');
    const all: GitCheck[] = [...new Set<GitCheck>(name === undefined ? words : [...words, 'branch'])];
    return { checks: all, ...(name === undefined ? {} : { branch: name }) };
  },
});

type GitItem = z.output<typeof gitItem>;

function branchesOf(checks: GitItem | GitItem[], beside: string | undefined): string[] {
  const listed = [checks].flat().flatMap((check) => (typeof check === 'string' ? [] : [check.branch]));
  return beside === undefined ? listed : [...listed, beside];
}

const FORBID = 'tidy: { forbid: [debug, debugger, todo, placeholder, secrets] }';
const CUSTOM_PATTERN = String.raw`tidy: { forbid: [{ name: raw-sql, pattern: 'query\("SELECT' }] }`;
const PATHS = 'tidy: { forbid: [debug], paths: ["src/**"] }';

/** A regular expression that is matched line by line. */
export function patternOf(example: string) {
  return z.string(say('a regular expression', example)).superRefine((source, context) => {
    const problem = source === '' ? 'a regular expression' : patternProblem(source);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: say(problem, example) });
  });
}

const forbidItem = z.union(
  [
    z.enum(FORBID_GROUPS).describe('A built-in group of patterns.'),
    strict(
      {
        name: nameOf('a name', CUSTOM_PATTERN).describe('How the pattern is called in the reason.'),
        pattern: patternOf(CUSTOM_PATTERN).describe(
          'A JavaScript regular expression, matched against every added line.',
        ),
      },
      'a pattern of your own',
      CUSTOM_PATTERN,
    ),
  ],
  say(`one of ${FORBID_GROUPS.join(', ')}, or { name, pattern }`, FORBID, { candidates: FORBID_GROUPS }),
);

const globs = listOf(pathOf('a glob', PATHS), 'glob', PATHS);

export const forbid = gateKind({
  kind: 'forbid',
  about: 'Lines added since the start contain none of these.',
  example: FORBID,
  what: listOf(forbidItem, 'pattern', FORBID).describe('Built-in groups, or patterns of your own.'),
  main: 'patterns',
  options: { paths: globs.describe('Only files that one of these globs fits.').exactOptional() },
  conflict: (items) => {
    const names = items.map((item) => (typeof item === 'string' ? item : item.name));
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    return twice === undefined ? undefined : `every pattern once (${twice} is there twice)`;
  },
  build: (items, options) => ({
    patterns: items.filter((item) => typeof item === 'string'),
    custom: items.filter((item) => typeof item !== 'string'),
    ...options,
  }),
});

const INTACT = 'intact: { tests_intact: true }';

export const testsIntact = gateKind({
  kind: 'tests_intact',
  about: 'Tests were not weakened since the start: none deleted, skipped or emptied.',
  example: INTACT,
  what: onlyTrue(INTACT),
  otherwise: true,
  options: { paths: globs.describe('Which files are tests; the usual names when absent.').exactOptional() },
  build: (_, options) => ({ ...options }),
});
