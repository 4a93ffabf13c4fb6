/** Copy this file, keep the exports that your ecosystem has, and name them in `all.ts`; then `npx vitest run test/core/chains`. */

export const sources = /^tmpl$/;

export const tests = [/(?:^|\/)template-checks\//];

export const runnerSettings = [/(?:^|\/)template-runner\.toml$/];

export const sharedSettings = [/(?:^|\/)template\.config\.tmpl$/];

export const dependencyFiles = [/(?:^|\/)template\.lock$/];

export const inputs = ['template.toml', 'template.lock'];
