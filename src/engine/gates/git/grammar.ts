import * as z from 'zod';
import type { GitCheck } from '../../core/contract/gate-options.ts';
import { listOf, textOf } from '../../schema/values.ts';
import { oneOf, say, strict } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

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

export const gitGrammar = gateKind({
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
    return { checks: all, branch: name };
  },
});

type GitItem = z.output<typeof gitItem>;

function branchesOf(checks: GitItem | GitItem[], beside: string | undefined): string[] {
  const listed = [checks].flat().flatMap((check) => (typeof check === 'string' ? [] : [check.branch]));
  return beside === undefined ? listed : [...listed, beside];
}
