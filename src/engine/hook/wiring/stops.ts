/** What a bundle for Stops alone answers with. All else that a Stop may need lies in the bundle of the other events. */
import type { FileStore } from '../../home/store.ts';
import type { Ports } from '../../judging/ports.ts';
import { withScripts } from '../answer-event.ts';
import { handleHook } from '../handle-hook.ts';
import { loadEventsBundle, loadFormatsBundle, loadJudgeBundle } from './load-bundles.ts';
import { openPortsBeside } from './ports-beside.ts';

export const STOPS = () =>
  withScripts<Ports & { store: FileStore }>({
    knows: (name) => name === 'Stop',
    open: (home, env) =>
      openPortsBeside({
        home,
        env,
        load: loadJudgeBundle,
        loadFormats: loadFormatsBundle,
        others: loadEventsBundle,
      }),
    handle: handleHook,
  });
