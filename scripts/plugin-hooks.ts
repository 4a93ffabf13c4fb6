/**
 * Writes `plugin/hooks/hooks.json`: the events of the hooks that `untildone install` adds to settings, the hooks of the plugin
 * alone, and its hooks module.
 */
import { writeFileSync } from 'node:fs';
import { addHooks } from '../src/client/settings/our-hooks.ts';

interface Group {
  matcher?: string;
  hooks: { type: string; command: string; timeout: number }[];
}

const { hooks } = JSON.parse(addHooks(undefined).text) as { hooks: Record<string, Group[]> };
const program = (word: string) => `sh "\${CLAUDE_PLUGIN_ROOT}/bin/untildone" ${word}`;

/** The line of the settings names its event first; the rest of it is in a script of the plugin. */
for (const group of Object.values(hooks).flat()) {
  for (const hook of group.hooks) {
    const event = /^untildone=(\w+);/.exec(hook.command)?.[1];
    hook.command = `untildone=${event}; . "\${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh"`;
  }
}

const own: Record<string, Group> = {
  SessionStart: {
    matcher: 'startup|resume',
    hooks: [{ type: 'command', command: program('plugin-check'), timeout: 30 }],
  },
  UserPromptExpansion: {
    matcher: '^untildone:',
    hooks: [{ type: 'command', command: program('slash'), timeout: 3600 }],
  },
};
for (const [event, group] of Object.entries(own)) hooks[event]?.push(group);
writeFileSync(
  'plugin/hooks/hooks.json',
  `${JSON.stringify({ hooks, modules: ['./register.ts'] }, null, 2)}\n`,
);
