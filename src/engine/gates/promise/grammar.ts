import { textOf } from '../../schema/values.ts';
import { say } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const PROMISE = 'promised: { promise: ALL TESTS PASS }';
const promiseWords = say('a statement of at most 500 characters, without <promise> tags', PROMISE);

export const promiseGrammar = gateKind({
  kind: 'promise',
  about: "The agent's final message states this. A claim, not a proof.",
  example: PROMISE,
  what: textOf('a statement', PROMISE)
    .refine((text) => flat(text).length <= 500 && !/<\/?promise>/.test(text), promiseWords)
    .describe('The statement that the agent has to make.'),
  options: {},
  build: (text) => ({ text: flat(text) }),
});

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
