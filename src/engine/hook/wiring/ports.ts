import type { Home } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { Ports } from '../../judging/ports.ts';
import { type JudgeBundle, loadFormatsBundle } from './load-bundles.ts';
import { openPortsBeside } from './ports-beside.ts';
import { queueEnding } from './reflection.ts';
import { openSession, openTools } from './session.ts';

export { blockCapFrom, systemClock } from './common-ports.ts';

export function openPorts(
  home: Home,
  env: NodeJS.ProcessEnv,
  load: () => Promise<JudgeBundle>,
  loadFormats = loadFormatsBundle,
): Ports & { store: FileStore } {
  return openPortsBeside({
    home,
    env,
    load,
    loadFormats,
    others: async () => ({ openSession, openTools, queueEnding }),
  });
}
