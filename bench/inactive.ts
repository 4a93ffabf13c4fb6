import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_LINE } from '../src/engine/home/hook-line.ts';
import { type HookScene, run } from './hook-scene.ts';
import { comparePaired, type Row } from './report.ts';
import { sampleInRounds } from './sampler.ts';

const ROUNDS = 150;
const CALLS = 20;

/** Makes many calls in a row from a small shell: starting a process from Node costs more than what is measured. */
const REPEAT = `i=0; while [ $i -lt ${CALLS} ]; do /bin/sh -c "$LINE" <"$EVENT" || exit 1; i=$((i+1)); done`;

/** Measures the installed line in a session without a loop: the price of every event. */
export function measureInactive(scene: HookScene): Row[] {
  const session = randomUUID();
  const event = join(scene.root, 'stop.json');
  writeFileSync(event, JSON.stringify({ session_id: session, hook_event_name: 'Stop' }));
  const call = (line: string) => () => {
    const env = { ...scene.environment(session), LINE: line, EVENT: event };
    const { took, stdout } = run('/bin/sh', ['-c', REPEAT], { env, encoding: 'utf8' });
    if (stdout !== '') throw new Error(`an inactive hook said something: ${stdout}`);
    return took / CALLS;
  };
  const samples = sampleInRounds(ROUNDS, { line: call(HOOK_LINE), nothing: call('true') });
  const compared = { name: 'hook, nothing active', against: 'sh -c true', target: 1.1 };
  return [comparePaired(samples.line, samples.nothing, compared)];
}
