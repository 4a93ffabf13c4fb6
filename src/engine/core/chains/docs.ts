/** Files that are no programs: documents, settings, infrastructure. */
import type { Checks, Mute } from './chain.ts';

export const mutes: readonly Mute[] = [
  {
    name: 'hadolint-ignore',
    group: 'lint',
    expression: /#\s{0,20}hadolint\s{1,5}ignore=/,
    languages: ['settings'],
  },
];

export const checks: Checks = {
  'hadolint actionlint yamllint markdownlint markdownlint-cli2 ansible-lint tflint vale': 'lint',
  sqlfluff: { lint: 'lint' },
  'terraform tofu': { validate: 'types', plan: 'build' },
  helm: { lint: 'lint' },
  buf: { lint: 'lint', build: 'build' },
};
