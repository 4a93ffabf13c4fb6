import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { type Change, pluginIn } from '../../support/live/plugin.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { few } from '../../support/long.ts';

const PROJECT = { 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n', 'a.txt': 'a\n' };

/** Two stops that say the same, then the work. */
const TURNS = [{ text: 'done' }, { text: 'done' }, { tools: [bash('touch made')] }, { text: 'done' }];

/** Our hooks in the settings of the project, of the person, and once more as an older version wrote them. */
async function installedEverywhere(scene: Scene): Promise<void> {
  await must(scene, ['install', '--scope', 'user']);
  const line = `h=\${UNTILDONE_HOME:-$HOME/.untildone};[ -f "$h/hook.sh" ]&&. "$h/hook.sh";:`;
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: line, timeout: 60 }] }] };
  writeFileSync(join(scene.project, '.claude/settings.local.json'), JSON.stringify({ hooks }));
}

/** An older Claude Code does not know an event of the module, and does not load it. */
const NOT_LOADED: Change = {
  file: 'hooks/register.ts',
  from: "'classic.TeammateIdle'",
  to: "'classic.NotYet'",
};

const WAYS: [name: string, changes: Change[]][] = [
  ['with the hooks module', []],
  ['where the module does not load', [NOT_LOADED]],
];

describe('installed in every way at once', () => {
  test.each(few(WAYS, 1))(
    '%s: every Stop is judged once, and the agent reads each reason as often as it must',
    async (_, changes) => {
      const scene = await contractScene(PROJECT);
      await installedEverywhere(scene);
      const session = await startedSession(scene);
      const run = await scene.runClient({
        prompt: 'go',
        args: [
          '--session-id',
          session,
          '--plugin-dir',
          pluginIn(scene, changes),
          '--debug-file',
          join(scene.root, 'debug'),
        ],
        script: { turns: TURNS },
      });
      const debug = readFileSync(join(scene.root, 'debug'), 'utf8');
      const loop = await loopOf(scene);
      expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'verified_done']);
      expect(loop).toMatchObject({ status: 'verified_done', iteration: 3 });
      expect(run.requests).toHaveLength(4);
      const isModule = /hooks module untildone\S* loaded/.test(debug);
      expect(isModule).toBe(changes.length === 0);
      const told = JSON.stringify(run.requests[1]?.body).split('iteration 2 of 50').length - 1;
      expect(told).toBe(isModule ? 1 : 2);
    },
  );
});
