/** Files that are no programs: documents, settings, infrastructure. */
import type { Mute } from './chain.ts';

export const mutes: readonly Mute[] = [
  {
    name: 'hadolint-ignore',
    group: 'lint',
    expression: /#\s{0,20}hadolint\s{1,5}ignore=/,
    languages: ['settings'],
  },
];
