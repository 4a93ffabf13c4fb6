/** The plugin as a person installs it: from a marketplace, which here is the folder of this repository. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { cleanEnvironment, findClaude } from '../../../src/engine/client/sdk/find-client.ts';
import type { RunningClient } from './client.ts';
import type { Scene } from './scene.ts';

export const REPOSITORY = resolve(import.meta.dirname, '../../..');

/** Runs `claude ...` in the scene, without a session. */
export function claude(scene: Scene, ...args: string[]): string {
  const binary = findClaude(undefined, { preferBundled: true })?.path ?? '';
  const environment = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor('default'),
    extra: { UNTILDONE_HOME: scene.untildoneHome },
  });
  return execFileSync(binary, args, { cwd: scene.project, env: environment, encoding: 'utf8' });
}

/** Types one prompt after another into a conversation, and returns what Claude Code says to each in the end. */
export function typist(client: RunningClient): (prompt: string) => Promise<string> {
  let typed = 0;
  return async (prompt) => {
    // The first prompt is the one that the conversation was started with.
    if (typed++ > 0) client.say(prompt);
    const results = () => client.lines.filter(({ type }) => type === 'result');
    await client.untilLine(() => results().length >= typed);
    return String(results()[typed - 1]?.result);
  };
}
