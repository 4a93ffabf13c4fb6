import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionPort } from '../../src/engine/ports/ports.ts';

/**
 * Clients that take no time and keep nothing but their transcript, which grows as a real one does: all that is left is
 * the runner. The scripted sessions of the tests remember every request, so that no memory would be flat with them.
 */
export function instantSessions(): SessionPort {
  let said = 0;
  return {
    missing: () => Promise.resolve(undefined),
    prepare: (plan) => Promise.resolve({ plan, discard: () => Promise.resolve() }),
    async run(given, prompt, listener, { signal }) {
      const { session, cwd, permissionMode, model } = 'plan' in given ? given.plan : given;
      const transcript = join(tmpdir(), `${session}.jsonl`);
      const write = (line: object) => appendFileSync(transcript, `${JSON.stringify(line)}\n`);
      const base = { session, cwd, permissionMode, transcript };
      const stop = () => {
        const lastMessage = `Part ${++said} is done.`;
        write(answerLine(said, lastMessage, model));
        const work = { backgroundTasks: [], wakeUps: [] };
        return listener.event({ ...base, name: 'Stop', stopHookActive: true, lastMessage, ...work }, signal);
      };
      await listener.event({ ...base, name: 'UserPromptSubmit', prompt }, signal);
      write({ type: 'user', message: { role: 'user', content: prompt } });
      for (let answer = await stop(); answer.kind === 'refuse'; answer = await stop()) {
        const content = `Stop hook feedback:\n${answer.reason}`;
        write({ type: 'user', message: { role: 'user', content }, isMeta: true });
      }
      const result = { isError: false, terminalReason: 'completed', subtype: 'success', text: '', turns: 1 };
      return { result: { ...result, costTotalUsd: 0, tokensTotal: 0 } };
    },
  };
}

function answerLine(n: number, text: string, model = 'claude-sonnet-4-5'): object {
  const usage = { input_tokens: 1_000, output_tokens: 10 };
  const message = { id: `msg_${n}`, role: 'assistant', model, content: [{ type: 'text', text }], usage };
  return { type: 'assistant', message: { ...message, stop_reason: 'end_turn' } };
}
