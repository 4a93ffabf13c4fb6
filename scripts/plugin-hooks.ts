/** Writes `plugin/hooks/hooks.json`: the hooks that `untildone install` adds to settings, and those of the plugin alone. */
import { writeFileSync } from 'node:fs';
import { addHooks } from '../src/client/settings/our-hooks.ts';

const { hooks } = JSON.parse(addHooks(undefined).text) as { hooks: Record<string, object[]> };
const program = (word: string) => `sh "\${CLAUDE_PLUGIN_ROOT}/bin/untildone" ${word}`;

const own = {
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
writeFileSync('plugin/hooks/hooks.json', `${JSON.stringify({ hooks }, null, 2)}\n`);
