/** Copy this file, keep the exports that your ecosystem has, and name them in `all.ts`; then `npx vitest run test/engine/core/chains`. */
import type { Checks, Mute, Narrows, OtherOptions, WeakCalls } from './chain.ts';

export const sources = /^tmpl$/;

export const tests = [/(?:^|\/)template-checks\//];

export const runnerSettings = [/(?:^|\/)template-runner\.toml$/];

export const sharedSettings = [/(?:^|\/)template\.config\.tmpl$/];

export const dependencyFiles = [/(?:^|\/)template\.lock$/];

export const inputs = ['template.toml', 'template.lock'];

/** Tools read a remark at the beginning of a comment. Words about one in the middle of a sentence are none. */
export const mutes: readonly Mute[] = [
  {
    name: 'template-ignore',
    group: 'lint',
    expression: /#\s{0,20}template:ignore\b/,
    languages: ['settings'],
  },
];

export const settings = ['template.toml'];

export const homeSettings = ['.config/template.toml'];

export const leaves = ['.template_cache/'];

export const installCommands = ['template prepare'];

export const installed = ['template_modules'];

export const warmUps = { 'template.toml': 'template build std' };

export const checks: Checks = {
  'template-test template-spec': 'tests',
  template: { test: 'tests', lint: 'lint' },
  'template-run': ([program = '', ...args]) => ({ program, args }),
};

export const otherOptions: OtherOptions = { template: ['-m'] };

export const narrows: Narrows = { template: (args) => args.includes('--one') };

export const weakCalls: WeakCalls = { template: { dry_run: /^--only-list$/ } };
