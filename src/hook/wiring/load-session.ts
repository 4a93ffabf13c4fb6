import { unloadable } from './load-bundles.ts';

/** Loads what all events need but Stops that are judged.  */
export async function loadOtherEvents(): Promise<typeof import('./session.ts')> {
  try {
    const part = await import('./session.ts');
    if (typeof part.openSession === 'function') return part;
    throw new Error('it is empty');
  } catch (cause) {
    throw unloadable(cause as Error);
  }
}
