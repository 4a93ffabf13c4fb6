/** What a run is compared with: the Agent SDK alone, and a Stop callback that says no so many times. */
import { findSdk } from '../../src/engine/client/sdk/sdk.ts';
import { now, writeLog } from './log.ts';

export interface BareQuery {
  prompt: string;
  model: string;
  /** One after the other, each started ahead while the one before it runs. */
  sessions: number;
  /** In each session. */
  blocks: number;
}

const { prompt, model, sessions, blocks } = JSON.parse(process.argv[2] ?? '') as BareQuery;
const found = await findSdk({ env: process.env });
if ('problem' in found) throw new Error(found.problem);
const { sdk, claude } = found;

function start() {
  let left = blocks;
  const hold = () =>
    Promise.resolve(left-- > 0 ? { decision: 'block' as const, reason: 'Go on with the task.' } : {});
  return sdk.startup({
    options: {
      model,
      permissionMode: 'acceptEdits',
      settingSources: ['user', 'project', 'local'],
      pathToClaudeCodeExecutable: claude,
      hooks: { Stop: [{ hooks: [hold] }] },
    },
  });
}

let next = start();
for (let session = 1; session <= sessions; session++) {
  const ready = await next;
  if (session < sessions) next = start();
  for await (const _ of ready.query(prompt));
  writeLog({ ended: now() });
}
