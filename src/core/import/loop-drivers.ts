/** Stop hooks and plugins that drive the files of a format which untildone obeys itself. Both at once count twice. */

const END = String.raw`(?=$|[\s"';&|)])`;

const HOOKS: readonly [format: string, script: RegExp][] = [
  [
    'feature-list',
    new RegExp(String.raw`(?:^|[\s"'/])ralph[_-]loop[_-]controller\.(?:py|sh|[cm]?js|ts)${END}`),
  ],
  ['verified-done', new RegExp(String.raw`(?:^|[\s"'/])ralph-stop-quality-gate\.sh${END}`)],
  ['lock', new RegExp(String.raw`\bamplihack/hooks/stop\.py${END}`)],
  ['ralph-loop', new RegExp(String.raw`\bralph-(?:loop|wiggum)/(?:[\w.-]+/)*hooks/stop-hook\.sh${END}`)],
];

/** The format whose loop the command of a Stop hook drives. */
export function formatDrivenBy(command: string): string | undefined {
  return HOOKS.find(([, script]) => script.test(command))?.[0];
}

/** `name@marketplace`, as `enabledPlugins` has it. */
export function drivesRalphLoop(plugin: string): boolean {
  return /^ralph-(?:loop|wiggum)@/.test(plugin);
}
