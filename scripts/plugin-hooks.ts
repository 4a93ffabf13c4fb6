/**
 * Writes `plugin/hooks/hooks.json`: the events of the hooks that `untildone install` adds to settings, the hooks of the plugin
 * alone, and its hooks module. And `plugin/hooks/commands.json`, the hook that answers its commands.
 */
import { writeFileSync } from 'node:fs';
import { addHooks } from '../src/engine/client/settings/our-hooks.ts';
import { pluginLine } from '../src/engine/home/hook-line.ts';

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
    hook.command = pluginLine(String(event));
  }
}

hooks.SessionStart?.push({
  matcher: 'startup|resume',
  hooks: [{ type: 'command', command: program('plugin-check'), timeout: 30 }],
});
write('hooks.json', { hooks, modules: ['./register.ts'] });

/** The manifest names this file. A Claude Code that does not know the event takes nothing from it, and all of the other. */
write('commands.json', {
  hooks: {
    UserPromptExpansion: [
      { matcher: '^untildone:', hooks: [{ type: 'command', command: program('slash'), timeout: 3600 }] },
    ],
  },
});

function write(file: string, content: unknown): void {
  writeFileSync(`plugin/hooks/${file}`, `${JSON.stringify(content, null, 2)}\n`);
}
