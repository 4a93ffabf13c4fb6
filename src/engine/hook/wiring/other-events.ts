/** What a bundle for all events but Stops answers with. */
import type { FileStore } from '../../home/store.ts';
import type { Ports } from '../../judging/ports.ts';
import { unusable, withScripts } from '../answer-event.ts';
import { handleOther } from '../handle-hook.ts';
import { loadJudgeBundle } from './load-bundles.ts';
import { openPorts } from './ports.ts';

export const OTHER_EVENTS = () =>
  withScripts<Ports & { store: FileStore }>({
    knows: (name) => name !== 'Stop',
    open: (home, env) => openPorts(home, env, loadJudgeBundle),
    handle: handleOther,
    unusable,
  });
