/**
 * The first line of an ES module that is built from our sources: some of them load modules of Node with `require`, so that
 * hooks load them only when they need them. `from` is an expression, the address that files beside the module are looked for from.
 */
export const requireInEsm = (from = 'import.meta.url') => ({
  js: `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(${from});`,
});
