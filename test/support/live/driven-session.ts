/** Whole sessions of the real client, driven by the real adapter, against the simulator. */
import { randomUUID } from 'node:crypto';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { cleanEnvironment, findClaude } from '../../../src/engine/client/sdk/find-client.ts';
import { nameEnd } from '../../../src/engine/core/run/session-end.ts';
import type { SessionLimits, SessionPlan, SessionPort } from '../../../src/engine/ports/ports.ts';
import { agentSessions } from '../../../src/engine/run/client/session.ts';
import { processesOf } from './processes.ts';
import type { Scene } from './scene.ts';
import { type Heard, limits, listener } from './session-port.ts';

const CLAUDE = findClaude(undefined, { preferBundled: true })?.path ?? 'claude';

export function portOf(scene: Scene, extra: Record<string, string | undefined> = {}): SessionPort {
  const env = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor('driven'),
    extra: { TMPDIR: scene.environment.TMPDIR, UNTILDONE_HOME: scene.untildoneHome, ...extra },
  });
  return agentSessions({ env, claude: CLAUDE });
}

export function planIn(scene: Scene, more: Partial<SessionPlan> = {}): SessionPlan {
  return {
    session: randomUUID(),
    resume: false,
    cwd: scene.project,
    permissionMode: 'acceptEdits',
    allow: ['Bash'],
    model: 'claude-opus-5-5',
    env: {},
    client: {},
    ...more,
  };
}

export function asked(scene: Scene): Record<string, unknown>[] {
  const requests = scene.simulator.requests('driven').filter(({ kind }) => kind === 'messages');
  return requests.map(({ body }) => body as Record<string, unknown>);
}

export function askedTexts(scene: Scene): string[] {
  return asked(scene).map((body) => JSON.stringify(body));
}

interface Drive {
  heard?: Heard;
  plan?: Partial<SessionPlan>;
  limits?: Partial<SessionLimits>;
  env?: Record<string, string | undefined>;
}

export async function drive(scene: Scene, script: Script, { heard = listener(), ...more }: Drive = {}) {
  scene.simulator.load('driven', script);
  const plan = planIn(scene, more.plan);
  const facts = await portOf(scene, more.env).run(plan, 'Build a cuckoo clock', heard, limits(more.limits));
  return { facts, end: nameEnd(facts), heard, plan };
}

/** The client among the processes of a scene: the one that leads them. */
export async function clientOf(scene: Scene): Promise<number> {
  const [pid] = (await processesOf(scene.root)).sort((a, b) => a - b);
  if (pid === undefined) throw new Error('no client runs here');
  return pid;
}
