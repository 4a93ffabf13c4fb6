/** Claude Code on a machine that an organization manages: its folder in /etc holds these settings, for this client alone. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findClaude } from '../../../src/engine/client/sdk/find-client.ts';
import { quoteForShell } from '../../../src/engine/core/shell/words.ts';
import type { Scene } from './scene.ts';

/** Forbids hooks modules of plugins that the organization has not given out itself. */
export const NO_MODS = {
  pluginConfigs: { 'cc-plugin-sec-default@builtin': { options: { allowManagedModsOnly: true } } },
};

const FROM_ETC = 'passwd group hosts resolv.conf nsswitch.conf ssl alternatives ld.so.cache'.split(' ');

/** A program that starts Claude Code with a folder /etc of its own. Needs bubblewrap. */
export function underPolicy(scene: Scene, settings: object): string {
  const claude = findClaude(undefined, { preferBundled: true });
  if (!claude) throw new Error('no client: install the optional dependencies, or put `claude` on PATH');
  const policy = join(scene.root, 'policy');
  mkdirSync(policy);
  writeFileSync(join(policy, 'managed-settings.json'), JSON.stringify(settings));
  const binds = FROM_ETC.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]);
  const words = [
    ...['bwrap', '--dev-bind', '/', '/', '--tmpfs', '/etc', ...binds],
    ...['--ro-bind', policy, '/etc/claude-code', '--', claude.path],
  ];
  const program = join(scene.root, 'managed claude');
  writeFileSync(program, `#!/bin/sh\nexec ${words.map(quoteForShell).join(' ')} "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}
