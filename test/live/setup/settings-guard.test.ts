import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { bash, journalOf, loopOf, must } from '../../support/live/untildone.ts';

const PROJECT = {
  'untildone.yaml': 'gates: { made: { run: test -f made.txt } }\nlimits: { iterations: 2 }\n',
};

const NOTICED =
  'for i in $(seq 150); do grep -rqs ConfigChange "$UNTILDONE_HOME/projects" && break; sleep 0.1; done';

type Settings = Record<string, unknown> & { hooks: Record<string, { hooks: { command: string }[] }[]> };

const DECOY = { type: 'command', command: 'true # UNTILDONE_HOME /.untildone /hook.sh', timeout: 3600 };

/** What an agent writes into a file of settings so that nobody asks it any more. */
const CHANGES: Record<string, { file: string; change(settings: Settings): object; why: RegExp }> = {
  'lines with our names in a comment': {
    file: 'settings.json',
    change: ({ hooks }) => ({
      hooks: Object.fromEntries(Object.keys(hooks).map((event) => [event, [{ hooks: [DECOY] }]])),
    }),
    why: /removed from the settings/,
  },
  'a plugin that goes by our name': {
    file: 'settings.json',
    change: () => ({ enabledPlugins: { 'untildone@decoy': true } }),
    why: /removed from the settings/,
  },
  'our Stop line where no Stop is': {
    file: 'settings.json',
    change: ({ hooks }) => ({ hooks: { ...hooks, Stop: hooks.SessionStart } }),
    why: /for Stop were removed/,
  },
  'a value of a wrong form beside our hooks': {
    file: 'settings.json',
    change: (settings) => ({ ...settings, permissions: 5 }),
    why: /"permissions" in .* has a wrong form/,
  },
  'another home for us': {
    file: 'settings.local.json',
    change: () => ({ env: { UNTILDONE_HOME: '/nowhere' } }),
    why: /"UNTILDONE_HOME" in the env/,
  },
  'a program before every hook': {
    file: 'settings.local.json',
    change: () => ({ env: { CLAUDE_CODE_SHELL_PREFIX: 'true' } }),
    why: /"CLAUDE_CODE_SHELL_PREFIX" in the env/,
  },
};

test.each(Object.entries(CHANGES))(
  '%s: the change is refused, and the session stays held',
  async (_, { file, change, why }) => {
    const scene = await contractScene(PROJECT);
    const settings = JSON.parse(
      readFileSync(join(scene.project, '.claude/settings.json'), 'utf8'),
    ) as Settings;
    const text = JSON.stringify(change(settings)).replaceAll("'", `'\\''`);
    const session = await startedSession(scene);
    const words = Array.from({ length: 6 }, (__, i) => ({ text: `I am done ${i}` }));
    // No word of the command is a path that is protected.
    const write = `D=.claude/sett; E=${file.slice('sett'.length)}; printf '%s' '${text}' >"$D$E"; ${NOTICED}`;
    await scene.runClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ tools: [bash(write)] }, ...words] },
    });
    expect(readFileSync(join(scene.project, '.claude', file), 'utf8')).toBe(JSON.stringify(change(settings)));
    const loop = await loopOf(scene, session);
    expect(loop).toMatchObject({ status: 'reached_limit', iteration: 2 });
    const refused = (await journalOf(scene, loop.id)).flatMap((entry) =>
      entry.kind === 'event' && entry.event === 'ConfigChange' ? [entry.detail?.refused] : [],
    );
    expect(refused).toContainEqual(expect.stringMatching(why));
    // In the next session nobody refuses, so it is said.
    expect(await must(scene, ['status'])).toMatch(
      /^NOBODY IS HELD in this project: .*(?:untildone|settings\.local\.json|wrong form)/,
    );
  },
);
